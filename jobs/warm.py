"""What a worker does before it takes its first job, once, in the process its children are forked from."""

import logging
from collections.abc import Callable

logger = logging.getLogger(__name__)
_registered: dict[str, Callable[[], object]] = {}


def register(name: str, function: Callable[[], object]) -> None:
    """`function` compiles or loads what jobs need; it must not leave threads or connections behind."""
    _registered[name] = function


def warm_up() -> bool:
    """Call everything registered; False where something failed, which health then reports."""
    succeeded = True
    for name, function in list(_registered.items()):
        try:
            function()
        except Exception:
            logger.exception("the worker cannot warm up %s; jobs that need it will be slow or fail", name)
            succeeded = False
    return succeeded
