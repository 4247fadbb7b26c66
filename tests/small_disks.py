"""Small file systems of one's own, which a test fills. Mounting needs root."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests import servers


@cache
def can_mount() -> bool:
    """Whether this account may: root, where no container forbids it."""
    return os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "true"]).returncode == 0


@contextmanager
def mount_tmpfs(folder: Path, options: str) -> Iterator[Path]:
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill_file_system(folder: Path) -> Path:
    """Leaves no byte on this file system."""
    filling = folder / "filling"
    with filling.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return filling


def move_to_disk(server: servers.Postgres, database: str, disk: Path) -> None:
    """The tables of this database lie there from now on, the log of its transactions where it was."""
    place = disk / "place"
    place.mkdir()
    disk.chmod(0o755)
    shutil.chown(place, server.user or "postgres")
    where = ["-h", "127.0.0.1", "-p", str(server.port), "-U", "candor", "-d", "postgres"]
    for words in (
        f"CREATE TABLESPACE small LOCATION '{place}'",
        f"ALTER DATABASE {database} SET TABLESPACE small",
    ):
        server.run("psql", *where, "-c", words)
