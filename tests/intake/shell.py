"""A process inside the product that runs one program after the other, since each start costs a second."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests import servers

# Runs each line of its standard input, a program as JSON, and answers with what that printed.
LOOP = """
import contextlib, io, json, sys, traceback
import django
django.setup()
from django.db import connections
for line in sys.stdin:
    said, failed = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(said):
            exec(json.loads(line), {})
    except Exception:
        failed = traceback.format_exc()
    connections.close_all()
    print(json.dumps([failed, said.getvalue()]), flush=True)
"""


class Shell:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def run(self, code: str) -> str:
        """What the program prints."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(code) + "\n")
        self._process.stdin.flush()
        failed, said = json.loads(self._process.stdout.readline())
        assert not failed, failed
        return str(said)


@contextmanager
def shell(env: dict[str, str]) -> Iterator[Shell]:
    process = subprocess.Popen(
        [sys.executable, "-c", LOOP],
        cwd=servers.ROOT,
        env={**env, "DJANGO_SETTINGS_MODULE": "config.settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield Shell(process)
    finally:
        process.kill()
        process.communicate()
