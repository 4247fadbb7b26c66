"""Whether the disks of this instance can still be written."""

import os
import shutil
import tempfile
from pathlib import Path

from django.conf import settings

from jobs.health import HealthFinding

MEGABYTE = 1_000_000
# More than a file may hold that is nearly at an account's quota.
TRIAL = 64 * 1024


def free_space() -> HealthFinding:
    """Write a small file in each folder and look at the free space."""
    for folder in folders():
        try:
            write(folder)
            free = shutil.disk_usage(folder).free
        except OSError:
            return HealthFinding(False, "cannot be written")
        if free < settings.LEAST_FREE_MEGABYTES * MEGABYTE:
            return HealthFinding(False, "nearly full")
    return HealthFinding(True, "can be written")


def folders() -> set[Path]:
    places = {settings.VAR}
    database = settings.DATABASES["default"]
    if "sqlite" in database["ENGINE"]:
        places.add(Path(database["NAME"]).parent)
    return {folder for folder in places if folder.is_dir()}


def write(folder: Path) -> None:
    """Write a file without a name: it is gone at once, and also if this process is killed."""
    with tempfile.TemporaryFile(dir=folder) as trial:
        trial.write(os.urandom(TRIAL))
        trial.flush()
        os.fsync(trial.fileno())
