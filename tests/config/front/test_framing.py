"""Where a request ends. gunicorn's parser is handed what is whole, and refuses what it reads otherwise."""

import pytest

from config.front.framing import HEAD, LONG_HEAD, NO_LENGTH, TOO_LARGE, EarlyAnswer, WholeRequest, framing_of


def longest(path: str) -> int:
    return 10 if path == "/short" else 1000


def head(*lines: str, path: str = "/") -> bytes:
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: a", *lines, "", ""]).encode()


def test_a_request_without_a_length_ends_with_its_head() -> None:
    assert framing_of(head(), longest) == WholeRequest(len(head()))


def test_a_body_is_as_long_as_the_head_says() -> None:
    given = head("content-LENGTH:\t 7 ")
    assert framing_of(given, longest) == WholeRequest(len(given) + 7)


def test_what_follows_does_not_matter() -> None:
    given = head("Content-Length: 2")
    assert framing_of(given + b"ab" + head("Content-Length: 9"), longest) == WholeRequest(len(given) + 2)


@pytest.mark.parametrize("end", range(len(head("Content-Length: 2"))))
def test_no_part_of_a_head_is_taken_for_a_head(end: int) -> None:
    assert framing_of(head("Content-Length: 2")[:end], longest) is None


def test_a_head_that_never_ends_is_refused() -> None:
    assert framing_of(b"GET / HTTP/1.1\r\nX: " + b"x" * (HEAD - 100), longest) is None
    assert framing_of(b"GET / HTTP/1.1\r\nX: " + b"x" * HEAD, longest) == LONG_HEAD
    assert framing_of(b"GET / HTTP/1.1\r\nX: " + b"x" * HEAD + b"\r\n\r\n", longest) == LONG_HEAD


@pytest.mark.parametrize(
    ("path", "length", "found"),
    [
        ("/short", "10", WholeRequest),
        ("/short", "11", EarlyAnswer),
        ("/short?long", "11", EarlyAnswer),
        ("/", "1000", WholeRequest),
        ("/", "1001", EarlyAnswer),
        ("/", "9" * 5000, EarlyAnswer),
    ],
)
def test_a_body_is_at_most_as_long_as_its_path_takes(path: str, length: str, found: type) -> None:
    answer = framing_of(head(f"Content-Length: {length}", path=path), longest)
    assert isinstance(answer, found)
    if found is EarlyAnswer:
        assert answer == TOO_LARGE


@pytest.mark.parametrize("coding", ["chunked", "gzip, chunked", "identity"])
def test_a_body_whose_length_nobody_knows_is_refused(coding: str) -> None:
    assert framing_of(head(f"Transfer-Encoding: {coding}"), longest) == NO_LENGTH
    assert framing_of(head("Content-Length: 3", f"transfer-encoding : {coding}"), longest) == NO_LENGTH


@pytest.mark.parametrize("lengths", [("3", "4"), ("3", "3"), ("-1",), ("0x1",), ("1 2",), ("",), ("²",)])
def test_what_the_parser_refuses_goes_to_it_at_once(lengths: tuple[str, ...]) -> None:
    given = head(*(f"Content-Length: {length}" for length in lengths))
    assert framing_of(given, longest) == WholeRequest(len(given))


def test_a_client_may_wait_for_the_word_to_go_on() -> None:
    given = head("Content-Length: 3", "Expect: 100-Continue")
    assert framing_of(given, longest) == WholeRequest(len(given) + 3, expects=True)


def test_a_header_s_name_is_not_looked_for_in_values() -> None:
    given = head("X: content-length: 9", "Y-Content-Length: 8", "Content-Lengthy: 7")
    assert framing_of(given, longest) == WholeRequest(len(given))
