"""Processes that die at a chosen statement; the code that tests hand to a shell takes it from here."""

import os
import signal
from collections.abc import Callable
from typing import Any


def dies_at(number: int) -> Callable[..., Any]:
    """A wrapper for `connection.execute_wrapper`: instead of the statement of this number the process is killed."""
    left = [number]

    def wrapper(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        return execute(sql, params, many, context)

    return wrapper


def dies_before(words: str) -> Callable[..., Any]:
    """The same instead of the first statement with these words."""

    def wrapper(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if words in str(sql):
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(sql, params, many, context)

    return wrapper
