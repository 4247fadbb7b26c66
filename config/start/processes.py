"""Processes that must run: started, watched, started again when they die, and stopped in order.

Only the standard library is needed, so that the supervising process stays small.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from config.start import lifeline, orphans

ROOT = Path(__file__).resolve().parent.parent.parent
STEADY = 30.0
"""Seconds of life after which a process is restarted quickly again."""
SLOWEST = 30.0
"""Seconds, at most, before a restart."""
PATIENCE = lifeline.PATIENCE
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LONGEST_LOG = 5_000_000
"""Bytes after which a log begins again; the one before is kept beside it."""
WATCHED_SUFFIXES = {".py", ".html", ".txt", ".mo"}


@dataclass
class ManagedProcess:
    """One process that must run; started again when it dies, ever more slowly while it keeps dying."""

    name: str
    command: list[str]
    env: dict[str, str]
    log: Path | None
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    pause: float = 0.0
    next_start: float = 0.0

    def start(self, now: float) -> None:
        # A session of its own: Ctrl-C reaches the supervisor alone, which then stops everyone in order.
        output = self.log.open("ab") if self.log else None
        end = lifeline.reading_end()
        env = {**self.env, lifeline.NAME: str(end)}
        if "VAR" in env:
            env[orphans.NAME] = orphans.mark(Path(env["VAR"]))
        self.process = subprocess.Popen(
            self.command,
            cwd=ROOT,
            env=env,
            stdout=output,
            stderr=output,
            start_new_session=True,
            pass_fds=(end,),
        )
        if output:
            output.close()
        self.started = now

    def restart_if_ended(self, now: float) -> None:
        if self.process is None:
            if now >= self.next_start:
                self.start(now)
            return
        code = self.process.poll()
        if code is None:
            return
        self.pause = 0.5 if now - self.started > STEADY else min(max(self.pause * 2, 0.5), SLOWEST)
        self.next_start = now + self.pause
        where = f"; its last words are in {self.log}" if self.log else ""
        warn(f"{self.name} ended ({ending(code)}); starting it again in {self.pause:g} s{where}")
        self.kill_group()

    def kill_group(self) -> None:
        """Kill what the ended process left behind, its pool children above all, before its successor starts."""
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process = None

    def rotate_log(self) -> None:
        """Both processes append to the file, so it may be cut while they do; a line of that moment may be lost."""
        with contextlib.suppress(OSError):
            if self.log and self.log.stat().st_size > LONGEST_LOG:
                shutil.copyfile(self.log, self.log.with_name(f"{self.log.name}.1"))
                os.truncate(self.log, 0)

    def signal(self, number: int) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)

    def wait(self, until: float) -> None:
        if self.process:
            try:
                self.process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                warn(f"{self.name} does not stop; ending it")
            self.kill_group()


@dataclass
class Supervisor:
    """Runs all processes until a signal asks to stop."""

    processes: list[ManagedProcess]
    asked_to_stop: bool = False
    changed: Callable[[], bool] = bool  # never

    def stop_on_signals(self) -> None:
        def ask(number: int, frame: FrameType | None) -> None:
            self.asked_to_stop = True

        for number in STOP_SIGNALS:
            signal.signal(number, ask)
        # The process before this one, `watching.hand_over`, blocked signals that came meanwhile.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def start(self) -> None:
        for process in self.processes:
            process.start(time.monotonic())

    def run(self) -> None:
        while not self.asked_to_stop:
            now = time.monotonic()
            for process in self.processes:
                process.restart_if_ended(now)
                process.rotate_log()
            if self.changed():
                say("A file changed; reloading.")
                self.stop()
                for process in self.processes:
                    process.pause = process.next_start = 0.0
            time.sleep(0.2)

    def stop(self) -> None:
        for process in self.processes:
            process.signal(signal.SIGTERM)
        until = time.monotonic() + PATIENCE
        for process in self.processes:
            process.wait(until)


def ending(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"


def say(line: str) -> None:
    print(line, flush=True)


def warn(message: str) -> None:
    """In the format of `config.logs`, which would load Django here."""
    now = datetime.now(UTC)
    if os.environ.get("LOG_FORMAT", "").strip() == "json":
        stamp = now.isoformat(timespec="milliseconds")
        line = {"time": stamp, "level": "WARNING", "logger": "config.start.processes", "message": message}
        say(json.dumps(line, ensure_ascii=False))
    else:
        stamp = f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03}Z"
        say(f"{stamp} WARNING config.start.processes: {message}")


@dataclass
class FileWatch:
    """Notices when a source file changes; looks no oftener than once a second."""

    at: float = 0.0
    seen: tuple[int, int] = (0, 0)

    def changed(self) -> bool:
        now = time.monotonic()
        if now - self.at < 1:
            return False
        times = list(change_times(ROOT))
        before, self.seen, self.at = self.seen, (len(times), max(times, default=0)), now
        return before not in ((0, 0), self.seen)


def change_times(root: Path) -> Iterator[int]:
    """When each watched file changed, in nanoseconds. A file that vanishes meanwhile, as an editor's do, is skipped."""
    for folder, inside, files in os.walk(root):
        skipped = {"var"} if Path(folder) == root else set()
        inside[:] = [name for name in inside if not name.startswith((".", "__")) and name not in skipped]
        for name in files:
            if Path(name).suffix in WATCHED_SUFFIXES:
                with contextlib.suppress(FileNotFoundError):
                    yield Path(folder, name).stat().st_mtime_ns
