"""The kernels that Python calls, compiled once and cached on disk; what they call is part of their machine code."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numba

from privacy.anonymity.kernels.classes import begin, finish
from privacy.anonymity.kernels.clustering import cluster
from privacy.anonymity.kernels.merging import members, merge_round, merge_violating
from privacy.anonymity.kernels.moving import settle
from privacy.anonymity.kernels.repartition import improve, partition
from privacy.anonymity.kernels.segments import label

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
    """Most of a minute the first time, milliseconds after that."""
    return Kernels(*_cached([partition, label, begin, finish, settle, improve], folder))


@cache
def compiled_merging(folder: Path) -> MergingKernels:
    return MergingKernels(*_cached([begin, merge_round, merge_violating, members], folder))


@cache
def compiled_clustering(folder: Path) -> ClusteringKernels:
    return ClusteringKernels(*_cached([cluster], folder))


def has_compiled(folder: Path) -> bool:
    """Whether some process has compiled kernels of these sources."""
    return _own(folder).is_dir()


def _own(folder: Path) -> Path:
    return folder / f"anonymity-{_version()}"


def _cached(functions: list[Any], folder: Path) -> list[Kernel]:
    """`folder` holds one folder for each version of the sources.

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
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]
