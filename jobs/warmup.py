"""Warm-up: what a worker does once, before its first job, in the process that its children are forked from.

Rooms register here what their jobs would otherwise wait for, such as compiled code.
"""

import gc
import logging
from collections.abc import Callable

logger = logging.getLogger(__name__)
Function = Callable[[], object]

_registered: list[Function] = []


def register(function: Function) -> None:
    """Call `function()` at every warm-up, after those that were registered before it.

    It must not leave threads or connections behind. In a new installation the first job waits for all of them.
    """
    _registered.append(function)


def warm_up() -> bool:
    """Call what is registered; False where any of it fails, which health then reports.

    What it loads stays: neither the worker nor its children look through it for garbage.
    """
    gc.disable()
    try:
        warm = [_called(function) for function in _registered]
    finally:
        gc.freeze()
        gc.enable()
    return all(warm)


def _called(function: Function) -> bool:
    try:
        function()
    except Exception:
        logger.exception("the worker cannot warm up; jobs will be slow or fail")
        return False
    return True
