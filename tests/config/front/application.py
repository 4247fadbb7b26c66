"""A WSGI application that shows what reaches a thread; run by the tests of the front."""

import hashlib
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

LONG = 12_000_000
"""More than the kernel keeps for a connection."""


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
    if path == "/file":
        start_response("200 OK", [("Content-Length", str(LONG))])
        wrapper = environ["wsgi.file_wrapper"]
        found: Iterable[bytes] = wrapper(Path("/dev/zero").open("rb"))  # noqa: SIM115 - the server closes it
        return found
    if path == "/stream":
        start_response("200 OK", [])
        return (b"x" * 100_000 for _ in range(LONG // 100_000))
    if path == "/work":
        time.sleep(float(environ["QUERY_STRING"]))
    if path == "/broken":
        raise RuntimeError("telltale")
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    said = f"{environ['REQUEST_METHOD']} {path} {len(body)} {hashlib.sha256(body).hexdigest()}".encode()
    start_response("200 OK", [("Content-Length", str(len(said))), ("Content-Type", "text/plain")])
    return [said]
