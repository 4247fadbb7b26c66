"""Keeps a web server and a worker running: the inside of ./run demo, dev and serve."""

import argparse
import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from threading import Event, Thread
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from config.demo import Seeded

ROOT = Path(__file__).resolve().parent.parent
STEADY = 30.0  # a process that lived this long has earned a quick restart
SLOWEST = 30.0
PATIENCE = 10.0  # what a process gets to finish what it is doing


class Refused(Exception):
    """Ends the program with this one line."""


@dataclass
class Keeper:
    """One process that must run; started again when it dies, ever more slowly while it keeps dying."""

    name: str
    words: list[str]
    env: dict[str, str]
    log: Path | None
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    pause: float = 0.0
    next_start: float = 0.0

    def start(self, now: float) -> None:
        # A session of its own: Ctrl-C reaches the supervisor alone, which then stops everyone in order.
        output = self.log.open("ab") if self.log else None
        self.process = subprocess.Popen(
            self.words, cwd=ROOT, env=self.env, stdout=output, stderr=output, start_new_session=True
        )
        if output:
            output.close()
        self.started = now

    def look(self, now: float) -> None:
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
        say(f"{self.name} ended ({ending(code)}); starting it again in {self.pause:g} s{where}")
        self.clear()

    def clear(self) -> None:
        """What the dead one left behind, pool children above all, must not work on beside its successor."""
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process = None

    def signal(self, number: int) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)

    def wait(self, until: float) -> None:
        if self.process:
            try:
                self.process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                say(f"{self.name} does not stop; ending it")
            self.clear()


@dataclass
class House:
    """All processes together, until a signal asks them to stop."""

    keepers: list[Keeper]
    asked_to_stop: bool = False
    changed: Callable[[], bool] = bool  # never

    def stop_on_signals(self) -> None:
        def ask(number: int, frame: FrameType | None) -> None:
            self.asked_to_stop = True

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, ask)

    def run(self) -> None:
        while not self.asked_to_stop:
            now = time.monotonic()
            for keeper in self.keepers:
                keeper.look(now)
            if self.changed():
                say("A file changed; reloading.")
                self.stop()
                for keeper in self.keepers:
                    keeper.pause = keeper.next_start = 0.0
            time.sleep(0.2)

    def stop(self) -> None:
        for keeper in self.keepers:
            keeper.signal(signal.SIGTERM)
        until = time.monotonic() + PATIENCE
        for keeper in self.keepers:
            keeper.wait(until)


