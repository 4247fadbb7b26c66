"""What goes through the front comes out as it went in, however it is cut up; what cannot be is refused."""

import hashlib
from pathlib import Path

import pytest

from tests import servers
from tests.config.web.application import LONG
from tests.config.web.conftest import Client, Served, served

pytestmark = pytest.mark.server
UPLOAD = "/app/releases/new"


def said(method: str, path: str, body: bytes) -> tuple[int, bytes]:
    return 200, f"{method} {path} {len(body)} {hashlib.sha256(body).hexdigest()}".encode()


@pytest.mark.parametrize("size", [0, 1, 70_000, 5_000_000])
def test_a_body_arrives_whole(client: Client, size: int) -> None:
    body = bytes(range(256)) * (size // 256 + 1)
    body = body[:size]
    assert client.post(UPLOAD, size).send(body).answer() == said("POST", UPLOAD, body)


def test_a_request_in_single_bytes_is_the_same_request(client: Client) -> None:
    for byte in b"POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc":
        client.send(bytes([byte]))
    assert client.answer() == said("POST", "/p", b"abc")


def test_requests_sent_at_once_are_answered_in_their_order(client: Client) -> None:
    one = "GET /{} HTTP/1.1\r\nHost: a\r\n\r\n"
    client.send("".join(one.format(number) for number in range(50)))
    assert [client.answer() for _ in range(50)] == [said("GET", f"/{number}", b"") for number in range(50)]


def test_a_request_that_comes_while_another_is_worked_on_waits_for_it(client: Client) -> None:
    client.get("/work?0.2").post("/p", 3).send("a")
    assert client.answer() == said("GET", "/work", b"")
    assert client.send("bc").answer() == said("POST", "/p", b"abc")


def test_who_has_said_all_and_closes_that_side_is_answered(client: Client) -> None:
    client.get("/work?0.2")
    client.socket.shutdown(1)
    assert client.answer() == said("GET", "/work", b"")
    assert client.ended() == b""


def test_close_is_close(client: Client) -> None:
    assert client.get("/", "Connection: close").answer()[0] == 200
    assert client.ended() == b""


def test_an_old_client_s_connection_is_closed(client: Client) -> None:
    assert client.send("GET / HTTP/1.0\r\n\r\n").answer()[0] == 200
    assert client.ended() == b""


def test_who_waits_for_the_word_to_go_on_gets_it_once(client: Client) -> None:
    client.post("/p", 3, "Expect: 100-continue")
    assert client.answer() == (100, b"")
    assert client.send("abc").answer() == said("POST", "/p", b"abc")


@pytest.mark.parametrize("path", ["/file", "/stream"])
def test_a_long_answer_arrives_whole(client: Client, path: str) -> None:
    client.get(path, "Connection: close")
    assert len(client.ended()) >= LONG


def test_a_failure_is_answered_and_its_reason_kept_from_the_client(serving: Served, client: Client) -> None:
    status, body = client.get("/broken").answer()
    assert status == 500
    assert b"telltale" not in body
    assert "RuntimeError at" in serving.log.read_text()


def test_no_line_of_the_log_names_a_client_or_a_path(serving: Served, client: Client) -> None:
    client.send("hello\r\n\r\n").ended()
    serving.client().get("/broken").answer()
    serving.client().get("/file").close()
    logged = serving.log.read_text()
    assert "a request could not be answered" in logged
    assert "127.0.0.1" not in logged
    assert "/broken" not in logged


def test_a_head_does_not_name_the_server(client: Client) -> None:
    head, body = client.get("/", "Connection: close").ended().split(b"\r\n\r\n", 1)
    assert b"server" not in head.lower()
    assert b"waitress" not in head.lower()
    assert (200, body) == said("GET", "/", b"")


def test_what_has_begun_is_finished_when_the_server_stops(tmp_path: Path) -> None:
    with served(tmp_path, STOPPING=4) as stopping:
        working, half, idle = stopping.client(), stopping.client(), stopping.client()
        assert idle.get("/").answer()[0] == 200
        half.post("/p", 3).send("a")
        working.get("/work?1")
        # Behind it in the loop: once this one is answered, the other is in a thread.
        assert stopping.client().get("/").answer()[0] == 200
        stopping.process.terminate()
        assert half.send("bc").answer() == said("POST", "/p", b"abc")
        assert working.answer() == said("GET", "/work", b"")
        assert idle.ended() == b""
        assert stopping.process.wait(servers.PATIENCE) == 0
        assert not servers.listening(stopping.port)
