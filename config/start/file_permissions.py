"""Closes the instance's files to other accounts: anybody who can read a session key can sign in with it."""

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

UMASK = 0o077
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def protected_paths(settings: Any) -> list[Path]:
    """Returns the paths that other accounts must not open: state folder, SQLite database, files of mail."""
    found = [settings.VAR]
    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        found += [Path(f"{database['NAME']}{end}") for end in ("", "-wal", "-shm", "-journal")]
    # That folder may be anybody's; Django's letters in it are named by their time.
    mail = getattr(settings, "EMAIL_FILE_PATH", None)
    found += sorted(Path(mail).glob("[0-9]*-[0-9]*-*.log")) if mail else []
    return [path for path in found if path == settings.VAR or settings.VAR not in path.parents]


def paths_open_to_others(paths: Iterable[Path]) -> Iterator[Path]:
    """Yields the files and folders that other accounts can access; a closed folder hides its content."""
    for path in paths:
        mode = _mode(path)
        if mode is None or not mode & OTHERS:
            continue
        yield path
        if stat.S_ISDIR(mode):
            yield from paths_open_to_others(_entries(path))


def close_to_others(paths: Iterable[Path]) -> None:
    """Removes the access of other accounts to files and whole folders; skips files of other owners."""
    for path in paths:
        mode = _mode(path)
        if mode is None:
            continue
        if mode & OTHERS:
            with contextlib.suppress(OSError):
                path.chmod(stat.S_IMODE(mode) & ~OTHERS)
        if stat.S_ISDIR(mode):
            close_to_others(_entries(path))


def _mode(path: Path) -> int | None:
    """Returns the file mode; None for a missing file or a symbolic link."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return None
    return None if stat.S_ISLNK(mode) else mode


def _entries(folder: Path) -> list[Path]:
    """Returns the files and folders in a folder; none if it cannot be read."""
    try:
        return [Path(entry) for entry in os.scandir(folder)]
    except OSError:
        return []
