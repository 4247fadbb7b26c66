"""Checks that a survey's page is served as it was frozen: gets its files as any browser does, and compares each.

    python3 check_page.py https://ethics.example.edu/survey/ DIGEST

The address is the page's own, as people get it. DIGEST stands on the study sheet and on the start page of the survey:
the SHA-256 of SHA256SUMS, which lists the page's files. Each difference is one line. Exit status: 0 without a
difference, 1 with one, 2 if the page could not be compared. Python (3.9 or later) is all that it needs.

It sees what the host serves to this computer now. It cannot see another page for one person, or for everybody but who
compares, whether Candor was changed before it made the files, what a cache elsewhere serves, what an earlier page of
the same host left in a browser, and files that lie beside those of SHA256SUMS.
"""

import json
import re
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Event, Timer
from typing import NamedTuple
from urllib.parse import urlsplit

SUMS, PAGE, DESIGN = "SHA256SUMS", "index.html", "design.json"
LINE = re.compile(r"([0-9a-f]{64})  ([\w.-]+(?:/[\w.-]+)*)", re.ASCII)
DIGEST = re.compile(r"[0-9a-f]{64}")
MOST_BYTES = 1_000_000
SECONDS = 30
TYPES = {
    "html": ("text/html",),
    "js": ("text/javascript", "application/javascript"),
    "css": ("text/css",),
    "json": ("application/json",),
    "svg": ("image/svg+xml",),
}
"""Content types under which browsers use a file, by the end of its name."""
CHARSET = re.compile(r"charset\s*=\s*[\"']?(?!utf-?8\b)", re.IGNORECASE)
TELLS = "lets people's browsers tell when they send an answer"
ACTING = {
    "content-security-policy-report-only": TELLS,
    "clear-site-data": "deletes what people's browsers keep for this page",
    "link": "adds files to the page",
    "refresh": "leads people to another page",
    "report-to": TELLS,
    "reporting-endpoints": TELLS,
    "set-cookie": "marks people's browsers",
    "speculation-rules": "lets people's browsers load other pages",
}
"""Headers by which an answer does more than its bytes say."""
BROWSER = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 "
    "Safari/537.36",
    "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
    "Accept-Encoding": "identity",
    "Accept-Language": "en",
    "Connection": "close",
}


@dataclass(frozen=True)
class Answer:
    """An HTTP answer; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Difference(NamedTuple):
    """A difference of one file, of which the empty name is the address of the page."""

    name: str
    sentence: str


Fetch = Callable[[str], Answer]
"""Gets a file by its name in the folder; the empty name is the folder's own address."""


def parse_sums(sums: bytes) -> dict[str, str]:
    """Returns the digests of the page's files by name; raises ValueError if the text is no such list."""
    matches = [LINE.fullmatch(line) for line in sums.decode().splitlines()]
    digests = {match[2]: match[1] for match in matches if match}
    if PAGE not in digests or len(digests) != len(matches):
        raise ValueError(f"{SUMS} is no list of a page's files")
    return digests


def page_differences(fetch: Fetch, page: str, sums: bytes, origin: str) -> Iterator[Difference]:
    """Yields each difference between what is served and the frozen page.

    `page`: name of the page in its address, often empty. `sums`: the frozen SHA256SUMS. `origin`: the site that serves.
    """
    digests = parse_sums(sums)
    expected = {SUMS: sha256(sums).hexdigest(), **digests, page: digests[PAGE]}
    for name, digest in expected.items():
        answer = fetch(name)
        yield from file_differences(name, answer, digest)
        if name == DESIGN and sha256(answer.body).hexdigest() == digest:
            host = json.loads(answer.body).get("asked_at", {}).get("host")
            if host and host != origin:
                yield Difference(name, f"this page belongs to {host}, not to {origin}")


def file_differences(name: str, answer: Answer, digest: str) -> Iterator[Difference]:
    """Yields each difference between a file as it is answered and the file with this SHA-256."""
    for sentence in _sentences(name, answer, digest):
        yield Difference(name, sentence)


