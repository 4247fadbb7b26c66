"""The queue as files in a folder, where there is no Redis."""

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


def is_empty(channel: FolderChannel) -> bool:
    with pytest.raises(Empty):
        channel._get("q")
    return channel._size("q") == 0


def test_queue_messages_are_delivered_once_in_order(channel: FolderChannel, connection: Connection) -> None:
    other = connection.channel()
    assert isinstance(other, FolderChannel)
    for n in range(5):
        channel._put("q", {"n": n})
    assert [of._get("q")["n"] for of in (channel, other, other, channel, other)] == [0, 1, 2, 3, 4]
    assert is_empty(channel)


def test_an_empty_folder_and_a_missing_one_are_both_empty(channel: FolderChannel, broker: Path) -> None:
    assert is_empty(channel)
    broker.rmdir()
    assert is_empty(channel)


def test_half_a_message_is_invisible_and_garbage_discarded(channel: FolderChannel, broker: Path) -> None:
    broker.mkdir()
    (broker / "1-half.q.msg.part").write_text('{"n": ')
    assert is_empty(channel)
    (broker / "0-rubbish.q.msg").write_text("not JSON")
    channel._put("q", {"n": 1})
    assert channel._get("q") == {"n": 1}


def test_purging_empties_one_queue_only(channel: FolderChannel) -> None:
    channel._put("other", {"n": 1})
    assert is_empty(channel)
    for _ in range(2):
        channel._put("q", {})
    assert channel._purge("q") == 2
    assert (channel._size("q"), channel._size("other")) == (0, 1)
