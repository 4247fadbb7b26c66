"""Slow senders and slow readers: they hold no thread, they are hung up on in time, and the slowest give way.

No test here measures seconds: those that ask for pages while others dribble see that nobody was hung up on meanwhile.
"""

import socket
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests import servers
from tests.config.front.application import LONG
from tests.config.front.served import Client, Served, served
from tests.intake import asked
from tests.intake.live_survey import live_survey

pytestmark = pytest.mark.server
FOREVER = 600.0
SLOW = 200


def reader_of_little(serving: Served) -> Client:
    """What is sent to it stays on the other side: no more than some kilobytes have room on this one."""
    client = serving.client()
    client.close()
    client.socket = socket.socket()
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
    client.socket.settimeout(30)
    client.socket.connect(("127.0.0.1", serving.port))
    return client


def test_pages_are_answered_while_hundreds_dribble(tmp_path: Path) -> None:
    config = tmp_path / "gunicorn.conf.py"
    config.write_text(
        "from pathlib import Path\nexec(Path('config/gunicorn.py').read_text())\n"
        f"from config.front import worker\nworker.READING = {FOREVER}\n"
    )
    with (
        live_survey(tmp_path, asked.design(), {}, config=config, pages=True) as living,
        ExitStack() as at_end,
    ):
        slow = [at_end.enter_context(closing(Client(living.port))) for _ in range(SLOW)]
        head = f"POST /a/{living.slug}/record HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 300\r\n"
        for number, client in enumerate(slow):
            client.send(head if number % 2 else f"{head}\r\n{{")
        for path in ["/", f"/a/{living.slug}", "/account/sign-in", "/limits"]:
            for client in slow:
                client.send(" ")
            with closing(Client(living.port)) as reader:
                said = reader.get(path, "Connection: close").ended()
            assert said.startswith(b"HTTP/1.1 200 ")
        assert living.post([living.envelope(1)]) == [201]
        assert all(client.is_open() for client in slow)


@pytest.mark.parametrize("path", ["/file", "/stream"])
def test_requests_are_answered_while_many_read_nothing(tmp_path: Path, path: str) -> None:
    with served(tmp_path, SENDING=FOREVER, ROOM=2 * LONG, MEMORY=100 * LONG) as serving:
        for _ in range(20):
            reader_of_little(serving).get(path, "Connection: close")
        for _ in range(10):
            assert serving.client().get("/").answer()[0] == 200
        # All of it waits for them: none was hung up on.
        for slow in serving.clients[:3]:
            assert len(slow.ended()) >= LONG


def test_a_download_longer_than_the_room_waits_for_its_reader_and_arrives(tmp_path: Path) -> None:
    with served(tmp_path, ROOM=100_000) as serving:
        slow = reader_of_little(serving).get("/stream", "Connection: close")
        assert len(slow.ended()) >= LONG


def test_who_reads_nothing_is_hung_up_on_and_the_thread_is_free_again(tmp_path: Path) -> None:
    with served(tmp_path, threads=1, ROOM=100_000, SENDING=0.5, SLOWEST=1_000_000_000) as serving:
        slow = reader_of_little(serving).get("/stream")
        assert serving.client().get("/").answer()[0] == 200
        assert len(slow.ended()) < LONG


SLOW_REQUESTS = {
    "nothing": "",
    "half a head": "POST / HTTP/1.1\r\nHost",
    "no body": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
    "half a body": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc",
}


@pytest.mark.parametrize("begun", SLOW_REQUESTS.values(), ids=SLOW_REQUESTS)
def test_a_request_that_does_not_become_whole_is_ended(tmp_path: Path, begun: str) -> None:
    with served(tmp_path, READING=0.5) as serving:
        said = serving.client().send(begun).ended()
        assert said.startswith(b"HTTP/1.1 408 ") if begun else said == b""


def test_single_bytes_buy_no_time(tmp_path: Path) -> None:
    with served(tmp_path, READING=1.0, SLOWEST=10_000) as serving:
        client = serving.client().post("/", 1_000_000)
        client.socket.settimeout(0.02)
        while True:
            try:
                client.send("x")
                if not client.more():
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        assert client.read == b"" or client.read.startswith(b"HTTP/1.1 408 ")


def test_where_there_are_too_many_the_slowest_give_way(tmp_path: Path) -> None:
    with served(tmp_path, connections=20, READING=FOREVER) as serving:
        slow = [serving.client().send("GET / HT") for _ in range(19)]
        assert serving.client().get("/").answer()[0] == 200
        newest = [serving.client().send("GET / HT") for _ in range(15)]
        assert serving.client().get("/").answer()[0] == 200
        servers.wait(
            lambda: not any(one.is_open() for one in slow[:10]), "the first of them being hung up on"
        )
        assert all(one.is_open() for one in newest)


def test_where_too_much_waits_in_memory_those_with_much_give_way(tmp_path: Path) -> None:
    with served(tmp_path, MEMORY=1_000_000, READING=FOREVER) as serving:
        little = [serving.client().send("GET / HT") for _ in range(10)]
        heavy = [serving.client().post("/", 900_000).send(b"x" * 400_000) for _ in range(4)]
        servers.wait(lambda: not all(one.is_open() for one in heavy), "some of them being hung up on")
        assert serving.client().get("/").answer()[0] == 200
        assert all(one.is_open() for one in little)
        assert any(one.is_open() for one in heavy)


def test_a_stopping_server_waits_for_no_dribbler(tmp_path: Path) -> None:
    with served(tmp_path, READING=FOREVER, STOPPING=0.5) as serving:
        slow = serving.client().post("/", 9).send("abc")
        assert serving.client().get("/").answer()[0] == 200
        assert serving.stop() == 0
        slow.ended()
