"""The small process that ./run serve leaves behind: it keeps the others running, in the place of the one that prepared
everything and of all that this one had loaded. Only the standard library is needed.
"""

import json
import os
import signal
import sys
from typing import NoReturn

from config.processes import ROOT, STOPPING, House, Keeper


def hand_over(keepers: list[Keeper], env: dict[str, str]) -> NoReturn:
    """Go on as the watcher of these, in the same process; every one of them gets `env`, as it does."""
    asked = json.dumps([{"name": kept.name, "words": kept.words} for kept in keepers])
    os.chdir(ROOT)
    sys.stdout.flush()
    # One that comes from here on waits until the watcher can hear it.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    # Without `site`, which would look for installed packages.
    os.execve(sys.executable, [sys.executable, "-S", "-m", "config.watching", asked], env)


def watch(keepers: list[Keeper]) -> None:
    house = House(keepers)
    house.stop_on_signals()
    try:
        house.run()
    finally:
        house.stop()


def main() -> None:
    asked = json.loads(sys.argv[1])
    watch([Keeper(kept["name"], kept["words"], dict(os.environ), log=None) for kept in asked])


if __name__ == "__main__":
    main()
