"""Logging: everything to standard error, and nothing of a respondent in it."""

import logging
import logging.config

from django.conf import settings


class NothingOfRespondents(logging.Filter):
    """Drops what a respondent's request caused, but keeps the bare kind of a failure of ours."""

    def filter(self, record: logging.LogRecord) -> bool:
        path = getattr(getattr(record, "request", None), "path", "")
        if not (path + "/").startswith("/a/"):
            return True
        if record.exc_info is None or record.exc_info[0] is None:
            return False
        kind, _, trace = record.exc_info
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "an unknown place"
        record.msg, record.args = f"a respondent's page failed: {kind.__name__} at {place}", ()
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
                "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["respondents"]}
            },
            "root": {"handlers": ["stderr"], "level": settings.LOG_LEVEL},
            # The statements of the database layer would carry records; no level of ours turns them on.
            "loggers": {
                "django.db.backends": {"level": "WARNING"},
                "django.utils.autoreload": {"level": "WARNING"},
            },
        }
    )
