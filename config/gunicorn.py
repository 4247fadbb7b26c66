"""gunicorn's settings: no access log, and neither address nor path in the error log."""

import sys
from pathlib import Path
from typing import Any

from gunicorn.glogging import Logger

from config import lifeline, logs, private_files

accesslog = None
worker_class = "config.front.worker.WholeRequests"
threads = 4
# Loaded once, before the processes fork: a third less processor time at a start, and a fifth less memory.
preload_app = True
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - off slow disks
graceful_timeout = 8
timeout = 60
keepalive = 5
# config.anonymous_wsgi decides which proxy to trust for https; gunicorn would trust any process of this machine.
secure_scheme_headers: dict[str, str] = {}
# Nobody uses it, and its file would lie in the home of the account.
control_socket_disable = True
umask = private_files.UMASK


def on_starting(server: object) -> None:
    lifeline.end_with_parent()


class NoAddresses(Logger):
    """gunicorn would name the peer of a malformed request and the path of a failed one."""

    def warning(self, msg: object, *args: Any, **kwargs: Any) -> None:
        if "ip=" not in str(msg):
            super().warning(msg, *args, **kwargs)

    def exception(self, msg: object, *args: Any, **kwargs: Any) -> None:
        if isinstance(
            msg, BaseException
        ):  # the application did not load: no request yet, so the trace may stand
            super().exception(msg, *args, **kwargs)
        else:
            self.error("A request could not be answered: %s", logs.bare(sys.exc_info()))


logger_class = NoAddresses
