"""What goes through the front comes out as it went in, however it is cut up; what cannot be is refused.

Respondents wait for no staff, and staff for no respondents, where each have a socket.
"""

import ast
import hashlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from tests import servers
from tests.config.web.conftest import LONG, Client, Served, serve
from ui import cookie_and_log_paths

pytestmark = pytest.mark.server
UPLOAD = "/app/releases/new"


def echo_of_request(method: str, path: str, body: bytes) -> tuple[int, bytes]:
    return 200, f"{method} {path} {len(body)} {hashlib.sha256(body).hexdigest()}".encode()


def test_body_arrives_whole(serving: Served) -> None:
    for size in (0, 1, 70_000, 5_000_000):
        body = (bytes(range(256)) * (size // 256 + 1))[:size]
        assert serving.client().post(UPLOAD, size).send(body).answer() == echo_of_request(
            "POST", UPLOAD, body
        ), size


def test_request_in_single_bytes_is_unchanged(client: Client) -> None:
    for byte in b"POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc":
        client.send(bytes([byte]))
    assert client.answer() == echo_of_request("POST", "/p", b"abc")
    # Who waits for the word to go on gets it once.
    client.post("/p", 3, "Expect: 100-continue")
    assert client.answer() == (100, b"")
    assert client.send("abc").answer() == echo_of_request("POST", "/p", b"abc")


def test_pipelined_requests_are_answered_in_order(client: Client) -> None:
    one = "GET /{} HTTP/1.1\r\nHost: a\r\n\r\n"
    client.send("".join(one.format(number) for number in range(50)))
    assert [client.answer() for _ in range(50)] == [
        echo_of_request("GET", f"/{number}", b"") for number in range(50)
    ]
    client.get("/work?0.2").post("/p", 3).send("a")
    assert client.answer() == echo_of_request("GET", "/work", b"")
    assert client.send("bc").answer() == echo_of_request("POST", "/p", b"abc")


def test_connection_to_close_closes_after_all_answers(serving: Served) -> None:
    """Somebody said so, has an old client, or has said all and closed that side."""
    closing = serving.client().get("/", "Connection: close")
    old = serving.client().send("GET / HTTP/1.0\r\n\r\n")
    half = serving.client().get("/work?0.2")
    half.socket.shutdown(1)
    for client, path in ((closing, "/"), (old, "/"), (half, "/work")):
        assert client.answer() == echo_of_request("GET", path, b"")
        assert client.receive_to_end() == b""


def test_long_answer_arrives_whole(serving: Served) -> None:
    for path in ("/file", "/stream"):
        assert len(serving.client().get(path, "Connection: close").receive_to_end()) >= LONG


def test_failure_is_answered_without_reason_client_or_path(serving: Served) -> None:
    status, body = serving.client().get("/broken").answer()
    assert (status, b"telltale" in body) == (500, False)
    serving.client().send("hello\r\n\r\n").receive_to_end()
    serving.client().get("/file").close()
    logged = serving.log.read_text()
    assert "RuntimeError at" in logged
    assert "a request could not be answered" in logged
    assert "127.0.0.1" not in logged
    assert "/broken" not in logged


def test_response_head_does_not_name_the_server(client: Client) -> None:
    head, body = client.get("/", "Connection: close").receive_to_end().split(b"\r\n\r\n", 1)
    assert b"server" not in head.lower()
    assert b"waitress" not in head.lower()
    assert (200, body) == echo_of_request("GET", "/", b"")


def test_next_answer_begins_at_once_after_a_head_request(client: Client) -> None:
    head, get = "{} / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    first, second, body = client.send(head.format("HEAD") + get).receive_to_end().split(b"\r\n\r\n")
    assert (first[:12], second[:12]) == (b"HTTP/1.1 200", b"HTTP/1.1 200")
    assert b"Content-Length: 73" in first
    assert (200, body) == echo_of_request("GET", "/", b"")


def test_begun_requests_finish_when_the_server_stops(tmp_path: Path) -> None:
    with serve(tmp_path, STOPPING=4) as stopping:
        working, half, idle = stopping.client(), stopping.client(), stopping.client()
        assert idle.get("/").answer()[0] == 200
        half.post("/p", 3).send("a")
        working.get("/work?1")
        # Behind it in the loop: once this one is answered, the other is in a thread.
        assert stopping.client().get("/").answer()[0] == 200
        stopping.process.terminate()
        assert half.send("bc").answer() == echo_of_request("POST", "/p", b"abc")
        assert working.answer() == echo_of_request("GET", "/work", b"")
        assert idle.receive_to_end() == b""
        assert stopping.process.wait(servers.PATIENCE) == 0
        assert not servers.is_port_listening(stopping.port)


# --- a socket for respondents ------------------------------------------------------------------------------


MANY = 20
"""More than there are threads."""


@pytest.mark.parametrize(("taken", "free"), [("/app/account/wait", "/a/x"), ("/a/wait", "/app/account/home")])
def test_pages_of_one_socket_do_not_wait_for_the_other(tmp_path: Path, taken: str, free: str) -> None:
    with serve(tmp_path, two=True) as serving:
        waiting = [serving.client(taken.startswith("/a/")).get(taken) for _ in range(MANY)]
        for path in (free, "/static/x", "/healthz"):
            assert serving.client(free.startswith("/a/")).get(path).answer()[0] == 200
        assert all(client.is_open() for client in waiting)


def test_stopping_server_leaves_nobody_on_either_socket(tmp_path: Path) -> None:
    with serve(tmp_path, two=True) as serving:
        working = [serving.client(of_respondents).get("/work?1") for of_respondents in (False, True)]
        for of_respondents in (False, True):
            assert serving.client(of_respondents).get("/").answer()[0] == 200
        serving.process.terminate()
        assert [client.answer()[0] for client in working] == [200, 200]
        assert serving.process.wait(servers.PATIENCE) == 0
        assert not any(map(servers.is_port_listening, serving.ports))


# --- long bodies come only to the paths whose views read files ---------------------------------------------


def views(resolver: Any, before: str = "/") -> Iterator[tuple[str, Any]]:
    """Every address of ours, with a number in each place for one, and the function behind it."""
    for each in resolver.url_patterns:
        part = re.sub(r"<int:\w+>", "7", str(each.pattern))
        if isinstance(each, URLResolver):
            yield from views(each, before + part)
        elif isinstance(each, URLPattern):
            yield before + part, inspect.unwrap(each.callback)


def reads_files(view: Any) -> bool:
    """Whether the view, or a function of its module that it calls, names the files of a request."""
    module = inspect.getmodule(view)
    if not inspect.isfunction(view) or module is None or "django" in module.__name__.split(".")[0]:
        return False
    body = ast.parse(inspect.getsource(module)).body
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    reached, waiting = set[str](), [view.__name__]
    while waiting:
        name = waiting.pop()
        if name in functions and name not in reached:
            reached.add(name)
            waiting += [node.id for node in ast.walk(functions[name]) if isinstance(node, ast.Name)]
    nodes = (node for name in reached for node in ast.walk(functions[name]))
    return any(isinstance(node, ast.Attribute) and node.attr == "FILES" for node in nodes)


@pytest.mark.page
def test_only_paths_that_read_files_take_long_bodies() -> None:
    found = {path: reads_files(view) for path, view in views(get_resolver())}
    assert sum(found.values()) >= 4
    takes = {path for path in found if cookie_and_log_paths.TAKES_FILES.fullmatch(path)}
    # Whose view is django-ninja's.
    of_the_api = {"/api/1/imports"}
    assert takes == {path for path, reads in found.items() if reads} | of_the_api
