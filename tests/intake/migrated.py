"""Databases migrated as in production: once for this process of pytest, then copied."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from tests import servers

SQLITE = "candor.sqlite3"


def prepare(env: dict[str, str]) -> None:
    """A migrated database where this environment has it; one that is there already is migrated itself."""
    var, address = Path(env["VAR"]), env.get("DATABASE_URL")
    if address is None and not (var / SQLITE).exists():
        var.mkdir(parents=True, exist_ok=True)
        shutil.copy(_sqlite(), var / SQLITE)
    elif address not in _copies:
        servers.manage(env, "migrate", "-v", "0")


def postgresql(server: servers.Postgres, name: str) -> str:
    """The address of a new database, a copy of a migrated one."""
    address = server.create(name, _template(server))
    _copies.add(address)
    return address


_copies: set[str] = set()


@cache
def _sqlite() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="candor-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    servers.manage(servers.environment(VAR=str(folder)), "migrate", "-v", "0")
    return folder / SQLITE


@cache
def _template(server: servers.Postgres) -> str:
    name = f"migrated_{servers.free_port()}"
    with servers.folder() as var:
        env = servers.environment(VAR=str(var), DATABASE_URL=server.create(name))
        servers.manage(env, "migrate", "-v", "0")
    return name
