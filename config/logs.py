"""Logging: everything goes to standard error, and nothing about respondents is logged."""

import json
import logging
import logging.config
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from django.conf import settings

from jobs import database
from ui import cookie_and_log_paths, request_number

REPEATED_SECONDS = 60
MOST_COUNTED = 1000
"""Highest number of different warnings that are counted at a time; further ones are written without counting."""
Failure = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def exception_without_message(failure: Failure) -> str:
    """Returns an exception's type and source line, without its message, which may quote submitted data."""
    kind, _, trace = failure
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    location = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "an unknown place"
    return f"{kind.__name__ if kind else 'nothing'} at {location}"


class RespondentRequestFilter(logging.Filter):
    """Log filter: drops records about respondents' requests, and reduces exceptions to type and place."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if request is None or cookie_and_log_paths.may_be_logged(getattr(request, "path", "")):
            return True
        if record.exc_info is None or record.exc_info[0] is None:
            return False
        record.msg, record.args = (
            f"a respondent's page failed: {exception_without_message(record.exc_info)}",
            (),
        )
        record.exc_info, record.exc_text, record.stack_info = None, None, None
        return True


class OutageFilter(logging.Filter):
    """Log filter: reduces the message of an outage (database, Redis or disk) to a line without traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        outage = database.outage_text(record.exc_info[1]) if record.exc_info else ""
        if outage:
            record.name, record.levelno, record.levelname = __name__, logging.ERROR, "ERROR"
            record.msg, record.args, record.ongoing = outage, (), True
            record.exc_info, record.exc_text, record.stack_info, record.request = None, None, None, None
        record.number = "" if outage else request_number.current()
        return True


class RefusalTracebackFilter(logging.Filter):
    """Log filter: removes the traceback from messages about refused or malformed requests.

    Django writes an unknown `Host` and other suspicious requests as errors that quote the request; here they are
    warnings of one kind each, so that many are one line and a count.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security."):
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.msg, record.args = f"a request was refused: {record.name.rpartition('.')[2]}", ()
            record.exc_info, record.exc_text = None, None
        if record.name == "django.request" and record.levelno < logging.ERROR:
            record.exc_info, record.exc_text = None, None
        return True


class PlainTextFormatter(logging.Formatter):
    """Log formatter: one line of text with time in UTC, level, logger and number of the request."""

    converter = staticmethod(time.gmtime)
    default_msec_format = "%s,%03dZ"

    def __init__(self) -> None:
        super().__init__(
            "{asctime} {levelname} {name}{number}: {message}", style="{", defaults={"number": ""}
        )

    def format(self, record: logging.LogRecord) -> str:
        number = getattr(record, "number", "")
        record.number = f" [{number}]" if number else ""
        text = super().format(record)
        record.number = number
        return text


class JsonFormatter(logging.Formatter):
    """Log formatter: one JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "request": getattr(record, "number", ""),
            "exception": self.formatException(record.exc_info) if record.exc_info else "",
        }
        return json.dumps({name: value for name, value in line.items() if value}, ensure_ascii=False)


FORMATTERS = {"plain": PlainTextFormatter, "json": JsonFormatter}


# --- repetitions -----------------------------------------------------------------------------------------

Complaint = tuple[str, int, str, str]
"""Key of a repeated warning: logger, level, message and exception type."""


@dataclass
class RepeatedWarning:
    """A repeated warning: time of its last line in the log, and number of repetitions since.

    For an `ongoing` condition the time is that of the last repetition.
    """

    written: float
    record: logging.LogRecord
    since: int = 0

    def count_repetition(self, now: float) -> None:
        self.since += 1
        if getattr(self.record, "ongoing", False):
            self.written = now


class RepeatCountingHandler(logging.StreamHandler[Any]):
    """Log handler: writes the same warning or error once a minute, with its number of repetitions.

    A record with the attribute `ongoing` is about a lasting condition: it is written once, and its number of
    repetitions after a minute without it. Records below warnings are always written.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, stream: Any = None) -> None:
        super().__init__(stream)
        self._clock = clock
        self._repeated: dict[Complaint, RepeatedWarning] = {}

    def emit(self, record: logging.LogRecord) -> None:
        now = self._clock()
        over = [key for key, entry in self._repeated.items() if now - entry.written >= REPEATED_SECONDS]
        for key in over:
            self._write_count(self._repeated.pop(key))
        if record.levelno >= logging.WARNING:
            kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
            complaint = record.name, record.levelno, record.getMessage(), kind
            if complaint in self._repeated:
                self._repeated[complaint].count_repetition(now)
                return
            if len(self._repeated) < MOST_COUNTED:
                self._repeated[complaint] = RepeatedWarning(now, record)
        super().emit(record)

    def _write_count(self, entry: RepeatedWarning) -> None:
        if entry.since:
            first = entry.record
            words = f"{entry.since} times more: {first.getMessage()}"
            origin = (first.name, first.levelno, first.pathname, first.lineno)
            super().emit(logging.LogRecord(*origin, words, (), None))

    def close(self) -> None:
        """Writes the counts of repetitions that are not written yet, and closes the handler."""
        self.acquire()
        try:
            for entry in self._repeated.values():
                self._write_count(entry)
            self._repeated = {}
        finally:
            self.release()
        super().close()


# --- configuration ---------------------------------------------------------------------------------------


def configure_logging() -> None:
    logging.captureWarnings(True)
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "filters": {
                "outages": {"()": OutageFilter},
                "refusals": {"()": RefusalTracebackFilter},
                "respondents": {"()": RespondentRequestFilter},
            },
            "formatters": {"line": {"()": FORMATTERS[settings.LOG_FORMAT]}},
            "handlers": {
                "stderr": {
                    "()": RepeatCountingHandler,
                    "formatter": "line",
                    "filters": ["outages", "refusals", "respondents"],
                }
            },
            "root": {"handlers": ["stderr"], "level": settings.LOG_LEVEL},
            # The statements of the database layer would carry records; no level of ours turns them on.
            "loggers": {
                "django.db.backends": {"level": "WARNING"},
                # A failed lookup in a template would be logged with the request.
                "django.template": {"level": "INFO"},
                "django.utils.autoreload": {"level": "WARNING"},
                # Below that, each task is told when it comes and when it goes.
                "celery": {"level": "WARNING"},
                # Its lines are an access log.
                "django.server": {"level": "CRITICAL"},
            },
        }
    )
