"""How many visits a second one web process of this machine answers: the page of a survey, and the record sent from it.

`./run bench capacity` answers 1,000 visits in this process, without a network, through all that a request passes, with
SQLite on the disk of TMPDIR, sealing included. The figure is printed with the processor time of a visit, and kept in
VAR; the page of background work shows it with its date. For less: `--visits 200`.
"""

import argparse
import os
import secrets
import sys
import tempfile
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from config import environment
from tests import servers

if TYPE_CHECKING:
    from django.test import Client

QUESTIONS, WARM_UP = 40, 20


def visit(client: "Client", address: str, envelope: str) -> None:
    page = client.get(address)
    headers = {"Sec-Fetch-Site": "same-origin"}
    stored = client.post(f"{address}/record", envelope, content_type="application/json", headers=headers)
    if (page.status_code, stored.status_code) != (200, 201):
        raise SystemExit(f"a visit was answered {page.status_code} and {stored.status_code}")


def measured(visits: int) -> tuple[float, float]:
    """Seconds in all, and of these of the processor."""
    from django.test import Client  # late for Django

    from tests.intake import asked  # late for Django

    asks = asked.design(least=20, digits=QUESTIONS)
    address = f"/a/{asked.survey(asks).slug}"
    envelopes = [asked.envelope(asks, number).json for number in range(visits + WARM_UP)]
    client = Client(headers={"host": "localhost"})
    for envelope in envelopes[:WARM_UP]:
        visit(client, address, envelope)
    began, used = time.perf_counter(), time.process_time()
    for envelope in envelopes[WARM_UP:]:
        visit(client, address, envelope)
    return time.perf_counter() - began, time.process_time() - used


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run bench capacity", description=__doc__)
    parser.add_argument("--visits", type=environment.parse_whole_number(1, 100_000), default=1_000)
    args = parser.parse_args()
    kept = environment.Environment(os.environ).read(
        "VAR", environment.parse_exclusive_folder, servers.ROOT / "var"
    )
    with tempfile.TemporaryDirectory(prefix="candor-bench-") as var:
        own = {"VAR": var, "SECRET_KEY": secrets.token_hex(32), "DJANGO_SETTINGS_MODULE": "config.settings"}
        os.environ.clear()
        os.environ.update(servers.environment(RECORDS_PER_MINUTE="1000000", LOG_LEVEL="ERROR", **own))

        import django  # late for its settings

        django.setup()
        from django.conf import settings  # late for Django

        from config.metrics import capacity_benchmark_result  # late for Django
        from config.start import start_preparation  # late for Django

        start_preparation.migrate()
        start_preparation.collect_static(settings.VAR, with_brotli=True)
        seconds, busy = measured(args.visits)
        figure = round(args.visits / seconds)
        day = datetime.now(UTC).date()
        capacity_benchmark_result.store_capacity(kept, figure, day)
    print(f"{figure:,} visits a second, of {args.visits:,}, in one process on {day}")
    print(f"{1000 * busy / args.visits:.1f} ms of processor time a visit; {os.cpu_count()} processors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
