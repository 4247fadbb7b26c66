"""Compiles or loads all numba kernels (compiled loops) that jobs need: `python -m mining.compile_kernels`.

Each compiled kernel is saved at once, so a process that is killed leaves only the rest to the next one.
"""

import errno
import os
import sys
from collections.abc import Callable
from functools import partial

from mining.counting import load_counting_loop
from privacy import machine_code_cache
from privacy.anonymity.table_anonymisation import DEFAULT_KERNELS, load_default_kernels

NO_ROOM = 73
"""Exit status if compiled kernels cannot be saved, since the disk is full or read-only."""
EXTRA_NICENESS = 10
"""Amount added to the niceness before the kernels of anonymised tables, for which only a first release waits."""


def load_score_test() -> None:
    from mining.inference import score_test_kernel  # late for cost

    score_test_kernel.load_machine_code()


def load_score_moments() -> None:
    from mining.inference import estimate_kernel  # late for cost

    estimate_kernel.load_machine_code()


def load_csv_splitter() -> None:
    from privacy.records import record_csv_row_kernel  # late for cost

    record_csv_row_kernel.load_machine_code()


KERNELS: dict[str, Callable[[], object]] = {
    "counting": load_counting_loop,
    "score-test": load_score_test,
    "score-moments": load_score_moments,
    "record-files": load_csv_splitter,
    "counting-by-code": partial(load_counting_loop, by_code=True),
    DEFAULT_KERNELS: load_default_kernels,
}
"""Function that loads each kernel, by the kernel's name, in the order of compilation."""


def are_all_kernels_compiled() -> bool:
    """Returns True if every kernel is compiled already, so that `load_all_kernels` only loads them."""
    return all(map(machine_code_cache.has_compiled, KERNELS))


def load_all_kernels() -> None:
    """Loads all kernels; compiles them first, for more than a minute, if no process has yet."""
    for load in KERNELS.values():
        load()


def main() -> int:
    try:
        for name, load_kernels in KERNELS.items():
            if name == DEFAULT_KERNELS:
                os.nice(EXTRA_NICENESS)
            load_kernels()
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS):
            raise
        print(f"kernels cannot be kept in {error.filename}: {error.strerror}", file=sys.stderr)
        return NO_ROOM
    return 0


if __name__ == "__main__":
    sys.exit(main())
