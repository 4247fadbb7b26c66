"""The supervisor: starts processes, prefixes each line of their output with its origin, and ends all
processes when one ends.

It restarts nothing; that is left to systemd, compose or the person at the keyboard. It imports the standard
library only, so that its process stays small.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread
from types import FrameType
from typing import IO, NoReturn

from config.start.instance_lock import SUPERVISOR

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 10.0
"""Seconds between SIGTERM and SIGKILL."""
LOGS_JSON = os.environ.get("LOG_FORMAT", "").strip() == "json"
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
BETWEEN_WORDS = 5.0
"""Seconds between two progress messages of a long step."""
LONGEST_LOG = 5_000_000
"""Bytes after which a log is started again; one older file is kept beside it."""
WATCHED_SUFFIXES = {".py", ".html", ".txt", ".mo"}
NOT_WATCHED = {"build", "var", "node_modules"}


@dataclass
class ChildProcess:
    """A child process.

    Its output goes to the file `log`, or else to standard error, each line prefixed with its name.
    """

    name: str
    command: list[str]
    env: dict[str, str]
    log: Path | None = None
    process: subprocess.Popen[bytes] | None = None
    reader: Thread | None = None

    def start(self) -> None:
        """Starts the process; its output goes to its log or to standard error."""
        with self.log.open("ab") if self.log else contextlib.nullcontext() as file:
            output = file or (None if LOGS_JSON else subprocess.PIPE)
            # A session of its own: Ctrl-C reaches the supervisor alone, which then stops everyone in order.
            self.process = subprocess.Popen(
                self.command,
                cwd=ROOT,
                env={**self.env, SUPERVISOR: str(os.getpid())},
                stdout=output,
                stderr=subprocess.STDOUT if output else None,
                start_new_session=True,
            )
        if self.process.stdout:
            self.reader = Thread(target=self._forward_output, args=(self.process.stdout,), daemon=True)
            self.reader.start()

    def _forward_output(self, lines: IO[bytes]) -> None:
        with lines:
            for line in lines:
                # Nobody may read any more; the process must not wait for that.
                with contextlib.suppress(OSError):
                    sys.stderr.buffer.write(f"{self.name:<6} | ".encode() + line.rstrip(b"\n") + b"\n")
                    sys.stderr.buffer.flush()

    @property
    def status(self) -> int | None:
        """Exit status as in subprocess; None while the process runs or if it was stopped."""
        return self.process.poll() if self.process else None

    def rotate_log(self) -> None:
        """Truncates the log. Both processes append to it, so a line written at that moment may be lost."""
        with contextlib.suppress(OSError):
            if self.log and self.log.stat().st_size > LONGEST_LOG:
                shutil.copyfile(self.log, self.log.with_name(f"{self.log.name}.1"))
                os.truncate(self.log, 0)

    def end(self, until: float) -> None:
        """Waits for the process until `until` (monotonic time), then kills it and the processes that it started."""
        if not self.process:
            return
        try:
            self.process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            warn(f"{self.name} does not stop; ending it")
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if self.reader:
            self.reader.join(1)
        self.process = self.reader = None


@dataclass
class Supervisor:
    """Runs child processes until one ends.

    `watch`: restart all when a source file changes, and wait for a change if one ends.
    """

    children: list[ChildProcess]
    watch: "FileWatch | None" = None
    asked_to_stop: bool = field(default=False, init=False)

    def stop_on_signals(self) -> None:
        """Makes the signals that end a program stop this supervisor in order."""

        def note_stop_signal(number: int, frame: FrameType | None) -> None:
            self.asked_to_stop = True

        for number in STOP_SIGNALS:
            signal.signal(number, note_stop_signal)
        # The process before this one, in `replace_by_supervisor`, blocked signals that came meanwhile.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def start(self) -> None:
        for child in self.children:
            child.start()

    @property
    def ended_process(self) -> ChildProcess | None:
        return next((child for child in self.children if child.status is not None), None)

    def run(self) -> int:
        """Runs until a signal asks to stop or a process ends; returns the exit status."""
        while not self.asked_to_stop:
            if self.watch and self.watch.changed():
                say("A file changed; reloading.")
                self.stop()
                self.start()
            elif child := self.ended_process:
                where = f"; its last words are in {child.log}" if child.log else ""
                later = ", and start again when a file changes" if self.watch else ""
                warn(
                    f"The {child.name} process ended ({exit_status_text(child.status)}); all others stop{later}{where}"
                )
                self.stop()
                if not self.watch:
                    return 1
            for child in self.children:
                child.rotate_log()
            time.sleep(0.2)
        return 0

    def stop(self) -> None:
        for child in self.children:
            if child.process and child.status is None:
                child.process.terminate()
        until = time.monotonic() + PATIENCE
        for child in self.children:
            child.end(until)


def exit_status_text(status: int | None) -> str:
    return f"signal {signal.Signals(-status).name}" if status and status < 0 else f"exit status {status}"


def say(line: str) -> None:
    print(line, flush=True)


@contextlib.contextmanager
def print_step(words: str) -> Iterator[None]:
    """Context manager: prints a step of the start, its seconds while it runs, and its duration at the end."""
    began, ended = time.monotonic(), Event()

    def seconds() -> str:
        return f"{time.monotonic() - began:.1f} s"

    def print_seconds() -> None:
        while not ended.wait(BETWEEN_WORDS):
            print(f"{seconds()} … ", end="", flush=True)

    print(f"  {words} … ", end="", flush=True)
    teller = Thread(target=print_seconds, daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()
        say(seconds())


def warn(message: str) -> None:
    """Logs a warning in the format of `config.logs`, without importing Django."""
    now, logger = datetime.now(UTC), "config.start.process_supervisor"
    if LOGS_JSON:
        stamp = now.isoformat(timespec="milliseconds")
        line = {"time": stamp, "level": "WARNING", "logger": logger, "message": message}
        text = json.dumps(line, ensure_ascii=False)
    else:
        text = f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03}Z WARNING {logger}: {message}"
    print(text, file=sys.stderr, flush=True)


class FileWatch:
    """Detects changed source files, at most once a second."""

    def __init__(self) -> None:
        self.at, self.seen = time.monotonic(), change_times(ROOT)

    def changed(self) -> bool:
        """Returns True if a source file has changed since the last look."""
        if time.monotonic() - self.at < 1:
            return False
        before, self.seen, self.at = self.seen, change_times(ROOT), time.monotonic()
        return before != self.seen


def change_times(root: Path) -> dict[str, int]:
    """Returns the modification time of each watched file in nanoseconds; skips files that vanish, such as an
    editor's."""
    times = {}
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = [name for name in subfolders if name[0] not in "._" and name not in NOT_WATCHED]
        for name in names:
            if Path(name).suffix in WATCHED_SUFFIXES:
                with contextlib.suppress(FileNotFoundError):
                    times[f"{folder}/{name}"] = Path(folder, name).stat().st_mtime_ns
    return times


# --- ./run serve ----------------------------------------------------------------------------------


def replace_by_supervisor(children: list[ChildProcess], env: dict[str, str]) -> NoReturn:
    """Replaces this process by a small supervisor that starts `children`; this frees memory."""
    asked = json.dumps([[child.name, child.command] for child in children])
    os.chdir(ROOT)
    sys.stdout.flush()
    # A signal from here on waits until the supervisor handles signals.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    # Without `site`, which would look for installed packages.
    os.execve(sys.executable, [sys.executable, "-S", "-m", "config.start.process_supervisor", asked], env)


def supervise(children: list[ChildProcess]) -> int:
    """Runs child processes until a signal or the end of one of them; returns the exit status."""
    supervisor = Supervisor(children)
    supervisor.stop_on_signals()
    try:
        supervisor.start()
        return supervisor.run()
    finally:
        supervisor.stop()


def main() -> int:
    """Supervises the processes that the first argument lists as JSON; returns the exit status."""
    children = json.loads(sys.argv[1])
    return supervise([ChildProcess(name, command, dict(os.environ)) for name, command in children])


if __name__ == "__main__":
    sys.exit(main())
