import itertools
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import servers
from tests.config.backup.instance import Instance, Make

NUMBERS = itertools.count()


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def make(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Make:
    """New instances with one key, each on a machine of its own, all on SQLite or all on PostgreSQL.

    They are empty, `migrated`, or have the database of another one.
    """

    def made(*, migrated: bool = False, copy_of: Instance | None = None, **more: Any) -> Instance:
        var = tmp_path_factory.mktemp("var")
        servers.compile_kernels()
        if request.param == "sqlite":
            if migrated or copy_of:
                shutil.copy(copy_of.var / "candor.sqlite3" if copy_of else servers.migrated_file(), var)
            return Instance(var, {}, **more)
        server: servers.Postgres = request.getfixturevalue("postgres")
        template = server.migrated() if migrated else "template1"
        if copy_of:
            template = copy_of.database["DATABASE_URL"].rpartition("/")[2]
        url = server.create(f"backup_{next(NUMBERS)}", template)
        return Instance(var, {"DATABASE_URL": url}, **more)

    return made


@pytest.fixture
def embedded(tmp_path: Path) -> Instance:
    """A migrated one on SQLite."""
    shutil.copy(servers.migrated_file(), tmp_path)
    return Instance(tmp_path, {})
