"""A host that serves the folder of a survey's page, and may do what it should not."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type
from typing import Any


@dataclass
class Host:
    """`files`: what it serves below `/survey/`; `headers` and `statuses`: what it says beside them; by name.
    `always`: headers of each answer."""

    port: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    always: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        return f"{self.origin}/survey/"

    @property
    def digest(self) -> str:
        return sha256(self.files["SHA256SUMS"]).hexdigest()

    def serve(self, **files: bytes) -> None:
        """Serves these files, with a list of them."""
        self.files = with_sums({name.replace("_", "."): content for name, content in files.items()})


def with_sums(files: Mapping[str, bytes]) -> dict[str, bytes]:
    lines = "".join(f"{sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))
    return {**files, "SHA256SUMS": lines.encode()}


@contextmanager
def serving() -> Iterator[Host]:
    host = Host()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.partition("?")[0].removeprefix("/survey/")
            host.asked.append(name)
            content = host.files.get(name or "index.html")
            self.send_response(host.statuses.get(name, 200 if content is not None else 404))
            kind = guess_type(name or "index.html")[0] or "application/octet-stream"
            said = {"Content-Type": kind, **host.always, **host.headers.get(name, {})}
            for key, value in said.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    host.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
