"""Slow senders and slow readers without a proxy: they hold no thread, and are hung up on once they do nothing.

No test here measures seconds: those that ask for pages while others dribble see that nobody was hung up on meanwhile.
"""

import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from tests import servers
from tests.config.web.conftest import LONG, Client, Served, serve
from tests.intake import asked
from tests.intake.conftest import live_survey

pytestmark = pytest.mark.server
FOREVER = 600
SLOW = 200


@pytest.fixture(scope="module")
def both_kinds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Served]]:
    """One that waits for slow people, and one with room for twenty that hangs up on them."""
    with (
        serve(tmp_path_factory.mktemp("patient"), IDLE=FOREVER) as patient,
        serve(tmp_path_factory.mktemp("hasty"), IDLE=2, CONNECTIONS=20) as hasty,
    ):
        yield patient, hasty


@pytest.fixture
def patient_server(both_kinds: tuple[Served, Served]) -> Iterator[Served]:
    yield both_kinds[0]
    is_left(both_kinds[0])


@pytest.fixture
def hasty_server(both_kinds: tuple[Served, Served]) -> Iterator[Served]:
    yield both_kinds[1]
    is_left(both_kinds[1])


def is_left(serving: Served) -> None:
    serving.hang_up()
    servers.wait(lambda: files_without_a_name(serving.process.pid) == 0, "the files being closed")


def reader_of_little(serving: Served) -> Client:
    """What is sent to it stays on the other side: no more than some kilobytes have room on this one."""
    client = serving.client()
    client.close()
    client.socket = socket.socket()
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
    client.socket.settimeout(30)
    client.socket.connect(("127.0.0.1", serving.port))
    return client


def test_pages_are_answered_while_hundreds_send_slowly(tmp_path: Path) -> None:
    with live_survey(tmp_path, asked.design(), {}, pages=True, IDLE=FOREVER) as living, ExitStack() as at_end:
        slow = [at_end.enter_context(closing(Client(living.port))) for _ in range(SLOW)]
        head = f"POST /a/{living.slug}/record HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 300\r\n"
        for number, client in enumerate(slow):
            client.send(head if number % 2 else f"{head}\r\n{{")
        for path in ["/", f"/a/{living.slug}", "/app/account/sign-in", "/app/limits"]:
            for client in slow:
                client.send(" ")
            with closing(Client(living.port)) as reader:
                said = reader.get(path, "Connection: close").receive_to_end()
            assert said.startswith(b"HTTP/1.1 200 ")
        assert living.post([living.envelope(1)]) == [201]
        assert all(client.is_open() for client in slow)


@pytest.mark.parametrize("path", ["/file", pytest.param("/stream", marks=pytest.mark.night)])
def test_requests_are_answered_while_many_clients_read_nothing(patient_server: Served, path: str) -> None:
    for _ in range(20):
        reader_of_little(patient_server).get(path, "Connection: close")
    for _ in range(10):
        assert patient_server.client().get("/").answer()[0] == 200
    # All of it waits for them: none was hung up on.
    for slow in patient_server.clients[:3]:
        assert len(slow.receive_to_end()) >= LONG


@pytest.mark.night
def test_client_reading_nothing_has_one_answer_in_transit(patient_server: Served) -> None:
    request = "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"
    slow = reader_of_little(patient_server).send(request + "GET /p HTTP/1.0\r\n\r\n")
    assert patient_server.client().get("/").answer()[0] == 200
    received = slow.receive_to_end()
    assert len(received) >= LONG
    assert received.count(b"HTTP/1.") == 1  # a streamed answer ends its connection


@pytest.mark.night
def test_client_reading_nothing_is_disconnected(hasty_server: Served) -> None:
    slow = reader_of_little(hasty_server).get("/stream")
    servers.wait(lambda: files_without_a_name(hasty_server.process.pid) == 1, "the answer going to a file")
    servers.wait(lambda: files_without_a_name(hasty_server.process.pid) == 0, "the file being closed")
    assert len(slow.receive_to_end()) < LONG


def test_long_answers_and_uploads_wait_in_unnamed_files_and_records_in_none(patient_server: Served) -> None:
    patient_server.client().post("/a/x/record", 65_536).send(b"x" * 65_000)
    assert patient_server.client().get("/").answer()[0] == 200
    assert files_without_a_name(patient_server.process.pid) == 0
    upload = patient_server.client().post("/app/releases/new", 2_000_000).send(b"x" * 1_900_000)
    servers.wait(lambda: files_without_a_name(patient_server.process.pid) == 1, "the upload going to a file")
    upload.send(b"x" * 100_000).answer()
    servers.wait(lambda: files_without_a_name(patient_server.process.pid) == 0, "the file being closed")
    slow = reader_of_little(patient_server).get("/stream", "Connection: close")
    servers.wait(lambda: files_without_a_name(patient_server.process.pid) == 1, "the answer going to a file")
    assert len(slow.receive_to_end()) >= LONG
    servers.wait(lambda: files_without_a_name(patient_server.process.pid) == 0, "the file being closed")


def files_without_a_name(pid: int) -> int:
    """Those that the process and its children have open."""
    count = 0
    for link in (link for one in servers.family(pid) for link in Path(f"/proc/{one}/fd").iterdir()):
        with suppress(FileNotFoundError):  # it was closed meanwhile
            target = str(link.readlink())
            count += target.startswith(tempfile.gettempdir()) and target.endswith("(deleted)")
    return count


SLOW_REQUESTS = {
    "nothing": "",
    "half a head": "POST / HTTP/1.1\r\nHost",
    "no body": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
    "half a body": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc",
}


def test_incomplete_request_is_ended(hasty_server: Served) -> None:
    clients = {name: hasty_server.client().send(begun) for name, begun in SLOW_REQUESTS.items()}
    assert {name: client.receive_to_end() for name, client in clients.items()} == dict.fromkeys(clients, b"")


def test_full_server_answers_again_once_connections_end(hasty_server: Served) -> None:
    for _ in range(40):
        hasty_server.client().send("GET / HT")
    assert hasty_server.client().get("/").answer()[0] == 200


def test_stopping_server_waits_for_no_slow_sender(tmp_path: Path) -> None:
    with serve(tmp_path, IDLE=FOREVER, STOPPING=0.5) as serving:
        slow = serving.client().post("/", 9).send("abc")
        assert serving.client().get("/").answer()[0] == 200
        assert serving.stop() == 0
        slow.receive_to_end()
