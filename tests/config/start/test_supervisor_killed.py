"""Whoever keeps the processes of ./run serve is killed: nobody is left behind, and the next start goes on."""

import json
import os
import re
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from config.start.orphans import start_time
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


def warm_workers(var: Path) -> int:
    with closing(sqlite3.connect(var / "candor.sqlite3", timeout=servers.PATIENCE)) as file:
        (count,) = file.execute("SELECT COUNT(*) FROM jobs_worker WHERE warm").fetchone()
    return int(count)


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


def test_a_second_start_says_that_it_runs_and_children_end_with_whoever_kept_them(tmp_path: Path) -> None:
    with serving(tmp_path) as first:
        has_all(first)
        is_small(first)
        says_that_it_runs(first)
        everybody = kept(first)
        first.process.kill()
        first.process.wait()
        servers.wait(lambda: not any(map(start_time, everybody)), "all of them ending")
        # The port is free; the next start is that of the test below.
        check_port_is_free("127.0.0.1", first.port)


@pytest.mark.release
def test_a_start_ends_what_an_earlier_one_left_behind_and_nothing_else(tmp_path: Path) -> None:
    with serving(tmp_path) as first:
        has_all(first)
        with serving(tmp_path, "--web", "0") as beside:
            servers.wait(lambda: warm_workers(tmp_path) == 2, "another worker running")
            # Its first process; what that starts may come and go.
            everybody, worker = kept(first), kept(beside)[0]
            # Stopped, none of them hears that its supervisor is gone.
            for pid in everybody:
                os.kill(pid, signal.SIGSTOP)
            first.process.kill()
            first.process.wait()
            with serving(tmp_path, port=first.port) as second:
                second.read_until("left behind")
                ended = r"Ended (\d+) processes that an earlier start had left behind for .*\n"
                found = re.fullmatch(ended, second.said[-1])
                # Whoever else works for this folder lives on.
                assert found
                assert int(found[1]) == len(everybody)
                assert not any(map(start_time, everybody))
                assert kept(beside)[0] == worker, "".join(beside.said)
                servers.wait(lambda: is_well(second), "the product being well again", pause=0.2)
