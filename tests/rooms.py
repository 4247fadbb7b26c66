"""The packages of the product, as pyproject.toml lists them, and their files."""

import tomllib
from functools import cache
from pathlib import Path

from tests import servers

_project = tomllib.loads((servers.ROOT / "pyproject.toml").read_text())
ROOMS: tuple[str, ...] = tuple(_project["tool"]["importlinter"]["root_packages"])
_SOURCES = (*ROOMS, "static", "r", "docs")


@cache
def files(ending: str) -> tuple[Path, ...]:
    """The product's own, in order; what is installed beside them (.venv, node_modules) is not looked through."""
    top = servers.ROOT.glob(f"*{ending}")
    return tuple(
        sorted([*top, *(file for room in _SOURCES for file in (servers.ROOT / room).rglob(f"*{ending}"))])
    )
