"""When a connection is too slow, worked out by hand."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.front.connection import READING, ROOM, SENDING, SLOWEST, Connection, FilePart


@pytest.fixture
def pair() -> Iterator[tuple[Connection, socket.socket]]:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    connection = Connection(ours, ("", 0), ("", 0), lambda blocked: None)
    connection.began = 100.0
    yield connection, theirs
    connection.close()
    theirs.close()


@pytest.mark.parametrize(("moved", "late_at"), [(0, 110.0), (SLOWEST, 111.0), (50 * SLOWEST, 160.0)])
def test_whoever_is_as_fast_as_the_slowest_has_the_time_that_it_takes(
    pair: tuple[Connection, socket.socket], moved: int, late_at: float
) -> None:
    connection, _ = pair
    assert READING == 10
    connection.moved = moved
    assert not connection.is_late(late_at - 0.01)
    assert connection.is_late(late_at)


def test_while_a_thread_works_nobody_is_late(pair: tuple[Connection, socket.socket]) -> None:
    connection, _ = pair
    connection.working = True
    assert not connection.is_late(10_000.0)


def test_an_answer_that_waits_is_measured_anew(pair: tuple[Connection, socket.socket]) -> None:
    connection, theirs = pair
    connection.working = True
    connection.put(b"x" * ROOM)
    assert connection.outgoing
    assert not connection.is_late(connection.began + SENDING - 0.01)
    assert connection.is_late(connection.began + SENDING)
    received = 0
    while not connection.flush():
        received += len(theirs.recv(1 << 20))
    while received < ROOM:
        received += len(theirs.recv(1 << 20))
    assert not connection.is_late(connection.began + 10_000)


def test_a_dribbler_lags_behind_whoever_came_later(pair: tuple[Connection, socket.socket]) -> None:
    dribbler, _ = pair
    dribbler.moved = 10
    ours, theirs = socket.socketpair()
    newer, heavy = (Connection(ours, None, None, lambda blocked: None) for _ in range(2))
    newer.began, heavy.began, heavy.moved = 101.0, 50.0, 60 * SLOWEST
    assert sorted([newer, heavy, dribbler], key=lambda one: one.abreast) == [dribbler, newer, heavy]
    ours.close()
    theirs.close()


def test_what_is_closed_leaves_no_file_open(pair: tuple[Connection, socket.socket]) -> None:
    connection, _ = pair
    with Path("/dev/zero").open("rb") as file:
        connection.put_file(file.fileno(), 0, ROOM)
    (part,) = connection.outgoing
    assert isinstance(part, FilePart)
    connection.close()
    with pytest.raises(BrokenPipeError):
        connection.put(b"x")
    with pytest.raises(OSError, match="Bad file descriptor"):
        part.close()
