"""The kernels that Python calls, compiled once and cached on disk; what they call is part of their machine code."""

import fcntl
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numba

from privacy.anonymity.kernels.class_lists import begin, finish, members, merge_round, merge_violating
from privacy.anonymity.kernels.k_member import cluster
from privacy.anonymity.kernels.local_search import improve, partition
from privacy.anonymity.kernels.order_segments import label
from privacy.anonymity.kernels.point_moves import settle

config: Any = numba.config
Kernel = Callable[..., Any]


class Kernels(NamedTuple):
    partition: Kernel
    label: Kernel
    begin: Kernel
    finish: Kernel
    settle: Kernel
    improve: Kernel


class MergingKernels(NamedTuple):
    begin: Kernel
    merge_round: Kernel
    merge_violating: Kernel
    members: Kernel


class ClusteringKernels(NamedTuple):
    cluster: Kernel


@cache
def compiled(folder: Path) -> Kernels:
    """The kernels of *tree*: takes most of a minute the first time, milliseconds after that."""
    return Kernels(*_cached([partition, label, begin, finish, settle, improve], folder))


@cache
def compiled_merging(folder: Path) -> MergingKernels:
    return MergingKernels(*_cached([begin, merge_round, merge_violating, members], folder))


@cache
def compiled_clustering(folder: Path) -> ClusteringKernels:
    return ClusteringKernels(*_cached([cluster], folder))


def has_compiled(folder: Path) -> bool:
    """True if some process has compiled all kernels of these sources."""
    return _complete(folder).is_file()


@contextmanager
def once(folder: Path) -> Iterator[None]:
    """Lets one process compile in this block; those that come meanwhile wait for it and load.

    A process that is killed leaves the lock to the next one.
    """
    if has_compiled(folder):
        yield
        return
    own = _own(folder)
    own.mkdir(parents=True, exist_ok=True)
    with (own / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
        _complete(folder).touch()


def _complete(folder: Path) -> Path:
    return _own(folder) / "complete"


def _own(folder: Path) -> Path:
    return folder / f"anonymity-{_version()}"


def _cached(functions: list[Any], folder: Path) -> list[Kernel]:
    """Compiles functions or loads them; `folder` holds a folder for each version of the sources.

    numba looks only at the file of the function that is called, not at those of the functions that this one calls.
    """
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_own(folder))
    try:
        return [
            numba.njit(cache=True, nogil=True, error_model="numpy")(function.py_func)
            for function in functions
        ]
    finally:
        config.CACHE_DIR = before


def _version() -> str:
    sources = sorted(Path(__file__).parent.glob("*.py"))
    content = [numba.__version__.encode(), *(source.read_bytes() for source in sources)]
    return hashlib.sha256(b"".join(content)).hexdigest()[:16]
