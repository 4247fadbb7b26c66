"""Who waits for whom: respondents for no researcher, the health page for nobody, and too many are told to come back."""

from pathlib import Path
from typing import NamedTuple

import pytest

from config import web
from tests import servers
from tests.config.web.served import Client, Served, served

pytestmark = pytest.mark.server
MANY = 20
"""More than there are threads of one kind."""


def waiting(serving: Served, path: str, number: int) -> list[Client]:
    """These requests are in threads, or wait for one."""
    clients = [serving.client().get(path, "Connection: close") for _ in range(number)]
    # Behind them in the event loop.
    assert serving.client().get("/static/x").answer()[0] == 200
    return clients


@pytest.mark.parametrize(("taken", "free"), [("/account/wait", "/a/x"), ("/a/wait", "/account/home")])
def test_no_page_waits_for_a_page_of_others(tmp_path: Path, taken: str, free: str) -> None:
    with served(tmp_path) as serving:
        waiting(serving, taken, MANY)
        for path in (free, "/static/x", "/healthz"):
            assert serving.client().get(path).answer()[0] == 200


def test_too_many_are_told_in_words_to_come_back_and_those_who_wait_are_answered(tmp_path: Path) -> None:
    threads = {"respondents": 1, "others": 1, "static": 1, "health": 1, "refusals": 1}
    with served(tmp_path, WAITING=5, THREADS=threads) as serving:
        clients = waiting(serving, "/a/wait", 10)
        # One is worked on and five wait; a sixth may come before the thread has taken the first.
        servers.wait(lambda: sum(not client.is_open() for client in clients) >= 4, "four being refused")
        assert serving.client().get("/account/home").answer()[0] == 200
        assert serving.client().get("/static/release").answer()[0] == 200
        answers = [client.ended() for client in clients]
        refused = [answer for answer in answers if answer.startswith(b"HTTP/1.1 503 ")]
        assert 4 <= len(refused) <= 5
        assert sum(answer.startswith(b"HTTP/1.1 200 ") for answer in answers) == 10 - len(refused)
        assert all(b"\r\nRetry-After: 5\r\n" in answer for answer in refused)
        assert all(b"Nothing was lost. Try again" in answer for answer in refused)


def test_where_bodies_fill_the_memory_long_ones_are_told_to_come_back_and_records_are_taken(
    tmp_path: Path,
) -> None:
    with served(tmp_path, MEMORY=1_000_000) as serving:
        body = b"x" * 600_000
        heavy = [serving.client().post("/releases/wait", len(body)).send(body) for _ in range(4)]
        full = False
        while not full:
            probe = serving.client().post("/releases/new", 70_000, "Expect: 100-continue")
            full = probe.answer()[0] == 503
        assert serving.client().post("/a/x/record", 3).send("abc").answer()[0] == 200
        assert serving.client().get("/static/release").answer()[0] == 200
        assert [client.answer()[0] for client in heavy] == [200] * 4


class Waiting(NamedTuple):
    """A request that waits: of a connection it has the address alone."""

    addr: tuple[str, int]


def test_addresses_take_turns_new_ones_first_and_of_too_many_the_last_of_the_fullest_is_refused() -> None:
    turns = web.Turns()
    for address in ["flood"] * 4 + ["one", "one", "other"]:
        turns.append(Waiting((address, 1)))  # type: ignore[arg-type]
    assert turns.pop_last().addr[0] == "flood"
    assert [turns.popleft().addr[0] for _ in range(4)] == ["flood", "one", "other", "flood"]
    turns.append(Waiting(("late", 1)))  # type: ignore[arg-type]
    assert [turns.popleft().addr[0] for _ in range(3)] == ["late", "one", "flood"]
    assert not turns.last_turns
