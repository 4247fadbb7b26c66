"""Whether the disks that hold what this instance keeps can still be written."""

import os
import shutil
import tempfile
from pathlib import Path

from django.conf import settings

from jobs.health import Finding

MEGABYTE = 1_000_000
# More than a file may hold that is nearly at an account's quota.
TRIAL = 64 * 1024


def room() -> Finding:
    """Writes a small file in each folder and looks how much room there is beside it."""
    for folder in folders():
        try:
            write(folder)
            free = shutil.disk_usage(folder).free
        except OSError:
            return Finding(False, "cannot be written")
        if free < settings.LEAST_FREE_MEGABYTES * MEGABYTE:
            return Finding(False, "nearly full")
    return Finding(True, "can be written")


def folders() -> set[Path]:
    found = {settings.VAR}
    database = settings.DATABASES["default"]
    if "sqlite" in database["ENGINE"]:
        found.add(Path(database["NAME"]).parent)
    return {folder for folder in found if folder.is_dir()}


def write(folder: Path) -> None:
    """Gone at once, and gone too if this process is killed meanwhile: it has no name."""
    with tempfile.TemporaryFile(dir=folder) as trial:
        trial.write(os.urandom(TRIAL))
        trial.flush()
        os.fsync(trial.fileno())
