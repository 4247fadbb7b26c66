from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from tests import servers
from tests.cast import cast, db, owner, reviewer, signed_in_as, stranger, superuser
from tests.intake.live_survey import LiveServer, live_server
from tests.surveys.conftest import allow, client, draft, invited, survey, works_on

__all__ = ["cast", "db", "owner", "reviewer", "signed_in_as", "stranger", "superuser"]
__all__ += ["allow", "client", "draft", "invited", "survey", "works_on"]

Shared = Callable[[str], LiveServer]


@pytest.fixture(scope="session")
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """A server on this database, which other tests use too."""
    with ExitStack() as at_end:

        @cache
        def on(name: str) -> LiveServer:
            database = {}
            if name == "postgresql":
                postgres: servers.Postgres = request.getfixturevalue("postgres")
                database["DATABASE_URL"] = postgres.create("intake", postgres.migrated())
            return at_end.enter_context(live_server(tmp_path_factory.mktemp(name), database))

        yield on


@pytest.fixture(params=[pytest.param("sqlite", marks=pytest.mark.night), "postgresql"])
def server(shared: Shared, request: pytest.FixtureRequest) -> LiveServer:
    """One that other tests use too, at night on each database: a test opens surveys of its own."""
    return shared(request.param)
