"""The kernels that Python calls, compiled by numba once and cached on disk; functions they call are compiled into
them."""

import fcntl
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numba

from privacy.anonymity.kernels.class_lists import (
    fill_classes,
    merge_round,
    merge_violating,
    write_labels,
    write_labels_and_loss,
)
from privacy.anonymity.kernels.k_member import fill_clusters
from privacy.anonymity.kernels.local_search import improve_partition, partition_points
from privacy.anonymity.kernels.order_segments import label_segments
from privacy.anonymity.kernels.point_moves import move_points

config: Any = numba.config
Kernel = Callable[..., Any]


class Kernels(NamedTuple):
    """The compiled kernels of the method *tree*."""

    partition_points: Kernel
    label_segments: Kernel
    fill_classes: Kernel
    write_labels_and_loss: Kernel
    move_points: Kernel
    improve_partition: Kernel


class MergingKernels(NamedTuple):
    """The compiled kernels that merge classes, for *bottom-up* and whatever joins classes until they keep the
    criteria."""

    fill_classes: Kernel
    merge_round: Kernel
    merge_violating: Kernel
    write_labels: Kernel


class ClusteringKernels(NamedTuple):
    """The compiled kernel of the method *k-member*."""

    fill_clusters: Kernel


@cache
def tree_kernels(folder: Path) -> Kernels:
    """Loads the kernels of *tree* from this folder in milliseconds, or compiles them first, for most of a minute."""
    return Kernels(
        *_load_or_compile(
            [
                partition_points,
                label_segments,
                fill_classes,
                write_labels_and_loss,
                move_points,
                improve_partition,
            ],
            folder,
        )
    )


@cache
def merging_kernels(folder: Path) -> MergingKernels:
    """Loads the kernels that merge classes from this folder, or compiles them first."""
    return MergingKernels(
        *_load_or_compile([fill_classes, merge_round, merge_violating, write_labels], folder)
    )


@cache
def clustering_kernels(folder: Path) -> ClusteringKernels:
    """Loads the kernel of *k-member* from this folder, or compiles it first."""
    return ClusteringKernels(*_load_or_compile([fill_clusters], folder))


def has_compiled(folder: Path) -> bool:
    """True if some process has compiled all kernels of these sources into this folder."""
    return _completion_file(folder).is_file()


@contextmanager
def compile_once(folder: Path) -> Iterator[None]:
    """Context manager: lets one process compile in its block; others wait for it and then load.

    A process that is killed leaves the lock to the next one.
    """
    if has_compiled(folder):
        yield
        return
    own = _version_folder(folder)
    own.mkdir(parents=True, exist_ok=True)
    with (own / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
        _completion_file(folder).touch()


def _completion_file(folder: Path) -> Path:
    return _version_folder(folder) / "complete"


def _version_folder(folder: Path) -> Path:
    return folder / f"anonymity-{_sources_version()}"


def _load_or_compile(functions: list[Any], folder: Path) -> list[Kernel]:
    """Loads functions from the cache, or compiles them; `folder` has a subfolder for each version of the sources.

    numba's own cache compares only the file of the function that is called, not those of the functions that this one
    calls.
    """
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_version_folder(folder))
    try:
        return [
            numba.njit(cache=True, nogil=True, error_model="numpy")(function.py_func)
            for function in functions
        ]
    finally:
        config.CACHE_DIR = before


def _sources_version() -> str:
    """Hash of numba's version and all sources of this folder."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    content = [numba.__version__.encode(), *(source.read_bytes() for source in sources)]
    return hashlib.sha256(b"".join(content)).hexdigest()[:16]
