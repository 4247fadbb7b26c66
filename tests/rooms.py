"""The packages of the product, as pyproject.toml lists them."""

import tomllib

from tests import servers

_project = tomllib.loads((servers.ROOT / "pyproject.toml").read_text())
ROOMS: tuple[str, ...] = tuple(_project["tool"]["importlinter"]["root_packages"])
