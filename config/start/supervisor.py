"""Starts and supervises a web server and a worker: ./run demo, dev and serve."""

import argparse
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from config.start import private_files, watching
from config.start.preparing import StartRefused, check_writable, host_and_port, prepare, reachable
from config.start.processes import FileWatch, ManagedProcess, Supervisor, say

if TYPE_CHECKING:
    from config.start.demo import Seeded


def processes(asked: argparse.Namespace, env: dict[str, str], logs: Path | None) -> list[ManagedProcess]:
    python = [sys.executable, "-m"]
    web = ["config.web", "--host", asked.host, "--port", str(asked.port), "--processes", str(asked.web)]
    celery = ["celery", "--quiet", "--app", "config", "worker"]
    celery += ["--concurrency", str(asked.workers)]
    children = []
    if asked.web:
        children.append(ManagedProcess("The web server", [*python, *web], env, logs and logs / "web.log"))
    if asked.workers:
        children.append(ManagedProcess("The worker", [*python, *celery], env, logs and logs / "worker.log"))
    return children


def prepare_interruptibly(asked: argparse.Namespace) -> dict[str, str]:
    """`prepare`; Ctrl-C meanwhile ends the start, even where a module that is being loaded swallows the exception."""
    heard = False

    def hear(number: int, frame: FrameType | None) -> NoReturn:
        nonlocal heard
        heard = True
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, hear)
    try:
        env = prepare(asked)
    finally:
        signal.signal(signal.SIGINT, before)
    if heard:
        raise KeyboardInterrupt
    return env


def demo(asked: argparse.Namespace) -> None:
    began = time.monotonic()
    env = prepare_interruptibly(asked)
    from django.conf import settings  # late for Django

    logs = settings.VAR / "log"
    check_writable(logs)
    supervisor = Supervisor(processes(asked, env, logs))
    if asked.command == "dev":
        supervisor.changed = FileWatch().changed
    supervisor.stop_on_signals()
    try:
        supervisor.start()
        seeded = seed(asked.empty)
        wait_until_served(asked, supervisor)
        address = f"http://{host_and_port(reachable(asked.host), asked.port)}"
        print_introduction(seeded, address, settings.VAR, time.monotonic() - began)
        end_tour = start_tour(seeded, address)
        supervisor.run()
        say("Stopping …")
        end_tour()
    finally:
        supervisor.stop()


def seed(empty: bool) -> "Seeded":
    from django.utils import timezone  # late for Django

    from config.start import demo  # late for Django

    return demo.seed(timezone.now(), empty=empty)


def print_introduction(seeded: "Seeded", address: str, var: Path, seconds: float) -> None:
    say(f"\n  Candor is ready: {address}/   ({seconds:.1f} s)\n")
    for role, (username, password) in seeded.passwords.items():
        say(f"  {role:<11} {username:<16} {password}")
    if seeded.yours:
        say(f"\n  A survey to answer: {address}{seeded.yours.address}")
    say(f"\n  Press Ctrl-C to stop. Data and sent emails are stored in {var}.\n")


def start_tour(seeded: "Seeded", address: str) -> Callable[[], None]:
    """Run the tour of the demonstration in a thread; return the function that stops it."""
    from config.start.demo import Tour  # late for Django

    stop = Event()
    walking = Thread(target=Tour(seeded, address, say, stop).walk, daemon=True)
    walking.start()

    def end() -> None:
        stop.set()
        walking.join(5)

    return end


def wait_until_served(asked: argparse.Namespace, supervisor: Supervisor) -> None:
    host = reachable(asked.host)
    while not supervisor.asked_to_stop:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            if probe.connect_ex((host, asked.port)) == 0:
                return
        for process in supervisor.processes:
            process.restart_if_ended(time.monotonic())
        time.sleep(0.05)


def serve(asked: argparse.Namespace) -> NoReturn:
    env = prepare_interruptibly(asked)
    watching.hand_over(processes(asked, env, None), env)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser()
    made.add_argument("command", choices=["demo", "dev", "serve"])
    made.add_argument("--host", required=True, type=lambda host: host.strip("[]"))
    made.add_argument("--port", type=int, required=True)
    made.add_argument("--empty", action="store_true")
    made.add_argument("--web", type=int, default=2)
    made.add_argument("--workers", type=int, default=1)
    return made


def main() -> int:
    os.umask(private_files.UMASK)
    asked = parser().parse_args()
    try:
        (serve if asked.command == "serve" else demo)(asked)
    except StartRefused as reason:
        print(f"./run {asked.command}: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
