"""Management commands, each in a process forked from one that has loaded the product; and how such a process dies.

`python -m tests.commands SOCKET` is the first of these processes. It loads packages and no settings. It forks one
process for each environment, which loads the settings and models of the product; that one forks for every command,
which runs and ends as `python manage.py` does. A command so costs a fork instead of a start, about a second of
processor time.

The first process learns from the first environment which modules the product loads, and loads those that need no
settings itself before it forks for a second one: that takes as long as two thirds of loading the product, once.
"""

import atexit
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

ROOT = Path(__file__).resolve().parent.parent
MOST = 6
"""So many environments stay loaded; a test seldom changes between more."""
Done = subprocess.CompletedProcess[str]


def run(env: dict[str, str], *words: str, typed: str = "") -> Done:
    """`manage.py` with these words, to its end."""
    done = _server().run(env, words, typed)
    return done or by_itself(env, *words, typed=typed)


def by_itself(env: dict[str, str], *words: str, typed: str = "", root: Path = ROOT) -> Done:
    """The same from the very start, for another copy of the product or settings that refuse to load."""
    return subprocess.run(
        [sys.executable, "manage.py", *words], cwd=root, env=env, input=typed, capture_output=True, text=True
    )


class _Server:
    """`python -m tests.commands` at work; what it has loaded ends with this process."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="candor-commands-")
        self._numbers = iter(range(10**9))
        self._loaded: OrderedDict[str, tuple[str, socket.socket]] = OrderedDict()
        self._modules: list[str] = []
        self._has_modules = False
        path = self._path()
        words = [sys.executable, "-m", "tests.commands", path]
        env = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(words, cwd=ROOT, env=env, stdin=subprocess.PIPE, stderr=errors)
        self._first = path
        atexit.register(self._end_process)

    def _end_process(self) -> None:
        for _path, connection in self._loaded.values():
            connection.close()
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()

    @property
    def _errors(self) -> Path:
        return Path(self._folder.name) / "errors"

    def _path(self) -> str:
        return f"{self._folder.name}/{next(self._numbers)}"

    def _asked(self, path: str, words: dict[str, Any]) -> tuple[socket.socket, dict[str, Any]]:
        """The connection, and the first thing that is said on it."""
        connection = socket.socket(socket.AF_UNIX)
        while True:
            try:
                connection.connect(path)
                break
            except (FileNotFoundError, ConnectionRefusedError):
                assert self._process.poll() is None, self._errors.read_text()
                time.sleep(0.01)
        connection.sendall(json.dumps(words).encode() + b"\n")
        with connection.makefile() as file:
            return connection, json.loads(file.readline() or '{"status": null}')

    def _place(self, env: dict[str, str]) -> str | None:
        """Where the process with this environment listens, unless its settings refuse to load."""
        key = json.dumps(env, sort_keys=True)
        if key not in self._loaded:
            self._share_modules()
            path = self._path()
            connection, said = self._asked(self._first, {"env": env, "socket": path})
            if "ready" not in said:
                connection.close()
                return None
            self._loaded[key] = path, connection
            self._modules = self._modules or said["modules"]
            while len(self._loaded) > MOST:
                self._loaded.popitem(last=False)[1][1].close()
        self._loaded.move_to_end(key)
        return self._loaded[key][0]

    def _share_modules(self) -> None:
        """Once the modules of the product are known, before a second environment loads them."""
        if self._modules and not self._has_modules:
            self._asked(self._first, {"modules": self._modules})[0].close()
            self._has_modules = True

    def run(self, env: dict[str, str], words: tuple[str, ...], typed: str) -> Done | None:
        place = self._place(env)
        if place is None:
            return None
        with tempfile.TemporaryDirectory(dir=self._folder.name) as folder:
            files = {name: f"{folder}/{name}" for name in ("stdin", "stdout", "stderr")}
            for name, path in files.items():
                Path(path).write_text(typed if name == "stdin" else "")
            connection, said = self._asked(place, {"words": words, **files})
            connection.close()
            out, err = (Path(files[name]).read_text() for name in ("stdout", "stderr"))
        return subprocess.CompletedProcess(["manage.py", *words], said["status"], out, err)


_servers: dict[int, _Server] = {}


def _server() -> _Server:
    """One for each process that runs tests."""
    if os.getpid() not in _servers:
        _servers[os.getpid()] = _Server()
    return _servers[os.getpid()]


def dies_at(number: int) -> Callable[..., Any]:
    """A wrapper for `connection.execute_wrapper`: instead of the statement of this number the process is killed."""
    numbers = count()
    return _dies_where(lambda _sql: next(numbers) == number)


def dies_before(words: str) -> Callable[..., Any]:
    """The same instead of the first statement with these words."""
    return _dies_where(lambda sql: words in sql)


def _dies_where(is_last: Callable[[str], bool]) -> Callable[..., Any]:
    def kill_before_statement(
        execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        if is_last(str(sql)):
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(sql, params, many, context)

    return kill_before_statement


# --- the first process, and those that it forks ---


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


def listening_socket(path: str) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.bind(path)
    made.listen(64)
    return made


def fork_for_requests(listener: socket.socket, lifeline: int) -> Asked:
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
                _send_message(answer, {"status": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])})
                answer.close()
                continue
            answer = listener.accept()[0]
            words = json.loads(answer.makefile().readline() or "null")
            if words and "modules" in words:
                load_without_settings(words["modules"])
                _send_message(answer, {"ready": True})
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


def _send_message(connection: socket.socket, said: dict[str, Any]) -> None:
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


def redirect_streams(words: dict[str, Any]) -> None:
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
    first = fork_for_requests(listening_socket(path), 0)
    before = set(sys.modules)
    load_product(first.words["env"])
    loaded = [
        name for name in sys.modules if name not in before and not name.startswith(("manage", "config"))
    ]
    gc.freeze()
    listener = listening_socket(first.words["socket"])
    _send_message(first.answer, {"ready": True, "modules": loaded})
    command = fork_for_requests(listener, first.answer.fileno())
    first.answer.close()
    redirect_streams(command.words)
    command.answer.close()
    import manage

    sys.argv = ["manage.py", *command.words["words"]]
    manage.main()


if __name__ == "__main__":
    main(sys.argv[1])
