"""The supervisor, the web server or the worker is killed: nobody is left behind, and the next start goes on."""

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from config.start.preparing import check_port_is_free
from tests import servers
from tests.product import Product, supervised

pytestmark = pytest.mark.server


@contextmanager
def serving(var: Path, *words: str, port: int = 0) -> Iterator[Product]:
    """./run serve with everything on this machine, without the secrets of production."""
    more = ["--port", str(port)] if port else []
    with supervised(
        var, ["serve", "--web", "1", *words, *more], {"PRODUCTION": "no", "TICK_SECONDS": "1"}
    ) as started:
        started.port = port or started.port
        yield started


def is_well(running: Product) -> bool:
    try:
        return running.ask("GET", "/healthz").status == 200
    except OSError:
        return False


def kept(running: Product) -> list[int]:
    return servers.family(running.process.pid)[1:]


def has_all(running: Product) -> None:
    """Wait for two first processes and a child of each."""
    servers.wait(lambda: is_well(running) and len(kept(running)) >= 4, "the product being well", pause=0.2)


def says_that_it_runs(running: Product) -> None:
    with serving(running.var, port=running.port) as second:
        assert second.process.wait(servers.PATIENCE) == 1
        assert second.process.stdout
        said = second.process.stdout.read()
    assert said.count("\n") == 1
    assert f"this instance is running already (process {running.process.pid})" in said
    servers.wait(lambda: is_well(running), "the first being well all the same")


def is_small(running: Product) -> None:
    status = Path(f"/proc/{running.process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found
    # It was 75 MB when it kept all that it had needed to prepare.
    assert int(found[1]) < 25_000, "whoever keeps two processes is small"
    assert json.loads(running.ask("GET", "/healthz").text)["ok"]


def process_of(running: Product, program: str) -> int:
    """The first process of this program, or the supervisor."""
    if program == "supervisor":
        return running.process.pid
    return next(
        pid
        for pid in servers.children(running.process.pid)
        if program in Path(f"/proc/{pid}/cmdline").read_bytes().decode()
    )


def all_end_when_it_is_killed(running: Product, program: str) -> None:
    everybody = kept(running)
    os.kill(process_of(running, program), signal.SIGKILL)
    assert running.process.wait(servers.PATIENCE) == (-signal.SIGKILL if program == "supervisor" else 1)
    servers.wait(lambda: not any(map(servers.lives, everybody)), "all of them ending")
    # The port is free: the next start goes on.
    check_port_is_free("127.0.0.1", running.port)


def test_a_second_start_says_that_it_runs_and_all_end_with_the_supervisor(tmp_path: Path) -> None:
    with serving(tmp_path) as first:
        has_all(first)
        is_small(first)
        says_that_it_runs(first)
        all_end_when_it_is_killed(first, "supervisor")


@pytest.mark.night
@pytest.mark.parametrize("program", ["config.web", "celery", "supervisor"])
@pytest.mark.parametrize("command", ["demo", "serve"])
def test_whoever_is_killed_nobody_is_left_and_the_next_start_goes_on(
    command: str, program: str, tmp_path: Path
) -> None:
    words = [command, "--web", "1", *(["--empty"] if command == "demo" else [])]
    env = {"TICK_SECONDS": "1", **({"PRODUCTION": "no"} if command == "serve" else {})}
    for attempt in range(2):
        with supervised(tmp_path, words, env) as running:
            has_all(running)
            if attempt == 0:
                all_end_when_it_is_killed(running, program)
