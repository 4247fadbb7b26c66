"""The web server as the product starts it, with one process, and clients that are as slow as they like.

It serves the `application` of here, which shows what reaches a thread.
"""

import hashlib
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests import servers

LONG = 12_000_000
"""More than the kernel keeps for a connection."""
RELEASED, PATHS = Event(), list[str]()


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
    PATHS.append(path)
    if path == "/file":
        start_response("200 OK", [("Content-Length", str(LONG))])
        wrapper = environ["wsgi.file_wrapper"]
        file = tempfile.TemporaryFile()  # noqa: SIM115 - the server closes it
        file.truncate(LONG)
        long: Iterable[bytes] = wrapper(file)
        return long
    if path == "/stream":
        start_response("200 OK", [])
        return (b"x" * 100_000 for _ in range(LONG // 100_000))
    if path == "/work":
        time.sleep(float(environ["QUERY_STRING"]))
    if path.endswith("/wait"):
        RELEASED.wait()
    if path == "/static/release":
        RELEASED.set()
    if path == "/broken":
        raise RuntimeError("telltale")
    if path in ("/environ", "/paths"):
        lines = PATHS if path == "/paths" else [f"{name}={value!s}" for name, value in environ.items()]
        known = "\n".join(lines).encode()
        start_response("200 OK", [("Content-Length", str(len(known)))])
        return [known]
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    said = f"{environ['REQUEST_METHOD']} {path} {len(body)} {hashlib.sha256(body).hexdigest()}".encode()
    start_response("200 OK", [("Content-Length", str(len(said))), ("Content-Type", "text/plain")])
    return [said]


class Client:
    """One connection. `answer` reads one answer, `receive_to_end` waits until the other side has hung up."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=servers.PATIENCE)
        self.read = b""

    def send(self, data: bytes | str) -> "Client":
        self.socket.sendall(data.encode() if isinstance(data, str) else data)
        return self

    def get(self, path: str, *headers: str) -> "Client":
        return self.send("\r\n".join([f"GET {path} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""]))

    def post(self, path: str, length: int, *headers: str) -> "Client":
        """The head alone."""
        lines = [f"POST {path} HTTP/1.1", "Host: a", f"Content-Length: {length}", *headers]
        return self.send("\r\n".join([*lines, "", ""]))

    def receive_more(self) -> bool:
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            data = b""
        self.read += data
        return bool(data)

    def answer(self) -> tuple[int, bytes]:
        """The status and the body, of a length that the answer names."""
        while b"\r\n\r\n" not in self.read:
            assert self.receive_more(), f"hung up after {self.read!r}"
        head, self.read = self.read.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split()[1])
        fields = dict(line.lower().split(": ", 1) for line in lines[1:])
        length = 0 if status < 200 else int(fields["content-length"])
        while len(self.read) < length:
            assert self.receive_more(), "hung up in the middle of the answer"
        body, self.read = self.read[:length], self.read[length:]
        return status, body

    def receive_to_end(self) -> bytes:
        """All that came until the end."""
        while self.receive_more():
            pass
        return self.read

    def is_open(self) -> bool:
        """Whether the other side has neither answered nor hung up."""
        self.socket.setblocking(False)
        try:
            return bool(self.socket.recv(1, socket.MSG_PEEK)) and False
        except BlockingIOError:
            return True
        except OSError:
            return False
        finally:
            self.socket.settimeout(30)

    def close(self) -> None:
        self.socket.close()


@dataclass
class Served:
    port: int
    process: subprocess.Popen[bytes]
    log: Path
    clients: list[Client]
    respondents_port: int = 0

    @property
    def ports(self) -> list[int]:
        return [self.port, self.respondents_port]

    def client(self, of_respondents: bool = False) -> Client:
        client = Client(self.respondents_port if of_respondents else self.port)
        self.clients.append(client)
        return client

    def hang_up(self) -> None:
        """Close all clients."""
        while self.clients:
            self.clients.pop().close()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(servers.PATIENCE)


@contextmanager
def serve(folder: Path, *, two: bool = False, **constants: float) -> Iterator[Served]:
    """`two`: with a socket for respondents. `constants` of the server are set to other values."""
    port, log = servers.free_port(), folder / "web.log"
    words = [*servers.web(**constants), "--application", "tests.config.web.conftest"]
    words += ["--port", str(port), "--processes", "1"]
    respondents_port = servers.free_port() if two else 0
    words += ["--respondents-port", str(respondents_port)] if two else []
    with log.open("wb") as output:
        env = servers.environment()
        process = subprocess.Popen(
            words, cwd=servers.ROOT, env=env, stdout=output, stderr=output, start_new_session=True
        )
    serving = Served(port, process, log, [], respondents_port)
    try:
        for each in filter(None, serving.ports):
            servers.wait(partial(is_answering, each), "the server answering")
        yield serving
    finally:
        serving.hang_up()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def is_answering(port: int) -> bool:
    try:
        client = Client(port)
    except OSError:
        return False
    try:
        return client.get("/").answer()[0] == 200
    finally:
        client.close()


@pytest.fixture(scope="session")
def one_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("web")) as running:
        yield running


@pytest.fixture
def serving(one_server: Served) -> Iterator[Served]:
    yield one_server
    one_server.hang_up()


@pytest.fixture
def client(serving: Served) -> Client:
    return serving.client()
