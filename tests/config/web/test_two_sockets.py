"""Respondents wait for no staff, and staff for no respondents, where each have a socket."""

from pathlib import Path

import pytest

from tests import servers
from tests.config.web.conftest import Client, Served, served

pytestmark = pytest.mark.server
MANY = 20
"""More than there are threads."""


@pytest.mark.parametrize(("taken", "free"), [("/app/account/wait", "/a/x"), ("/a/wait", "/app/account/home")])
def test_no_page_of_one_socket_waits_for_pages_of_the_other(tmp_path: Path, taken: str, free: str) -> None:
    with served(tmp_path, two=True) as serving:
        ports = {True: serving.respondents_port, False: serving.port}
        waiting = [client_of(serving, ports[taken.startswith("/a/")]).get(taken) for _ in range(MANY)]
        for path in (free, "/static/x", "/healthz"):
            assert client_of(serving, ports[free.startswith("/a/")]).get(path).answer()[0] == 200
        assert all(client.is_open() for client in waiting)


def test_when_the_server_stops_nobody_is_left_on_either_socket(tmp_path: Path) -> None:
    with served(tmp_path, two=True) as serving:
        working = [client_of(serving, port).get("/work?1") for port in serving.ports]
        for port in serving.ports:
            assert client_of(serving, port).get("/").answer()[0] == 200
        serving.process.terminate()
        assert [client.answer()[0] for client in working] == [200, 200]
        assert serving.process.wait(servers.PATIENCE) == 0
        assert not any(map(servers.listening, serving.ports))


def client_of(serving: Served, port: int) -> Client:
    client = Client(port)
    serving.clients.append(client)
    return client
