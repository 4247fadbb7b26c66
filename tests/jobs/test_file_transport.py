from collections.abc import Iterator
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from config.celery import app
from jobs.celery_file_transport import FolderChannel


@pytest.fixture
def connection() -> Iterator[Connection]:
    with app.connection_for_read() as connection:
        yield connection


@pytest.fixture
def channel(connection: Connection) -> FolderChannel:
    made = connection.default_channel
    assert isinstance(made, FolderChannel)
    return made


def test_messages_leave_in_the_order_they_came(channel: FolderChannel) -> None:
    for n in range(5):
        channel._put("q", {"n": n})
    assert [channel._get("q")["n"] for _ in range(5)] == [0, 1, 2, 3, 4]


def test_an_empty_folder_and_a_missing_one_are_both_empty(channel: FolderChannel, broker: Path) -> None:
    with pytest.raises(Empty):
        channel._get("q")
    broker.rmdir()
    with pytest.raises(Empty):
        channel._get("q")


def test_a_message_leaves_once(channel: FolderChannel, connection: Connection) -> None:
    other = connection.channel()
    assert isinstance(other, FolderChannel)
    channel._put("q", {"n": 1})
    assert other._get("q") == {"n": 1}
    with pytest.raises(Empty):
        channel._get("q")


def test_a_message_that_is_still_being_written_is_not_there_yet(channel: FolderChannel, broker: Path) -> None:
    broker.mkdir()
    (broker / "1-half.q.msg.part").write_text('{"n": ')
    assert channel._size("q") == 0
    with pytest.raises(Empty):
        channel._get("q")


def test_rubbish_is_thrown_away_and_the_next_message_taken(channel: FolderChannel, broker: Path) -> None:
    broker.mkdir()
    (broker / "0-rubbish.q.msg").write_text("not JSON")
    channel._put("q", {"n": 1})
    assert channel._get("q") == {"n": 1}


def test_another_queues_messages_stay(channel: FolderChannel) -> None:
    channel._put("other", {"n": 1})
    with pytest.raises(Empty):
        channel._get("q")
    assert channel._size("other") == 1


def test_purging_empties_one_queue(channel: FolderChannel) -> None:
    for queue in ("q", "q", "other"):
        channel._put(queue, {})
    assert channel._purge("q") == 2
    assert (channel._size("q"), channel._size("other")) == (0, 1)
