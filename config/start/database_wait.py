"""Waits at the start for a PostgreSQL that does not answer yet, as after a reboot; meanwhile the ports answer
503."""

import json
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from config.start.process_supervisor import warn

PATIENCE = 300.0
"""Longest wait in seconds."""
RETRY_SECONDS = 10
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>This site is starting</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><h1>This site is starting</h1>
<p>Its database does not answer yet. What was saved is safe. Wait a minute, then try again.</p></html>"""
HEALTH = json.dumps({"ok": False, "database": {"ok": False, "says": "does not answer"}})


def wait_for_database(host: str, ports: Sequence[int]) -> None:
    """Waits until the database answers; raises OperationalError after five minutes."""
    from django.db import OperationalError, connection  # late for Django

    until, is_said = time.monotonic() + PATIENCE, False
    with ExitStack() as meanwhile:
        while True:
            try:
                connection.ensure_connection()
                return
            except OperationalError as error:
                if connection.vendor != "postgresql" or time.monotonic() >= until:
                    raise
                reason = " ".join(str(error).split())
            if not is_said:
                warn(f"The database does not answer ({reason}); trying for five minutes.")
                for port in ports:
                    meanwhile.enter_context(answer_not_ready(host, port))
            is_said = True
            time.sleep(1)


@contextmanager
def answer_not_ready(host: str, port: int) -> Iterator[None]:
    """Context manager: a server on this port answers 503 to every request during the block."""

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

        def handle_error(self, request: object, client_address: object) -> None:
            """Does nothing: the library would print the address of a client that disconnects."""

    with Server((host, port), NotReadyHandler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        try:
            yield
        finally:
            server.shutdown()


class NotReadyHandler(BaseHTTPRequestHandler):
    """Request handler: answers 503 to every request, with JSON for the health page; logs nothing."""

    timeout = 5
    LONGEST = 1 << 16

    def answer(self) -> None:
        # Whoever is still sending would read no answer.
        length = self.headers.get("Content-Length", "0")
        self.rfile.read(min(int(length), self.LONGEST) if length.isdecimal() else 0)
        is_health = self.path == "/healthz"
        body = (HEALTH if is_health else PAGE).encode()
        self.send_response_only(503)
        for name, value in {
            "Content-Type": "application/json" if is_health else "text/html; charset=utf-8",
            "Content-Length": str(len(body)),
            "Retry-After": str(RETRY_SECONDS),
            "Cache-Control": "no-store",
            "Connection": "close",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = answer  # noqa: N815 - the library's names

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass
