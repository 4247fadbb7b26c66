"""The small supervising process of ./run serve. It replaces the process that prepared everything, by exec, so that
what that one had loaded takes no memory. Only the standard library is needed.
"""

import json
import os
import signal
import sys
from typing import NoReturn

from config.start.processes import ROOT, STOP_SIGNALS, ManagedProcess, Supervisor


def hand_over(processes: list[ManagedProcess], env: dict[str, str]) -> NoReturn:
    """Replace this process by the supervisor of `processes`. The supervisor and all of them get `env`."""
    asked = json.dumps([{"name": one.name, "command": one.command} for one in processes])
    os.chdir(ROOT)
    sys.stdout.flush()
    # A signal from here on waits until the supervisor handles signals.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    # Without `site`, which would look for installed packages.
    os.execve(sys.executable, [sys.executable, "-S", "-m", "config.start.watching", asked], env)


def watch(processes: list[ManagedProcess]) -> None:
    supervisor = Supervisor(processes)
    supervisor.stop_on_signals()
    try:
        supervisor.run()
    finally:
        supervisor.stop()


def main() -> None:
    asked = json.loads(sys.argv[1])
    watch([ManagedProcess(one["name"], one["command"], dict(os.environ), log=None) for one in asked])


if __name__ == "__main__":
    main()
