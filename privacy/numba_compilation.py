"""Compiles functions with numba and keeps their machine code in the folder of `privacy/machine_code_cache.py`.

Importing this module imports numba.
"""

from collections.abc import Callable
from typing import Any

import numba
from numba.core import caching

from privacy import machine_code_cache

config: Any = numba.config
_UserProvided: Any = caching.UserProvidedCacheLocator


class CacheLocator(_UserProvided):  # type: ignore[misc]
    """Cache location for numba: every checkout of the same sources shares one folder."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file, self._lineno = file, function.__code__.co_firstlineno
        self._cache_path = str(machine_code_cache.cache_folder())

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> "CacheLocator":
        return cls(function, file)


def compile_cached(function: Callable[..., Any]) -> Any:
    """Decorator: compiles a function with numba, without the GIL, or loads its cached machine code."""
    before = config.CACHE_LOCATOR_CLASSES
    # numba has one list for a whole process: set ours for this function, then restore it.
    config.CACHE_LOCATOR_CLASSES = f"{CacheLocator.__module__}.{CacheLocator.__qualname__}"
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    finally:
        config.CACHE_LOCATOR_CLASSES = before
