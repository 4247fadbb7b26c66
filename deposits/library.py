"""What of Candor a deposit carries, so that it can be checked without it: the library, its lock, and the R package."""

import io
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from zipfile import ZipFile, ZipInfo

from django.conf import settings

from intake.recordfiles.offer import FIRST_DAY

LIBRARY = ("privacy", "mining")
BESIDE = (
    *("deposits/__init__.py", "deposits/recomputation.py"),
    *(
        "runs/__init__.py",
        "runs/findings.py",
        "runs/result_rows.py",
        "runs/results.py",
        "runs/study_findings.py",
    ),
)
"""What a check imports beside the library; none of it imports Django."""
PACKAGES = ("llvmlite", "numba", "numpy", "pyarrow", "scipy")
"""What all of this imports."""


def bundled_files() -> dict[str, bytes]:
    root = Path(settings.BASE_DIR)
    r = [root / "r" / name for name in ("DESCRIPTION", "LICENSE", "NAMESPACE")] + [*(root / "r/R").iterdir()]
    return {
        **{
            path.name: path.read_bytes()
            for path in Path(__file__).with_name("bundled").iterdir()
            if path.is_file()
        },
        **{path.relative_to(root).as_posix(): path.read_bytes() for path in r},
        "library.zip": library_zip(),
        "requirements.txt": requirements((root / "requirements.lock").read_text()).encode(),
    }


@cache
def library_zip() -> bytes:
    """The same bytes at each making: sorted, without dates, and stored, since versions of zlib compress differently."""
    root, whole = Path(settings.BASE_DIR), io.BytesIO()
    modules = [path for package in LIBRARY for path in (root / package).rglob("*.py")]
    names = sorted({*BESIDE, *(path.relative_to(root).as_posix() for path in modules)})
    with ZipFile(whole, "w") as archive:
        for name in names:
            archive.writestr(ZipInfo(name, FIRST_DAY), (root / name).read_bytes())
    return whole.getvalue()


def requirements(lock: str) -> str:
    """The lines of the lock about these packages, with their hashes."""
    return "".join(_lines_of(lock, PACKAGES))


def _lines_of(lock: str, packages: tuple[str, ...]) -> Iterator[str]:
    wanted = False
    for line in lock.splitlines(keepends=True):
        if not line.startswith(" "):
            wanted = line.partition("==")[0] in packages
        if wanted:
            yield line
