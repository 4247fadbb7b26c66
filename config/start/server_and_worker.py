"""Starts a web server and a worker and supervises them: ./run demo, dev and serve."""

import argparse
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from config.start import file_permissions
from config.start.process_supervisor import (
    ChildProcess,
    FileWatch,
    Supervisor,
    print_step,
    replace_by_supervisor,
    say,
)
from config.start.start_preparation import (
    StartRefused,
    host_and_port,
    host_to_reach,
    prepare_start,
    require_writable_folder,
)

if TYPE_CHECKING:
    from config.start.demo_content import Seeded


def server_and_worker_processes(
    asked: argparse.Namespace, env: dict[str, str], logs: Path | None
) -> list[ChildProcess]:
    """Returns the processes of a web server and a worker, not yet started."""
    web = [
        "config.web_server",
        "--host",
        asked.host,
        "--port",
        str(asked.port),
        "--processes",
        str(asked.web),
    ]
    web += ["--respondents-port", str(asked.respondents_port)] if asked.respondents_port else []
    worker = ["celery", "--quiet", "--app", "config", "worker", "--concurrency", str(asked.workers)]
    return [
        ChildProcess(name, [sys.executable, "-m", *words], env, logs and logs / f"{name}.log")
        for name, number, words in (("web", asked.web, web), ("worker", asked.workers, worker))
        if number
    ]


def run_demo(asked: argparse.Namespace) -> int:
    """Runs a web server, a worker and the demo's steps until one ends; returns the exit status."""
    began = time.monotonic()
    env = prepare_start(asked)
    from django.conf import settings  # late for Django

    logs = settings.VAR / "log"
    require_writable_folder(logs)
    watch = FileWatch() if asked.command == "dev" else None
    supervisor = Supervisor(server_and_worker_processes(asked, env, logs), watch)
    supervisor.stop_on_signals()
    with ExitStack() as at_end:
        at_end.callback(supervisor.stop)
        supervisor.start()
        with print_step("Making the accounts" if asked.empty else "Opening the demonstration survey"):
            seeded = seed_demo(asked.empty)
        with print_step("Waiting for the web server"):
            served = wait_until_served(asked, supervisor)
        if served:
            address = f"http://{host_and_port(host_to_reach(asked.host), asked.port)}"
            seeded.print_welcome(address, settings.VAR, time.monotonic() - began, say)
            if asked.second_party:
                at_end.callback(serve_second_party(seeded, address, asked.port + 1, settings.VAR))
            at_end.callback(seeded.start_tour(address, say))
        status = supervisor.run()
        say("Stopping …")
        return status


def seed_demo(empty: bool) -> "Seeded":
    from django.utils import timezone  # late for Django

    from config.start import demo_content  # late for Django

    return demo_content.create_demo_content(timezone.now(), empty=empty)


def serve_second_party(seeded: "Seeded", address: str, port: int, var: Path) -> Callable[[], None]:
    """Serves the page of a survey at this port, as somebody else would; returns the function that stops it."""
    from django.utils import timezone  # late for Django

    from config.start import demo_content, second_party  # late for Django

    now = timezone.now()
    draft = demo_content.demo_questionnaire_draft(timezone.localdate(now))
    own = second_party.draft_of_second_party(draft)
    owner = seeded.people["researcher"]
    survey, stop = second_party.start_second_party(owner, own, port, var / "second-party", now)
    say(f"  Its page comes from a second party, and its records come here: http://localhost:{port}/")
    say(f"  This site only says so, and which files it froze: {address}{survey.address}\n")
    return stop


def wait_until_served(asked: argparse.Namespace, supervisor: Supervisor) -> bool:
    """Waits until the web server answers; returns False if a process ends first, or a stop is requested."""
    host = host_to_reach(asked.host)
    while not (supervisor.asked_to_stop or supervisor.ended_process):
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            if probe.connect_ex((host, asked.port)) == 0:
                return True
        time.sleep(0.05)
    return False


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser()
    made.add_argument("command", choices=["demo", "dev", "serve"])
    made.add_argument("--host", default="127.0.0.1", type=lambda host: host.strip("[]"))
    made.add_argument("--port", type=int, default=8000)
    made.add_argument("--respondents-port", type=int)
    made.add_argument("--empty", action="store_true")
    made.add_argument("--second-party", action="store_true")
    made.add_argument("--web", type=int, default=2)
    made.add_argument("--workers", type=int, default=1)
    return made


def main() -> int:
    """Runs the command demo, dev or serve; returns the exit status."""
    os.umask(file_permissions.UMASK)
    # Until the supervisor handles it, Ctrl-C ends the start: an exception could be swallowed by a module that loads.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    asked = parser().parse_args()
    try:
        if asked.command != "serve":
            return run_demo(asked)
        env = prepare_start(asked)
        replace_by_supervisor(server_and_worker_processes(asked, env, None), env)
    except StartRefused as reason:
        print(f"./run {asked.command}: {reason}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
