"""Cache of the compiled loops: the folder that a command keeps them in."""

import os
from pathlib import Path


def folder() -> Path:
    """Returns the folder: numba's own setting, or one of this person's."""
    return Path(os.environ.get("NUMBA_CACHE_DIR") or Path.home() / ".cache" / "candor" / "numba")
