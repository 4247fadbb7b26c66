"""Runs the tests in several processes: this one imports and collects them once, then forks.

A room, or a part of it, is handed to the next process that is free. Each process has its own database, servers and
browser; what is costly and never changed is made once for all of them (tests/servers.py). Nothing may be open before
the fork.
"""

import atexit
import json
import os
import signal
import sys
import traceback
from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import Any, NoReturn, TextIO

import pytest

LARGE_TASKS = 6
"""No task takes more than such a part of the time of all, unless a single file does."""
GUESSES, QUICK = {"night": 5, "browser": 3, "server": 2, "proof": 0.2, "page": 0.1}, 0.01
"""Seconds of a test that was never run here, by its mark."""
ALLOCATOR = "jemalloc_bg_thd"
"""A thread of Arrow's allocator, which the allocator itself begins anew in a forked process."""
SECONDS = "candor/seconds"
"""The seconds that each file took when it was last run here, in pytest's cache."""
NIGHT = Path(__file__).with_name("night.json")
SLOW = 60
"""Seconds of a file that is named with the result of a night, so that the next one begins with it anywhere."""
LINE = 250  # leaves the line of a failed test room for its name and for what was expected of what


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--processes", type=int, default=1, help="processes that share the tests (default: 1)")
    parser.addoption("--counts", type=Path, help="a file for the numbers of tests that passed and failed")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The line of a failed test has what was compared, too, where the assertion has words of its own."""
    report = yield
    crash = getattr(report.longrepr, "reprcrash", None)
    words, is_compared, compared = crash.message.partition("\nassert ") if crash else ("", "", "")
    if crash and is_compared:
        crash.message = f"{words}: assert {compared}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminal = terminalreporter.config.get_terminal_writer()
    terminal.fullwidth = max(terminal.fullwidth, LINE)
    if path := terminalreporter.config.getoption("counts"):
        stats = terminalreporter.stats
        failed = [report.nodeid for kind in ("failed", "error") for report in stats.get(kind, [])]
        seconds: dict[str, float] = terminalreporter.config.cache.get(SECONDS, {})
        slow = {file: round(time) for file, time in sorted(seconds.items()) if time >= SLOW}
        counts = {"passed": len(stats.get("passed", [])), "failed_tests": failed, "slow_files": slow}
        path.write_text(json.dumps(counts))


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    count = session.config.getoption("processes")
    if session.config.option.collectonly or session.testsfailed or count < 2:
        return None
    Parent(session, _tasks(session)).run(count)
    return True


def _tasks(session: pytest.Session) -> list[list[pytest.Item]]:
    """The tests of each room, or of a part of a large one, those that take longest first.

    So no process works alone at the end, and few make the servers, browsers and worlds of a room.
    """
    files: dict[Path, list[pytest.Item]] = defaultdict(list)
    for item in session.items:
        files[item.path].append(item)
    last: dict[str, float] = _cache(session).get(SECONDS, {})
    is_night = "not night" not in session.config.option.markexpr and NIGHT.exists()
    rows = json.loads(NIGHT.read_text()) if is_night else {}
    slow: dict[str, float] = rows.get("suite", {}).get("slow_files", {})
    costs = {}
    for path, items in files.items():
        file = _file(items[0].nodeid)
        costs[path] = max(slow.get(file, 0), last.get(file, 0)) or sum(map(_guess_seconds, items))
    longest = sum(costs.values()) / LARGE_TASKS
    tasks: list[tuple[float, list[pytest.Item]]] = []
    newest: dict[tuple[str, ...], int] = {}
    for path, items in files.items():
        room = Path(_file(items[0].nodeid)).parts[:2]
        index = newest.get(room)
        if index is None or tasks[index][0] + costs[path] > longest:
            newest[room] = len(tasks)
            tasks.append((costs[path], [*items]))
        else:
            tasks[index] = tasks[index][0] + costs[path], [*tasks[index][1], *items]
    return [items for _cost, items in sorted(tasks, key=lambda task: -task[0])]


def _guess_seconds(item: pytest.Item) -> float:
    return max((GUESSES.get(mark.name, 0) for mark in item.iter_markers()), default=0) or QUICK


def _cache(session: pytest.Session) -> pytest.Cache:
    cache = session.config.cache
    assert cache is not None
    return cache


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0]


@dataclass
class Child:
    pid: int
    reports: int
    unread: bytes = b""
    running: str = ""
    """The test that it has begun and not ended."""
    ended: bool = False


@dataclass
class Parent:
    """Forks the processes and hands their reports to pytest as if it had run the tests itself."""

    session: pytest.Session
    tasks: Sequence[list[pytest.Item]]
    children: list[Child] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    reported: set[str] = field(default_factory=set)

    def run(self, count: int) -> None:
        tasks = [task.joinpath("comm").read_text().strip() for task in Path("/proc/self/task").iterdir()]
        threads = [name for name in tasks if name != ALLOCATOR]
        if len(threads) > 1:
            raise pytest.UsageError(
                f"an import of the tests has started threads, which no fork has: {threads}"
            )
        capture = self.session.config.pluginmanager.getplugin("capturemanager")
        capture.stop_global_capturing()  # each process captures into files of its own
        self.session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        queue = _task_pipe(len(self.tasks))
        sys.stdout.flush()
        sys.stderr.flush()
        for number in range(count):
            ours, theirs = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(ours)
                capture.start_global_capturing()
                _work(self.session, self.tasks, queue, theirs, number)
            os.close(theirs)
            self.children.append(Child(pid, ours))
        os.close(queue)
        capture.start_global_capturing()
        capture.suspend_global_capture()  # what the parent prints is its progress
        try:
            self._read()
        finally:
            for child in self.children:
                if not child.ended:
                    os.kill(child.pid, signal.SIGINT)
                os.waitpid(child.pid, 0)
        unreported = [item for items in self.tasks for item in items if item.nodeid not in self.reported]
        if unreported:
            names = ", ".join(item.nodeid for item in unreported[:3])
            self._fail(
                unreported[0].nodeid, f"{len(unreported)} tests were not run, since a process ended: {names}"
            )
        last = _cache(self.session).get(SECONDS, {})
        _cache(self.session).set(SECONDS, {**last, **self.seconds})

    def _read(self) -> None:
        with DefaultSelector() as selector:
            for child in self.children:
                selector.register(child.reports, EVENT_READ, child)
            while selector.get_map():
                for key, _ in selector.select():
                    child = key.data
                    more = os.read(child.reports, 1 << 16)
                    *lines, child.unread = (child.unread + more).split(b"\n")
                    for line in lines:
                        self._take_message(child, json.loads(line))
                        self._stop_if_told()
                    if not more:
                        selector.unregister(child.reports)
                        self._end_child(child)
                        self._stop_if_told()

    def _stop_if_told(self) -> None:
        """After each report, so that what two processes sent at once is not taken as two failures."""
        if self.session.shouldfail:
            raise self.session.Failed(self.session.shouldfail)

    def _take_message(self, child: Child, message: dict[str, Any]) -> None:
        if "begins" in message:
            child.running = message["begins"]
            return
        hook = self.session.config.hook
        report = hook.pytest_report_from_serializable(config=self.session.config, data=message)
        if report.outcome == "skipped" and isinstance(report.longrepr, list):
            report.longrepr = tuple(report.longrepr)  # as pytest's summary wants it; JSON knows no tuple
        self.seconds[_file(report.nodeid)] += report.duration
        self.reported.add(report.nodeid)
        hook.pytest_runtest_logreport(report=report)
        if report.when == "teardown":
            child.running = ""

    def _end_child(self, child: Child) -> None:
        child.ended = True
        if child.running:
            self._fail(child.running, "the process that ran this test ended")

    def _fail(self, nodeid: str, reason: str) -> None:
        self.reported.add(nodeid)
        report = pytest.TestReport(nodeid, (_file(nodeid), None, nodeid), {}, "failed", reason, "call")
        self.session.config.hook.pytest_runtest_logreport(report=report)


def _task_pipe(count: int) -> int:
    """A pipe with the numbers of all tasks: whoever reads one has it, and nobody else."""
    reading, writing = os.pipe()
    os.write(writing, b"".join(number.to_bytes(2, "big") for number in range(count)))
    os.close(writing)
    return reading


def _tasks_from_queue(tasks: Sequence[list[pytest.Item]], queue: int) -> Iterator[pytest.Item]:
    while number := os.read(queue, 2):
        yield from tasks[int.from_bytes(number, "big")]


class Forward:
    """In a forked process: hands what tests report to the parent, in the place of a terminal."""

    def __init__(self, config: pytest.Config, out: TextIO) -> None:
        self.config, self.out = config, out
        config.pluginmanager.unregister(name="terminalreporter")
        config.pluginmanager.register(self)

    def report_begin(self, nodeid: str) -> None:
        self.out.write(json.dumps({"begins": nodeid}) + "\n")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        hook = self.config.hook
        # This is where a test fails of which a subtest has failed.
        hook.pytest_report_teststatus(report=report, config=self.config)
        data = hook.pytest_report_to_serializable(config=self.config, report=report)
        self.out.write(json.dumps(data, default=str) + "\n")


def _work(
    session: pytest.Session, tasks: Sequence[list[pytest.Item]], queue: int, reports: int, number: int
) -> NoReturn:
    """What a forked process does until no task is left."""
    atexit._clear()  # what was registered before the fork is the parent's
    factory = session.config._tmp_path_factory  # type: ignore[attr-defined]
    factory._basetemp = factory.getbasetemp() / f"process-{number}"
    factory._basetemp.mkdir(mode=0o700)
    with os.fdopen(reports, "w", buffering=1) as out:
        forward = Forward(session.config, out)
        try:
            items = _tasks_from_queue(tasks, queue)
            item = next(items, None)
            while item is not None:
                following = next(items, None)
                forward.report_begin(item.nodeid)
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                item = following
        except KeyboardInterrupt:
            session._setupstate.teardown_exact(None)
        except BaseException:
            traceback.print_exc(file=sys.__stderr__)
            raise
        finally:
            atexit._run_exitfuncs()
            os._exit(0)
