"""Odd requests: each is refused and hung up on, or has exactly one end, after which the next one begins."""

from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.config.web.conftest import Client, Served, serve
from tests.product import reusing_connections

pytestmark = pytest.mark.server
HIDDEN = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"
"""In a body; whoever reads the body's end differently answers it."""
LENGTH = f"Content-Length: {len(HIDDEN)}"
CHUNKED = "0\r\n\r\n" + HIDDEN
WAITS = "Expect: 100-continue"
"""Somebody who asks before the body is sent; whoever does not has sent it before the answer is read."""
UPLOAD = "/app/releases/new"
NEXT = "GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


def post(*lines: str, body: str = HIDDEN, path: str = "/", version: str = "1.1") -> str:
    return "\r\n".join([f"POST {path} HTTP/{version}", "Host: a", *lines, "", body])


def get(line: str, *lines: str) -> str:
    return "\r\n".join([line, *lines, "", ""])


REFUSED = {
    "chunked": (post("Transfer-Encoding: chunked", body=CHUNKED), 411),
    "chunked and a length": (post("Transfer-Encoding: chunked", LENGTH), 411),
    "a length and chunked": (post(LENGTH, "Transfer-Encoding: chunked"), 411),
    "chunked in capitals": (post("TRANSFER-ENCODING: CHUNKED", LENGTH), 411),
    "chunked twice": (post("Transfer-Encoding: chunked, chunked", LENGTH), 411),
    "chunked and identity": (post("Transfer-Encoding: chunked", "Transfer-Encoding: identity", LENGTH), 411),
    "gzip and chunked": (post("Transfer-Encoding: gzip, chunked", LENGTH), 411),
    "identity": (post("Transfer-Encoding: identity", LENGTH), 411),
    "an unknown coding": (post("Transfer-Encoding: xchunked", LENGTH), 411),
    "an empty coding": (post("Transfer-Encoding:", LENGTH), 411),
    "a coding of a comma": (post("Transfer-Encoding: ,", LENGTH), 411),
    "a comma before chunked": (post("Transfer-Encoding: ,chunked", LENGTH), 411),
    "a tab before chunked": (post("Transfer-Encoding:\tchunked", LENGTH), 411),
    "a control character before chunked": (post("Transfer-Encoding: \x0bchunked", LENGTH), 411),
    "a quoted coding": (post('Transfer-Encoding: "chunked"', LENGTH), 411),
    "chunked on a line of its own": (post("Transfer-Encoding:\r\n chunked", LENGTH), 411),
    "a space before the colon of the coding": (post("Transfer-Encoding : chunked", LENGTH), 411),
    "chunked of an old client": (post("Transfer-Encoding: chunked", LENGTH, version="1.0"), 411),
    "chunked of a later version": (post("Transfer-Encoding: chunked", LENGTH, version="2.0"), 411),
    "chunked after a bare line feed": (post("X: y\nTransfer-Encoding: chunked", LENGTH), 411),
    "a space before the colon of the length": (post(LENGTH.replace(":", " :")), 400),
    "a control character before the length": (post("\x0b" + LENGTH), 400),
    "two lengths": (post("Content-Length: 1", "Content-Length: 2"), 400),
    "the same length twice": (post(LENGTH, LENGTH), 400),
    "a list of lengths": (post("Content-Length: 3, 3"), 400),
    "a length on two lines": (post("Content-Length: 3\r\n 4"), 400),
    "a negative length": (post("Content-Length: -1"), 400),
    "a length with a sign": (post("Content-Length: +3"), 400),
    "a hexadecimal length": (post("Content-Length: 0x3"), 400),
    "a length and a semicolon": (post("Content-Length: 3;"), 400),
    "two numbers": (post("Content-Length: 1 2"), 400),
    "an empty length": (post("Content-Length:"), 400),
    "a length in letters": (post("Content-Length: ³"), 400),
    "five thousand digits": (post("Content-Length: " + "9" * 5000), 400),
    "a length beyond all bounds": (post("Content-Length: " + "9" * 18), 413),
    "one byte more than a record": (post("Content-Length: 65537", WAITS, path="/a/x/record"), 413),
    "one byte more than a form": (post("Content-Length: 3000001", WAITS, path="/app/surveys/3/edit"), 413),
    "one byte more than an upload": (post("Content-Length: 60000001", WAITS, path=UPLOAD), 413),
    "a file to respondents, written oddly": (post("Content-Length: 65537", WAITS, path="//%61/x"), 413),
    "a file below the path of files": (post("Content-Length: 3000001", WAITS, path=f"{UPLOAD}/x"), 413),
    "a file to a path like theirs": (post("Content-Length: 65537", WAITS, path="/a/../releases/new"), 413),
    "a file to a query like their path": (post("Content-Length: 65537", WAITS, path=f"/?{UPLOAD}"), 413),
    "bare line feeds": ("GET / HTTP/1.1\nHost: a\n\n\r\n\r\n", 400),
    "a bare line feed in a header": (get("GET / HTTP/1.1", "Host: a\nX: b"), 400),
    "a bare carriage return": (get("GET / HTTP/1.1", "Host: a", "X: a\rb"), 400),
    "a continued first header": (get("GET / HTTP/1.1", " Host: a"), 400),
    "a space in a header's name": (get("GET / HTTP/1.1", "Host: a", "X y: 1"), 400),
    "a header without a name": (get("GET / HTTP/1.1", "Host: a", ": 1"), 400),
    "a header without a colon": (get("GET / HTTP/1.1", "Host: a", "X"), 400),
    "a zero in a header": (get("GET / HTTP/1.1", "Host: a", "X: a\x00b"), 400),
    "two spaces": (get("GET  / HTTP/1.1", "Host: a"), 400),
    "a space in the path": (get("GET /a b HTTP/1.1", "Host: a"), 400),
    "a method in small letters": (get("get / HTTP/1.1", "Host: a"), 400),
    "an address without an end": (get("GET http://[/ HTTP/1.1", "Host: a"), 400),
    "a path that is no ASCII": (get("GET /\xff HTTP/1.1", "Host: a"), 400),
    "no HTTP": ("hello\r\n\r\n", 400),
    "the beginning of TLS": ("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    "an endless address": (get("GET /" + "x" * 40_000 + " HTTP/1.1", "Host: a"), 431),
    "an endless header": (get("GET / HTTP/1.1", "Host: a", "X: " + "x" * 40_000), 431),
    "endless headers": (get("GET / HTTP/1.1", *["X: 1"] * 8_000), 431),
}
TAKEN = {
    "a length with zeros in front": (post("Content-Length: 0000" + str(len(HIDDEN))), "POST / {}"),
    "a length with spaces around": (post(f"Content-Length: \t {len(HIDDEN)} \t"), "POST / {}"),
    "a length in capitals": (post(LENGTH.upper()), "POST / {}"),
    "an underscore": (post(LENGTH, "Content_Length: 3", "Transfer_Encoding: chunked"), "POST / {}"),
    "a coding in another header": (post("X: y\r\n Transfer-Encoding: chunked", LENGTH), "POST / {}"),
    "headers that end alike": (post(LENGTH, "Y-Content-Length: 8", "Content-Lengthy: 7"), "POST / {}"),
    "a body where none is usual": (get("GET / HTTP/1.1", "Host: a", LENGTH) + HIDDEN, "GET / {}"),
    "empty lines before": ("\r\n\r\n" + get("GET /x HTTP/1.1", "Host: a"), "GET /x 0"),
    "a whole address": (get("GET http://b/x?y HTTP/1.1", "Host: a"), "GET /x 0"),
    "two slashes in front": (get("GET //b/x HTTP/1.1", "Host: a"), "GET /b/x 0"),
    "a fragment": (get("GET /x#y HTTP/1.1", "Host: a"), "GET /x 0"),
    "a star": (get("OPTIONS * HTTP/1.1", "Host: a"), "OPTIONS * 0"),
    "another protocol": (
        get("GET /x HTTP/1.1", "Upgrade: h2c", "Connection: Upgrade", "Host: a"),
        "GET /x 0",
    ),
    "a path of parts": (get(f"GET {UPLOAD}/../../a HTTP/1.1", "Host: a"), f"GET {UPLOAD}/../../a 0"),
    "a body that waits for nothing": (get("GET /x HTTP/1.1", "Host: a", "Expect: 100-continue"), "GET /x 0"),
}


def test_refused_request_is_answered_and_disconnected(serving: Served) -> None:
    found = {}
    for name, (sent, _status) in REFUSED.items():
        client = serving.client().send((sent + NEXT).encode("latin-1"))
        found[name] = client.answer()[0], client.receive_to_end()
    assert found == {name: (status, b"") for name, (_sent, status) in REFUSED.items()}


def test_accepted_request_has_one_end(serving: Served) -> None:
    found = {}
    for name, (sent, _answer) in TAKEN.items():
        client = serving.client().send((sent + NEXT).encode("latin-1"))
        answers = [client.answer() for _request in range(2)]
        said = [(status, body.decode().rpartition(" ")[0]) for status, body in answers]
        found[name] = *said, client.receive_to_end()
    assert found == {
        name: ((200, answer.format(len(HIDDEN))), (200, "GET /next 0"), b"")
        for name, (_sent, answer) in TAKEN.items()
    }


def test_no_part_of_a_body_is_read_as_a_head(serving: Served) -> None:
    head = post(LENGTH, body="")
    for end in range(0, len(head), 7):
        client = serving.client().send(head[:end]).send(head[end:]).send(HIDDEN)
        assert client.answer()[1].startswith(f"POST / {len(HIDDEN)} ".encode()), end


def test_body_may_be_as_long_as_its_path_allows(serving: Served) -> None:
    longest = {"/a/x/record": 65_536, "/app/surveys/3/edit": 3_000_000, UPLOAD: 60_000_000}
    for path, length in longest.items():
        assert serving.client().post(path, length, WAITS).answer() == (100, b""), path
    status, words = serving.client().post(UPLOAD, 60_000_001, WAITS).answer()
    assert (status, b"at most 60,000,000 bytes" in words) == (413, True)


def test_client_that_sent_too_much_still_reads_the_answer(client: Client) -> None:
    """A browser sends all before it reads, and a connection that is closed meanwhile loses the words."""
    for part in range(100):
        (client.post("/app/surveys/3/edit", 10_000_000) if part == 0 else client).send(b"x" * 100_000)
    client.send(NEXT)
    status, words = client.answer()
    assert (status, b"at most 3,000,000 bytes" in words) == (413, True)
    assert client.receive_to_end() == b""


def test_paths_are_decoded_as_the_application_gets_them(client: Client) -> None:
    written = "".join(f"%{ord(letter):02x}" for letter in UPLOAD)[3:]
    client.post("/" + written, 65_537, "Expect: 100-continue")
    assert client.answer() == (100, b"")


def test_no_quoted_path_becomes_a_header(client: Client) -> None:
    line = "/x HTTP/1.1\r\nX: y\r\n\r\nGET /hidden"
    client.get(quote(line), "Connection: close")
    assert client.receive_to_end().count(b"HTTP/1.1 200") == 1


def test_server_address_sent_by_a_client_is_ignored(client: Client) -> None:
    told = ("Script-Name: /x", "SCRIPT_NAME: /x", "Path-Info: /x", "Remote-User: root", "Proxy: x")
    environ = dict(
        line.split("=", 1) for line in client.get("/environ", *told).answer()[1].decode().splitlines()
    )
    assert (environ["SCRIPT_NAME"], environ["PATH_INFO"]) == ("", "/environ")
    assert environ["wsgi.url_scheme"] == "http"
    assert "REMOTE_USER" not in environ


@pytest.mark.night
def test_no_odd_request_becomes_two_through_nginx(tmp_path: Path) -> None:
    """nginx sends them over one connection, on which a hidden request would be answered to somebody else."""
    with serve(tmp_path) as serving, reusing_connections(tmp_path, serving.port) as port:
        for sent, _expected in [*REFUSED.values(), *TAKEN.values()]:
            with closing(Client(port)) as client, suppress(OSError):
                client.socket.settimeout(1)  # nginx waits long for what does not come
                client.send((sent + NEXT).encode("latin-1")).receive_to_end()
        paths = serving.client().get("/paths").answer()[1].decode("latin-1").splitlines()
    logged = (tmp_path / "access.log").read_text()
    assert {"/", "/next", "/x"} <= set(paths)
    # One that ends in "0" and a blank line is over there for nginx, too.
    assert paths.count("/hidden") == logged.count('"GET /hidden ')
    assert paths.count("/next") == logged.count('"GET /next ')
