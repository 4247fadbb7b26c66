"""Logging: everything to standard error, and nothing of a respondent in it."""

import logging
import logging.config
from types import TracebackType

from django.conf import settings

from look import addresses

Failure = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def bare(failure: Failure) -> str:
    """The type and place of an exception; never its message, which may quote what was sent."""
    kind, _, trace = failure
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "an unknown place"
    return f"{kind.__name__ if kind else 'nothing'} at {place}"


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


def configure() -> None:
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "filters": {"respondents": {"()": NothingOfRespondents}},
            "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
            "handlers": {
                "stderr": {
                    "()": "config.repeats.RepeatCountingHandler",
                    "formatter": "line",
                    "filters": ["respondents"],
                }
            },
            "root": {"handlers": ["stderr"], "level": settings.LOG_LEVEL},
            # The statements of the database layer would carry records; no level of ours turns them on.
            "loggers": {
                "django.db.backends": {"level": "WARNING"},
                # A failed lookup in a template would be logged with the request.
                "django.template": {"level": "INFO"},
                "django.utils.autoreload": {"level": "WARNING"},
                # Its lines are an access log.
                "django.server": {"level": "CRITICAL"},
            },
        }
    )