def _sentences(name: str, answer: Answer, digest: str) -> Iterator[str]:
    shown = name or "the address of the page"
    headers = answer.headers
    if 300 <= answer.status < 400:
        yield f"{shown} leads on to {headers.get('location', 'another address')!r}"
        return
    if answer.status != 200:
        yield f"{shown} is answered with {answer.status}"
        return
    if len(answer.body) > MOST_BYTES:
        yield f"{shown} has more than {MOST_BYTES} bytes"
    elif sha256(answer.body).hexdigest() != digest:
        age = headers.get("age", "0")
        yield f"{shown} has other bytes than the frozen one" + (
            f"; it comes from a cache that has had it for {age!r} seconds" if age != "0" else ""
        )
    kind = headers.get("content-type", "")
    types = TYPES.get((name or PAGE).rpartition(".")[2])
    first, comma, _second = kind.partition(",")
    if types and (comma or first.partition(";")[0].strip().lower() not in types or CHARSET.search(kind)):
        yield f"{shown} has the content type {kind!r}, not {types[0]}"
    for header, effect in ACTING.items():
        if header in headers:
            yield f"{shown} comes with the header {header}, which {effect}"
    if "report" in headers.get("content-security-policy", "").lower():
        yield f"{shown} comes with a policy that {TELLS}"


def split_address(address: str) -> tuple[str, str, str]:
    """Returns the origin, the path of the folder and the page's name in it; raises ValueError for another address."""
    parts = urlsplit(address)
    folder, slash, page = (parts.path or "/").rpartition("/")
    is_plain = parts.scheme in ("http", "https") and parts.hostname and not (parts.query or parts.fragment)
    if not is_plain or "@" in parts.netloc or page not in ("", PAGE):
        raise ValueError(f"give the address of the page as people get it: it ends with / or {PAGE}")
    return f"{parts.scheme}://{parts.netloc.lower()}", folder + slash, page


def read_answer(connection: HTTPConnection, path: str, seconds: float = SECONDS) -> Answer:
    """Asks for a file as a browser does; follows no redirect.

    Raises TimeoutError if the whole answer takes longer than `seconds`, however it drips.
    """
    connection.connect()
    line, late = connection.sock, Event()  # the connection forgets its socket before the body is read

    def cut_line() -> None:
        late.set()
        with suppress(OSError):
            socket.socket.shutdown(line, socket.SHUT_RDWR)

    timer = Timer(seconds, cut_line)
    timer.start()
    try:
        connection.request("GET", path, headers=BROWSER)
        response = connection.getresponse()
        body = response.read(MOST_BYTES + 1)
    except (HTTPException, OSError):
        if not late.is_set():
            raise
    finally:
        timer.cancel()
    if late.is_set():
        raise TimeoutError(f"no whole answer in {seconds} seconds")
    headers: dict[str, str] = {}
    for name, value in response.getheaders():
        headers[name.lower()] = f"{headers[name.lower()]}, {value}" if name.lower() in headers else value
    return Answer(response.status, headers, body)


def open_connection(origin: str) -> HTTPConnection:
    parts = urlsplit(origin)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=SECONDS)


def main(words: Sequence[str]) -> int:
    """Runs the command; returns its exit status."""
    if len(words) != 2 or not DIGEST.fullmatch(words[1]):
        print(
            "This needs the address of a page and the digest from its study sheet, of 64 letters and figures."
        )
        return 2
    try:
        origin, folder, page = split_address(words[0])

        def fetch(name: str) -> Answer:
            connection = open_connection(origin)
            try:
                return read_answer(connection, folder + name)
            finally:
                connection.close()

        sums = fetch(SUMS)
        differences = list(file_differences(SUMS, sums, words[1]))
        if not differences:
            differences = list(page_differences(fetch, page, sums.body, origin))
    except (HTTPException, OSError, ValueError) as error:
        # What a host answers cannot move a terminal's cursor.
        reason = "".join(letter if letter.isprintable() else "?" for letter in str(error))
        print(f"The page could not be compared: {reason or type(error).__name__}.")
        return 2
    for difference in differences:
        print(f"{difference.sentence}.")
    if not differences:
        print(f"{words[0]} serves the frozen page, byte for byte.")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
