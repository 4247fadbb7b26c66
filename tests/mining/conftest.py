"""PostgreSQL databases that are migrated once: a copy takes a tenth of a second, the migrations take seconds."""

from collections.abc import Callable

import pytest

from tests import servers

Migrated = Callable[[str], dict[str, str]]
"""Makes a database of this name; the environment of a process that uses it."""


@pytest.fixture(scope="session")
def migrated(postgres: servers.Postgres, tmp_path_factory: pytest.TempPathFactory) -> Migrated:
    var = tmp_path_factory.mktemp("var")
    servers.share_kernels(var)
    return lambda name: servers.environment(
        DATABASE_URL=postgres.create(name, postgres.migrated()), VAR=str(var)
    )
