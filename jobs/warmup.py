"""Warm-up: functions that a worker calls once, before its first job, in the process that its children are forked from.

Rooms register here what their jobs would otherwise wait for, such as compiling code.
"""

import gc
import logging
from collections.abc import Callable

logger = logging.getLogger(__name__)
Function = Callable[[], object]

_registered: list[Function] = []


def register(function: Function) -> None:
    """Has `function()` called at every warm-up, after those that were registered before it.

    It must not leave threads or connections behind. In a new installation the first job waits for all of them.
    """
    _registered.append(function)


def warm_up() -> bool:
    """Calls what is registered; False if any of it fails, which health then reports.

    Garbage collection in the worker and its children leaves out what was loaded here.
    """
    is_warm = True
    gc.disable()
    try:
        for function in _registered:
            try:
                function()
            except Exception:
                logger.exception("the worker cannot warm up; jobs will be slow or fail")
                is_warm = False
    finally:
        gc.freeze()
        gc.enable()
    return is_warm
