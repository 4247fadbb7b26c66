"""How many seconds the demonstration takes from its start to its last line, the address of the published report,
and how soon a browser paints that report, and how many bytes it loads.

./run bench demo [--times 2]

Each time with an empty VAR, so that tables, static files and compiled loops are made anew; what requirements.lock names
is installed already. The report is opened by Chromium, as the researcher: the median of five visits with an
empty cache, and the bytes of all that it loads, as sent.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
LAST = "/reports/"
RESEARCHER, REVIEWER = "demo-researcher", "demo-reviewer"
VISITS = 5
PAINTS = "performance.getEntriesByName('first-contentful-paint')"
BYTES = "performance.getEntries().reduce((sum, one) => sum + (one.transferSize || 0), 0)"


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run bench demo", description=__doc__)
    parser.add_argument("--times", type=int, default=2)
    asked = parser.parse_args()
    taken = []
    for time_ in range(asked.times):
        with tempfile.TemporaryDirectory(prefix="candor-demo-") as folder, demo(folder) as ready:
            if ready is None:
                print("the demonstration ended before its report was published", file=sys.stderr)
                return 1
            taken.append(ready.seconds)
            print(f"ready in {ready.seconds:.0f} s", flush=True)
            if time_ == asked.times - 1:
                print_paint(ready)
    print(f"median {median(taken):.0f} s")
    return 0


@dataclass(frozen=True)
class Ready:
    """`survey`: where it is answered; `passwords`: by the name of the account."""

    seconds: float
    report: str
    survey: str
    passwords: dict[str, str]

    @property
    def site(self) -> str:
        address = urlsplit(self.report)
        return f"{address.scheme}://{address.netloc}"

    def sign_in(self, page: Page, name: str) -> None:
        page.goto(f"{self.site}/account/sign-in")
        page.fill("input[name=username]", name)
        page.fill("input[name=password]", self.passwords[name])
        page.click("main button[type=submit]")
        page.wait_for_url(f"{self.site}/account/home")


@contextmanager
def demo(var: str) -> Iterator[Ready | None]:
    """The demonstration while it runs; None where it ends before. What it says meanwhile goes to standard error."""
    words = [sys.executable, "-m", "config.start.supervisor", "demo"]
    words += ["--host", "127.0.0.1", "--port", str(free_port())]
    env = {**os.environ, "VAR": var, "DATABASE_URL": "", "PYTHONUNBUFFERED": "1"}
    began, ready, survey = time.monotonic(), None, ""
    passwords: dict[str, str] = {}
    with subprocess.Popen(words, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            for line in process.stdout:
                print(f"{time.monotonic() - began:6.1f} {line}", end="", file=sys.stderr)
                for name in {RESEARCHER, REVIEWER} & set(line.split()):
                    passwords.setdefault(name, line.split()[-1])
                if "/a/" in line:
                    survey = line.split()[-1]
                if line.strip().startswith("http") and LAST in line:
                    ready = Ready(time.monotonic() - began, line.strip(), survey, passwords)
                    break
            yield ready
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate()


def print_paint(ready: Ready) -> None:
    """First contentful paint of the report at 1280 pixels, and what it loads."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        signed_in = browser.new_context()
        page = signed_in.new_page()
        ready.sign_in(page, RESEARCHER)
        cookies, paints, size = signed_in.storage_state(), [], 0
        for _visit in range(VISITS):
            visit = browser.new_context(storage_state=cookies, viewport={"width": 1280, "height": 900})
            page = visit.new_page()
            page.goto(ready.report, wait_until="load")
            while not page.evaluate(f"{PAINTS}.length"):
                page.wait_for_timeout(10)
            paints.append(page.evaluate(f"{PAINTS}[0].startTime"))
            size = page.evaluate(BYTES)
            visit.close()
        browser.close()
    print(f"report: first paint after {median(paints):.0f} ms (median of {VISITS}), {size / 1000:.0f} kB")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


if __name__ == "__main__":
    sys.exit(main())
