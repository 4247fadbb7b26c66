import pytest

from tests import servers


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> dict[str, str]:
    """The environment of a fresh database, once on each."""
    if request.param == "sqlite":
        return {}
    server: servers.Postgres = request.getfixturevalue("postgres")
    return {"DATABASE_URL": server.create(f"intake_{servers.free_port()}")}