def ending(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"


def say(words: str) -> None:
    print(words, flush=True)


# --- what stands before the first process ---------------------------------------------------------


def free(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            cure = (
                f"choose another, as in --port {port + 1}" if port < 65535 else "choose another with --port"
            )
            raise Refused(f"cannot listen on {host}:{port} ({error.strerror}); {cure}") from None


def writable(folder: Path) -> None:
    probe = folder / ".writable"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise Refused(
            f"cannot write in {folder} ({error.strerror}); make it writable, or name another folder with VAR="
        ) from None


def own_secret(folder: Path) -> str:
    """The key of an embedded instance, made once."""
    path = folder / "secret-key"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_hex(32))
    return path.read_text().strip()


def static_digest() -> str:
    """Changes when a file that is served, or a package that serves some, does."""
    files = [
        ROOT / "requirements.lock",
        *sorted((ROOT / "static").rglob("*")),
        *sorted(ROOT.glob("*/static/**/*")),
    ]
    return json.dumps([(str(file), file.stat().st_mtime_ns) for file in files if file.is_file()])


def collect_static(var: Path) -> None:
    from django.core.management import call_command

    stamp, digest = var / "static-collected", static_digest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    stamp.write_text(digest)


@dataclass
class Watch:
    """Notices when a source file changes; looks no oftener than once a second."""

    at: float = 0.0
    seen: tuple[int, int] = (0, 0)

    def changed(self) -> bool:
        now = time.monotonic()
        if now - self.at < 1:
            return False
        kinds = {".py", ".html", ".txt", ".mo"}
        rooms = [
            room for room in ROOT.iterdir() if room.is_dir() and room.name[0] != "." and room.name != "var"
        ]
        times = [f.stat().st_mtime_ns for room in rooms for f in room.rglob("*.*") if f.suffix in kinds]
        before, self.seen, self.at = self.seen, (len(times), max(times)), now
        return before not in ((0, 0), self.seen)


# --- the three ways to run ------------------------------------------------------------------------


def keepers(asked: argparse.Namespace, env: dict[str, str], logs: Path | None) -> list[Keeper]:
    python = [sys.executable, "-m"]
    gunicorn = [
        "gunicorn",
        "config.wsgi",
        "--config",
        "config/gunicorn.py",
        "--bind",
        f"{asked.host}:{asked.port}",
    ]
    celery = [
        "celery",
        "--app",
        "config",
        "worker",
        "--loglevel",
        "WARNING",
        "--concurrency",
        str(asked.workers),
    ]
    found = []
    if asked.web:
        words = [*python, *gunicorn, "--workers", str(asked.web)]
        found.append(Keeper("The web server", words, env, logs and logs / "web.log"))
    if asked.workers:
        found.append(Keeper("The worker", [*python, *celery], env, logs and logs / "worker.log"))
    return found


def prepare(asked: argparse.Namespace) -> dict[str, str]:
    """Environment, folders, database and files; returns what the processes get to see."""
    var = Path(os.environ.get("VAR") or ROOT / "var")
    if asked.command == "serve":
        os.environ.setdefault("PRODUCTION", "yes")
    if asked.web:
        free(asked.host, asked.port)
    writable(var)
    if os.environ.get("PRODUCTION", "no") != "yes" and not os.environ.get("SECRET_KEY"):
        os.environ["SECRET_KEY"] = own_secret(var)
    if asked.command != "serve":
        os.environ.setdefault("MAIL_URL", f"file://{var}/mail")
    if asked.command == "dev":
        os.environ.setdefault("DEBUG", "yes")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import call_command
    from django.core.management.base import SystemCheckError
    from django.db import OperationalError, connections

    try:
        django.setup()
        call_command("migrate", interactive=False, verbosity=0)
        collect_static(var)
        call_command("check", databases=["default"], stdout=StringIO())
    except (ImproperlyConfigured, SystemCheckError) as error:
        raise Refused(str(error)) from None
    except OperationalError as error:
        raise Refused(f"the database does not answer: {' '.join(str(error).split())}") from None
    connections.close_all()
    return dict(os.environ)


def demo(asked: argparse.Namespace) -> None:
    began = time.monotonic()
    env = prepare(asked)
    var = Path(env.get("VAR") or ROOT / "var")
    house = House(keepers(asked, env, var / "log"))
    for keeper in house.keepers:
        if keeper.log:
            writable(keeper.log.parent)
    if asked.command == "dev":
        house.changed = Watch().changed
    house.stop_on_signals()
    for keeper in house.keepers:
        keeper.start(time.monotonic())
    seeded = seed(asked.empty)
    wait_until_served(asked, house)
    address = f"http://{asked.host}:{asked.port}"
    say(f"\n  Candor is ready: {address}/   ({time.monotonic() - began:.1f} s)\n")
    for role, (username, password) in seeded.passwords.items():
        say(f"  {role:<11} {username:<16} {password}")
    if seeded.survey:
        say(f"\n  A survey to answer: {address}{seeded.survey.address}")
    say(f"\n  Ctrl-C stops it. What it keeps is in {var}, letters too.\n")
    tour = show(seeded, address)
    house.run()
    say("Stopping …")
    tour()
    house.stop()


def seed(empty: bool) -> "Seeded":
    from django.utils import timezone

    from config import demo

    return demo.seed(timezone.now(), empty=empty)


def show(seeded: "Seeded", address: str) -> Callable[[], None]:
    """Let the demonstration be answered, mined and reviewed beside everything else; call to stop it."""
    from config.demo import Tour

    stop = Event()
    walking = Thread(target=Tour(seeded, address, say, stop).walk, daemon=True)
    walking.start()

    def end() -> None:
        stop.set()
        walking.join(5)

    return end


def wait_until_served(asked: argparse.Namespace, house: House) -> None:
    while not house.asked_to_stop:
        with socket.socket(socket.AF_INET6 if ":" in asked.host else socket.AF_INET) as probe:
            if probe.connect_ex((asked.host, asked.port)) == 0:
                return
        for keeper in house.keepers:
            keeper.look(time.monotonic())
        time.sleep(0.05)


def serve(asked: argparse.Namespace) -> None:
    env = prepare(asked)
    house = House(keepers(asked, env, None))
    house.stop_on_signals()
    house.run()
    house.stop()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["demo", "dev", "serve"])
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--web", type=int, default=2)
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    try:
        (serve if asked.command == "serve" else demo)(asked)
    except Refused as reason:
        print(f"./run {asked.command}: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
