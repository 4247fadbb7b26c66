"""Runs management commands in forked processes: `python -m tests.command_server SOCKET`.

The first process loads packages and no settings. It forks one process for each environment, which loads the settings
and models of the product; that one forks for every command, which runs and ends as `python manage.py` does. A command
so costs a fork instead of a start, about a second of processor time.

The first process learns from the first environment which modules the product loads, and loads those that need no
settings itself before it forks for a second one: that takes as long as two thirds of loading the product, once.
"""

import gc
import importlib
import json
import os
import selectors
import socket
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ImproperlyConfigured

# What every command loads, without a model or a setting in it.
PACKAGES = (
    *("argon2", "celery.app.base", "numpy", "psycopg", "segno", "whitenoise.storage", "xml.dom.minidom"),
    *("django.core.management", "django.core.serializers.json", "django.db.backends.sqlite3.base"),
    *("django.db.backends.postgresql.base", "django.db.migrations.executor", "django.forms", "django.test"),
    *("django.template.backends.django", "django.templatetags.i18n", "django.views.generic"),
)


@dataclass
class Asked:
    """One request and the connection that waits for its end."""

    words: dict[str, Any]
    answer: socket.socket


def listening(path: str) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.bind(path)
    made.listen(64)
    return made


def forked(listener: socket.socket, lifeline: int) -> Asked:
    """Forks for every request, and returns it in the new process; ends when nobody holds the lifeline any more."""
    waiting = selectors.DefaultSelector()
    waiting.register(listener, selectors.EVENT_READ)
    waiting.register(lifeline, selectors.EVENT_READ)
    running: dict[int, tuple[int, socket.socket]] = {}
    while True:
        for key, _events in waiting.select():
            if key.fd == lifeline:
                os._exit(0)
            if key.fd in running:
                pid, answer = running.pop(key.fd)
                waiting.unregister(key.fd)
                os.close(key.fd)
                _tell(answer, {"status": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])})
                answer.close()
                continue
            answer = listener.accept()[0]
            words = json.loads(answer.makefile().readline() or "null")
            if words and "modules" in words:
                load_without_settings(words["modules"])
                _tell(answer, {"ready": True})
                answer.close()
                continue
            pid = os.fork()
            if pid == 0:
                waiting.close()
                listener.close()
                for process, (_pid, other) in running.items():
                    os.close(process)
                    other.close()
                return Asked(words, answer)
            process = os.pidfd_open(pid)
            running[process] = pid, answer
            waiting.register(process, selectors.EVENT_READ)


def _tell(connection: socket.socket, said: dict[str, Any]) -> None:
    # Nobody has to wait for the end of a process.
    with suppress(OSError):
        connection.sendall(json.dumps(said).encode() + b"\n")


def load_without_settings(modules: Iterable[str]) -> None:
    # It reads settings through pydantic, which makes another error of what Django raises: it is not there for now.
    sys.modules["ninja"] = None  # type: ignore[assignment]
    for name in modules:
        # A module that defines models, or imports one, is left to the processes that have settings. Pydantic, which
        # reads those of ninja, turns what Django raises into a ValueError.
        with suppress(ImproperlyConfigured, ImportError, ValueError):
            importlib.import_module(name)
    del sys.modules["ninja"]
    gc.freeze()


def load_product(env: dict[str, str]) -> None:
    """As manage.py does, up to the command."""
    os.environ.clear()
    os.environ.update(env)
    import manage

    manage.prepare()
    import django

    django.setup()
    from django.urls import get_resolver

    _ = get_resolver().url_patterns


def redirect(words: dict[str, Any]) -> None:
    files = [("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY), ("stderr", os.O_WRONLY)]
    for number, (name, how) in enumerate(files):
        file = os.open(words[name], how)
        os.dup2(file, number)
        os.close(file)


def main(path: str) -> None:
    # The usual one, so that what only its owner may read is so by the product's doing.
    os.umask(0o022)
    for package in PACKAGES:
        importlib.import_module(package)
    gc.freeze()
    first = forked(listening(path), 0)
    before = set(sys.modules)
    load_product(first.words["env"])
    loaded = [
        name for name in sys.modules if name not in before and not name.startswith(("manage", "config"))
    ]
    gc.freeze()
    listener = listening(first.words["socket"])
    _tell(first.answer, {"ready": True, "modules": loaded})
    command = forked(listener, first.answer.fileno())
    first.answer.close()
    redirect(command.words)
    command.answer.close()
    import manage

    sys.argv = ["manage.py", *command.words["words"]]
    manage.main()


if __name__ == "__main__":
    main(sys.argv[1])
