"""Starts a web server and a worker and stays with them: ./run demo, dev and serve."""

import argparse
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Thread
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from config.start import private_files
from config.start.preparing import StartRefused, check_writable, host_and_port, prepare, reachable
from config.start.processes import ChildProcess, FileWatch, Supervisor, hand_over, say

if TYPE_CHECKING:
    from config.start.demo import Seeded


def processes(asked: argparse.Namespace, env: dict[str, str], logs: Path | None) -> list[ChildProcess]:
    python = [sys.executable, "-m"]
    web = ["config.web", "--host", asked.host, "--port", str(asked.port), "--processes", str(asked.web)]
    web += ["--respondents-port", str(asked.respondents_port)] if asked.respondents_port else []
    celery = ["celery", "--quiet", "--app", "config", "worker"]
    celery += ["--concurrency", str(asked.workers)]
    children = []
    if asked.web:
        children.append(ChildProcess("web", [*python, *web], env, logs and logs / "web.log"))
    if asked.workers:
        children.append(ChildProcess("worker", [*python, *celery], env, logs and logs / "worker.log"))
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


def demo(asked: argparse.Namespace) -> int:
    began = time.monotonic()
    env = prepare_interruptibly(asked)
    from django.conf import settings  # late for Django

    logs = settings.VAR / "log"
    check_writable(logs)
    supervisor = Supervisor(
        processes(asked, env, logs), watch=FileWatch() if asked.command == "dev" else None
    )
    supervisor.stop_on_signals()
    with ExitStack() as at_end:
        at_end.callback(supervisor.stop)
        supervisor.start()
        seeded = seed(asked.empty)
        if is_served(asked, supervisor):
            address = f"http://{host_and_port(reachable(asked.host), asked.port)}"
            print_introduction(seeded, address, settings.VAR, time.monotonic() - began)
            at_end.callback(start_tour(seeded, address))
        status = supervisor.run()
        say("Stopping …")
        return status


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


def is_served(asked: argparse.Namespace, supervisor: Supervisor) -> bool:
    """Wait until the web server answers; False where it does not before all stops."""
    host = reachable(asked.host)
    while not (supervisor.asked_to_stop or supervisor.ended):
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            if probe.connect_ex((host, asked.port)) == 0:
                return True
        time.sleep(0.05)
    return False


def serve(asked: argparse.Namespace) -> NoReturn:
    env = prepare_interruptibly(asked)
    hand_over(processes(asked, env, None), env)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser()
    made.add_argument("command", choices=["demo", "dev", "serve"])
    made.add_argument("--host", required=True, type=lambda host: host.strip("[]"))
    made.add_argument("--port", type=int, required=True)
    made.add_argument("--respondents-port", type=int)
    made.add_argument("--empty", action="store_true")
    made.add_argument("--web", type=int, default=2)
    made.add_argument("--workers", type=int, default=1)
    return made


def main() -> int:
    os.umask(private_files.UMASK)
    asked = parser().parse_args()
    try:
        return (serve if asked.command == "serve" else demo)(asked)
    except StartRefused as reason:
        print(f"./run {asked.command}: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
