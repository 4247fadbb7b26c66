"""Counts requests and their times by group of pages.

No count reveals one person, and no label names anybody. Requests of anonymous pages (`ui.cookie_and_log_paths`) are
collected by a process for a minute; each count is rounded to a multiple of 20, up or down at random, and each
time becomes the middle of its bucket. So even a scrape each second shows no single visit. Requests of
signed-in people are counted at once. The processes of a web server share files in VAR, which start empty with
the server (`prometheus_client`, multiprocess mode).
"""

import os
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

from intake.endpoint.delayed_call import Later, call_in_a_minute
from intake.endpoint.people_asked_to_wait import round_randomly
from ui import cookie_and_log_paths

BUCKETS = (0.01, 0.05, 0.25, 1.0, 5.0)
"""Upper limits in seconds of all buckets but the last."""
MIDDLES = (0.005, 0.03, 0.15, 0.6, 3.0, 10.0)
COUNTS_BYTES = 1 << 18
"""Bytes reserved for the counts of one process, more than all groups, statuses and buckets need."""
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable that prometheus_client reads; the settings set it."""

TIMES = Histogram(
    "candor_request_seconds",
    "Requests by group of pages, and how long they took.",
    ["group", "status"],
    buckets=BUCKETS,
    registry=None,
)


def delete_old_counts(var: Path) -> None:
    """Deletes the files with the request counts of an earlier web server, before a process counts."""
    folder = var / "metrics"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def register_request_counts(registry: CollectorRegistry) -> None:
    """Adds the request counts of all processes of this web server to a Prometheus registry."""
    if FOLDER in os.environ:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    else:
        registry.register(TIMES)


def reserve_counts_space() -> bool:
    """Returns True if this process has disk space for its request counts; tries to reserve it first.

    The counts are a memory-mapped file: if the disk had no room for a page of it, the kernel would kill the process.
    """
    if FOLDER not in os.environ:
        return True
    with suppress(OSError):
        return _reserve_counts_file(os.getpid())
    return False


@cache
def _reserve_counts_file(pid: int) -> bool:
    """Creates the counts file of the process `pid` with its full size, before prometheus_client creates it
    sparse; returns True."""
    with Path(os.environ[FOLDER], f"histogram_{pid}.db").open("ab") as file:
        os.posix_fallocate(file.fileno(), 0, COUNTS_BYTES)
    return True


PAGES = {cookie_and_log_paths.HOME: "home", cookie_and_log_paths.HEALTH: "health"}
FOLDERS = {
    cookie_and_log_paths.RESPONDENTS: "respondents",
    cookie_and_log_paths.PUBLIC: "public",
    cookie_and_log_paths.STATIC: "static",
}


def page_group(path: str) -> str:
    """Returns the group of a page, from a fixed list, so that no label quotes a path."""
    if cookie_and_log_paths.carries_cookies(path):
        room = path.removeprefix(f"{cookie_and_log_paths.APP}/").partition("/")[0]
        return room if room in cookie_and_log_paths.ROOMS else "other"
    if path in PAGES:
        return PAGES[path]
    group = next((group for folder, group in FOLDERS.items() if path.startswith(folder)), "other")
    return "record" if group == "respondents" and path.endswith("/record") else group


class CountKey(NamedTuple):
    """What is counted together: requests of one group of pages, class of status codes and bucket of times."""

    group: str
    status: str
    bucket: int


class RequestTimes:
    """Counts requests and their times.

    `later` calls a function after a minute; `rounded` rounds a count at random.
    """

    def __init__(self, later: Later, rounded: Callable[[int], int] = round_randomly) -> None:
        self._later, self._rounded = later, rounded
        self._counts: Counter[CountKey] = Counter()
        self._lock = Lock()

    def count_page_request(self, path: str, code: int, seconds: float) -> None:
        """Counts a request; that of an anonymous page is kept back for at most a minute."""
        if not reserve_counts_space():
            return
        group, status = page_group(path), f"{code // 100}xx"
        if cookie_and_log_paths.carries_cookies(path):
            TIMES.labels(group, status).observe(seconds)
            return
        bucket = sum(seconds > longest for longest in BUCKETS)
        with self._lock:
            is_first = not self._counts
            self._counts[CountKey(group, status, bucket)] += 1
        if is_first:
            self._later(self.flush)

    def flush(self) -> None:
        """Adds the counts that were kept back to the metrics, rounded at random."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
        for series, n in counts.items():
            # A series of zero would tell that somebody was there: it begins with the first twenty.
            for _ in range(self._rounded(n)):
                TIMES.labels(series.group, series.status).observe(MIDDLES[series.bucket])


REQUEST_TIMES = RequestTimes(call_in_a_minute)
