"""Where a request ends, read from its first bytes. gunicorn parses it; this only decides when to hand it over.

A wrong answer here cannot split or join requests: gunicorn's parser gets these bytes and never more, so what it reads
differently is refused by it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

HEAD = 32_768
"""Bytes of the longest request line and headers; gunicorn has finer limits of its own."""

END = b"\r\n\r\n"
FIELDS = re.compile(rb"\r\n(content-length|transfer-encoding|expect)[ \t]*:[ \t]*([^\r\n]*)", re.IGNORECASE)
TARGET = re.compile(rb"(?:\r\n)?[!-~]+ ([^ ?\r\n]*)")

LongestBody = Callable[[str], int]
"""The bytes of the longest body that this path takes."""


@dataclass(frozen=True, slots=True)
class WholeRequest:
    """The request is whole with so many bytes; `expects`: the client waits for "100 Continue" before its body."""

    length: int
    expects: bool = False


@dataclass(frozen=True, slots=True)
class EarlyAnswer:
    """The request is answered with this status without being read."""

    status: int
    reason: str


NO_LENGTH = EarlyAnswer(411, "Length Required")
TOO_LARGE = EarlyAnswer(413, "Content Too Large")
LONG_HEAD = EarlyAnswer(431, "Request Header Fields Too Large")
TOO_SLOW = EarlyAnswer(408, "Request Timeout")


def framing_of(received: bytes | bytearray, longest_body: LongestBody) -> WholeRequest | EarlyAnswer | None:
    """How long the request is that begins here; None while its head is not complete."""
    end = received.find(END)
    if end < 0 or end > HEAD:
        return LONG_HEAD if len(received) > HEAD else None
    head = bytes(received[: end + 2])
    fields = [(name.lower(), value.strip(b" \t")) for name, value in FIELDS.findall(head)]
    lengths = [value for name, value in fields if name == b"content-length"]
    # Browsers always say how long a body is; only then it is known when all of it is here.
    if any(name == b"transfer-encoding" for name, _ in fields):
        return NO_LENGTH
    body = 0
    # Anything but one number is refused by the parser, which needs the head alone for it.
    if len(lengths) == 1 and lengths[0].isdigit():
        if len(lengths[0]) > 18:
            return TOO_LARGE
        body = int(lengths[0])
    if body > longest_body(_path(head)):
        return TOO_LARGE
    expects = any(name == b"expect" and value.lower() == b"100-continue" for name, value in fields)
    return WholeRequest(end + len(END) + body, expects)


def _path(head: bytes) -> str:
    target = TARGET.match(head)
    return target[1].decode("latin-1") if target else ""
