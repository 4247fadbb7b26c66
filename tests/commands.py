"""Management commands, each in a process forked from one that has loaded the product; and how such a process dies."""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
    """`tests.command_server` at work; what it has loaded ends with this process."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="candor-commands-")
        self._numbers = iter(range(10**9))
        self._loaded: OrderedDict[str, tuple[str, socket.socket]] = OrderedDict()
        self._modules: list[str] = []
        self._has_modules = False
        path = self._path()
        words = [sys.executable, "-m", "tests.command_server", path]
        env = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(words, cwd=ROOT, env=env, stdin=subprocess.PIPE, stderr=errors)
        self._first = path
        atexit.register(self._end)

    def _end(self) -> None:
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
    left = [number]

    def wrapper(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        return execute(sql, params, many, context)

    return wrapper


def dies_before(words: str) -> Callable[..., Any]:
    """The same instead of the first statement with these words."""

    def wrapper(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if words in str(sql):
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(sql, params, many, context)

    return wrapper
