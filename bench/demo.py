"""How many seconds the demonstration takes from its start to its last line, the address of the published report.

./run bench demo [--times 2]

Each time with an empty VAR, so that tables, static files and compiled loops are made anew; what requirements.lock names
is installed already.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
LAST = "/reports/"


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run bench demo", description=__doc__)
    parser.add_argument("--times", type=int, default=2)
    asked = parser.parse_args()
    taken = []
    for _time in range(asked.times):
        with tempfile.TemporaryDirectory(prefix="candor-demo-") as folder:
            seconds = seconds_to_ready(folder)
        if seconds is None:
            print("the demonstration ended before its report was published", file=sys.stderr)
            return 1
        taken.append(seconds)
        print(f"ready in {seconds:.0f} s", flush=True)
    print(f"median {median(taken):.0f} s")
    return 0


def seconds_to_ready(var: str) -> float | None:
    """None where it ends before. What it says meanwhile goes to standard error."""
    words = [sys.executable, "-m", "config.start.supervisor", "demo"]
    words += ["--host", "127.0.0.1", "--port", str(free_port())]
    env = {**os.environ, "VAR": var, "DATABASE_URL": "", "PYTHONUNBUFFERED": "1"}
    began = time.monotonic()
    with subprocess.Popen(words, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            for line in process.stdout:
                print(f"{time.monotonic() - began:6.1f} {line}", end="", file=sys.stderr)
                if line.strip().startswith("http") and LAST in line:
                    return time.monotonic() - began
            return None
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


if __name__ == "__main__":
    sys.exit(main())
