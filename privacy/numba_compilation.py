"""Compiles functions with numba and keeps their machine code in the folder of `privacy/machine_code_cache.py`.

Importing this module imports numba.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from llvmlite import binding  # type: ignore[import-untyped]
from numba.core import caching
from numba.core.runtime import nrt

from privacy import machine_code_cache

_UserProvided: Any = caching.UserProvidedCacheLocator
_CacheImpl: Any = caching.CompileResultCacheImpl
_FunctionCache: Any = caching.FunctionCache
_runtime: Any = nrt
_types: Any = numba.types


class CacheLocator(_UserProvided):  # type: ignore[misc]
    """Tells numba the folder of cached machine code, one for all checkouts of the same sources."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file, self._lineno = file, function.__code__.co_firstlineno
        self._cache_path = str(machine_code_cache.cache_folder())

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> "CacheLocator":
        """Returns the cache location of a function, as numba asks for it."""
        return cls(function, file)


class _LocatedCache(_CacheImpl):  # type: ignore[misc]
    """Storage of one function's machine code in the folder that `CacheLocator` names."""

    _locator_classes = (CacheLocator,)


class FunctionCache(_FunctionCache):  # type: ignore[misc]
    """Cache of machine code that loads faster: it skips numba's declarations of Python and numpy.

    Only compiling needs these declarations, and loads them itself; they take 0.2 seconds.
    """

    _impl_class = _LocatedCache

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Returns the machine code for this signature, or None if it is to be compiled."""
        # The symbols that machine code calls; numba's runtime compiles functions of its own, too.
        for name, address in _runtime._nrt.c_helpers.items():
            binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
        return self._load_overload(signature, context)


Function = TypeVar("Function", bound=Callable[..., Any])
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
NO_WRAPPERS: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""numba options for functions called from compiled code alone; wrappers for Python cost compile time."""


def _without_literals(dispatcher: Any) -> Any:
    """A literal among the arguments counts as any other number; numba would compile the function anew for it."""
    call_template, without_literal = dispatcher.get_call_template, _types.unliteral
    dispatcher.get_call_template = lambda args, named: call_template(
        tuple(map(without_literal, args)), {name: without_literal(kind) for name, kind in named.items()}
    )
    return dispatcher


def compile_kernel(function: Callable[..., Any]) -> Any:
    """Decorator: compiles a function at its first call, without the GIL, for functions that Python calls."""
    return _without_literals(numba.njit(**OPTIONS)(function))


def compile_cached(function: Any) -> Any:
    """Decorator: compiles a function as `compile_kernel` does, if it has not, or loads its cached machine code."""
    dispatcher = function if hasattr(function, "py_func") else compile_kernel(function)
    dispatcher._cache = FunctionCache(dispatcher.py_func)
    # numba would read the metadata of all packages, to load extensions that no function here needs.
    dispatcher._compilation_chain_init_hook = lambda: None
    return dispatcher


def compile_kernel_helper(function: Function) -> Function:
    """Decorator: compiles a function at its first call, for functions that only compiled code calls."""
    return _without_literals(numba.njit(**OPTIONS, **NO_WRAPPERS)(function))  # type: ignore[no-any-return]


def compile_inline(function: Function) -> Function:
    """Decorator: inlines a small function of an inner loop into its compiled callers.

    A call would count the references to all its arrays.
    """
    dispatcher: Any = numba.njit(inline="always", **OPTIONS, **NO_WRAPPERS)(function)
    return dispatcher  # type: ignore[no-any-return]
