import logging
from collections.abc import Iterator
from io import StringIO

import pytest

from config import logs

pytestmark = pytest.mark.page


class Log:
    """A log of its own, read as it would lie on the disk."""

    def __init__(self) -> None:
        self.now, self.stream = 0.0, StringIO()
        self.handler = logs.RepeatCountingHandler(lambda: self.now, self.stream)
        self.logger = logging.Logger("jobs", logging.INFO)
        self.logger.addHandler(self.handler)

    @property
    def lines(self) -> list[str]:
        return self.stream.getvalue().splitlines()


@pytest.fixture
def log() -> Iterator[Log]:
    made = Log()
    yield made
    made.handler.close()


def test_a_complaint_that_is_made_a_thousand_times_is_two_lines(log: Log) -> None:
    for _ in range(1000):
        log.logger.error("a record could not be stored: %s", "OperationalError")
    assert log.lines == ["a record could not be stored: OperationalError"]
    log.now = 60
    log.logger.info("something else")
    assert log.lines[1:] == [
        "999 times more: a record could not be stored: OperationalError",
        "something else",
    ]


def test_once_a_minute_it_is_written_again(log: Log) -> None:
    for second in range(180):
        log.now = second
        log.logger.warning("full")
    assert log.lines == ["full", "59 times more: full", "full", "59 times more: full", "full"]


def test_what_is_made_once_is_not_counted(log: Log) -> None:
    log.logger.error("full")
    log.now = 61
    log.logger.error("full")
    assert log.lines == ["full", "full"]


def test_complaints_of_different_words_loggers_levels_or_causes_are_all_written(log: Log) -> None:
    for reference in ("a", "b"):
        log.logger.error("failed, reference %s", reference)
    log.logger.warning("failed, reference a")
    other = logging.Logger("mining")
    other.addHandler(log.handler)
    other.error("failed, reference a")
    for cause in (ValueError(), KeyError()):
        log.logger.error("failed, reference a", exc_info=cause)
    assert sum("failed, reference" in line for line in log.lines) == 6


def test_what_is_told_and_no_complaint_is_always_written(log: Log) -> None:
    for _ in range(3):
        log.logger.info("a batch was sealed")
    assert len(log.lines) == 3


def test_the_count_is_told_at_the_end(log: Log) -> None:
    for _ in range(3):
        log.logger.error("full")
    log.handler.close()
    assert log.lines == ["full", "2 times more: full"]


def test_only_so_many_complaints_are_remembered(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MOST_COUNTED", 2)
    for number in range(4):
        log.logger.error("failed %s", number)
        log.logger.error("failed %s", number)
    assert log.lines == ["failed 0", "failed 1", "failed 2", "failed 2", "failed 3", "failed 3"]


def test_the_product_logs_so() -> None:
    assert any(isinstance(handler, logs.RepeatCountingHandler) for handler in logging.getLogger().handlers)
