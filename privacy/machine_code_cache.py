"""Cache folder of compiled machine code, shared by processes; only this account can write there.

Somebody who writes into it runs code as this account; so a folder that somebody else could change
is not used.
"""

import atexit
import fcntl
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = (
    "mining/counting/counting_kernel.py",
    "mining/inference/*_kernel.py",
    "privacy/anonymity/kernels/*.py",
    "privacy/numba_compilation.py",
    "privacy/records/record_csv_row_kernel.py",
)
"""Source files of all compiled functions; numba alone would compare only a function's own file."""

INSTALLED = Path(sys.prefix) / "kernels"
"""Machine code that was compiled at the installation, as in the image of deploy/Containerfile; only read."""
UNUSED_DAYS = 60
"""Days after which unused machine code of other sources, versions or processors is deleted."""

_DIGEST = re.compile(r"[0-9a-f]{32}")
_others_write = stat.S_IWGRP | stat.S_IWOTH
_fallback: list[Path] = []


def set_fallback_folder(var: Path) -> None:
    """Sets the folder for cached machine code that is used if this account has no safe cache folder."""
    _fallback[:] = [var]


@cache
def cache_folder() -> Path:
    """Returns the cache folder for these sources, versions and this processor.

    It lies in NUMBA_CACHE_DIR if that is set; else in this account's cache (~/.cache/candor), in the folder
    of `set_fallback_folder`, or in a temporary one, whichever is the first safe one.
    """
    digest = _source_and_compiler_digest()
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        own = Path(given) / digest
        own.mkdir(mode=0o700, parents=True, exist_ok=True)
        return own
    caches = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not caches.is_absolute():
        caches = Path(os.environ.get("HOME", "")) / ".cache"
    bases = []
    if caches.is_absolute():
        caches = caches.resolve()  # a link of this account's own may lead elsewhere, and that is checked
        with suppress(OSError):
            if _is_unchangeable_by_others(
                caches if caches.exists() else caches.parent
            ) and _create_private_folder(caches):
                bases.append(caches / "candor")
    # Who can change VAR has the database anyway.
    bases += [var / "numba" for var in _fallback]
    for base in bases:
        if _create_private_folder(base) and _create_private_folder(base / digest):
            _copy_installed(base, digest)
            _delete_unused(base, digest)
            return base / digest
    own = Path(tempfile.mkdtemp(prefix="candor-kernels-"))
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return own


def has_compiled(name: str) -> bool:
    """Returns True if some process has compiled the functions of this name."""
    return (cache_folder() / f"{name}.done").is_file()


@contextmanager
def compile_once(name: str) -> Iterator[None]:
    """Context manager: lets one process compile the functions of this name; others wait, then load them.

    A process that is killed releases the lock to the next one, which loads compiled functions.
    """
    if has_compiled(name):
        yield
        return
    with (cache_folder() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
        (cache_folder() / f"{name}.done").touch()


def _source_and_compiler_digest() -> str:
    """Returns a hash of the sources of all compiled functions, the compiler's versions, and the processor."""
    from llvmlite import binding  # type: ignore[import-untyped]  # late for cost

    content = [path.read_bytes() for pattern in SOURCES for path in sorted(ROOT.glob(pattern))]
    versions = [metadata.version(package) for package in ("numba", "llvmlite", "numpy")]
    processor = [binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()]
    words = [sys.version, *versions, binding.get_process_triple(), *processor]
    parts = [hashlib.sha256(part).digest() for part in (*content, *map(str.encode, words))]
    return hashlib.sha256(b"".join(parts)).hexdigest()[:32]


def _is_unchangeable_by_others(path: Path) -> bool:
    """Returns True if nobody but root and this account can change the folder `path`, or replace it."""
    for place in (path, *path.parents):
        status = place.lstat()
        # In a sticky folder such as /tmp nobody else can rename what is ours.
        changeable = status.st_mode & _others_write and not (place != path and status.st_mode & stat.S_ISVTX)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid not in (0, os.geteuid()) or changeable:
            return False
    return True


def _create_private_folder(path: Path) -> bool:
    """Creates a folder if needed; returns True if it is no link, and only this account can write it."""
    with suppress(OSError):
        path.mkdir(mode=0o700, exist_ok=True)
        status = path.lstat()
        ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
        return ours and not status.st_mode & _others_write and os.access(path, os.W_OK | os.X_OK)
    return False


def _copy_installed(base: Path, digest: str) -> None:
    """Fills an empty cache folder with what was compiled at the installation for this processor."""
    if not (INSTALLED / digest).is_dir() or any((base / digest).iterdir()):
        return
    # Renamed as a whole: another process of this start may read or copy at the same time.
    with suppress(OSError), tempfile.TemporaryDirectory(dir=base, ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / digest
        shutil.copytree(INSTALLED / digest, copy)
        copy.chmod(0o700)
        copy.rename(base / digest)


def _delete_unused(base: Path, digest: str) -> None:
    """Deletes cached machine code of other versions of the sources that was not used for a long time."""
    now = time.time()
    os.utime(base / digest)
    with suppress(OSError):
        for other in base.iterdir():
            long_ago = other.lstat().st_mtime < now - UNUSED_DAYS * 86_400
            if _DIGEST.fullmatch(other.name) and not other.is_symlink() and long_ago:
                shutil.rmtree(other, ignore_errors=True)
