"""A WSGI application that shows what reaches a thread; run by the tests of the web server."""

import hashlib
import tempfile
import time
from collections.abc import Iterable
from threading import Event
from typing import Any

LONG = 12_000_000
"""More than the kernel keeps for a connection."""

RELEASED = Event()


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
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
    if path == "/environ":
        known = "\n".join(f"{name}={value!s}" for name, value in environ.items()).encode()
        start_response("200 OK", [("Content-Length", str(len(known)))])
        return [known]
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    said = f"{environ['REQUEST_METHOD']} {path} {len(body)} {hashlib.sha256(body).hexdigest()}".encode()
    start_response("200 OK", [("Content-Length", str(len(said))), ("Content-Type", "text/plain")])
    return [said]
