"""Logging: everything to standard error, and nothing of a respondent in it."""

import json
import logging
import logging.config
import time
from datetime import UTC, datetime
from types import TracebackType

from django.conf import settings

from jobs import database
from ui import addresses, request_number

Failure = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def bare(failure: Failure) -> str:
    """The type and place of an exception; never its message, which may quote what was sent."""
    kind, _, trace = failure
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    location = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "an unknown place"
    return f"{kind.__name__ if kind else 'nothing'} at {location}"


class NothingOfRespondents(logging.Filter):
    """Drops records about respondents' requests; of an exception only its type and place stay."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if request is None or addresses.may_be_logged(getattr(request, "path", "")):
            return True
        if record.exc_info is None or record.exc_info[0] is None:
            return False
        record.msg, record.args = f"a respondent's page failed: {bare(record.exc_info)}", ()
        record.exc_info, record.exc_text, record.stack_info = None, None, None
        return True


class Outages(logging.Filter):
    """One line for each outage of the database or Redis, whatever met it: no trace, which would say nothing more."""

    def filter(self, record: logging.LogRecord) -> bool:
        service = database.service_away(record.exc_info[1]) if record.exc_info else ""
        if service:
            record.name, record.levelno, record.levelname = __name__, logging.ERROR, "ERROR"
            record.msg, record.args, record.ongoing = f"{service} does not answer", (), True
            record.exc_info, record.exc_text, record.stack_info, record.request = None, None, None, None
        record.number = "" if service else request_number.current()
        return True


class Plain(logging.Formatter):
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


class Json(logging.Formatter):
    """An object a line."""

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


FORMATTERS = {"plain": Plain, "json": Json}


def configure() -> None:
    logging.captureWarnings(True)
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "filters": {"outages": {"()": Outages}, "respondents": {"()": NothingOfRespondents}},
            "formatters": {"line": {"()": FORMATTERS[settings.LOG_FORMAT]}},
            "handlers": {
                "stderr": {
                    "()": "config.repeats.RepeatCountingHandler",
                    "formatter": "line",
                    "filters": ["outages", "respondents"],
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
