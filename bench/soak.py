"""The long soak, while parts of the product are killed, stopped and restarted; writes bench/figures/reliability.md.

`./run bench soak` takes an hour, half of it for each of the two stacks. `--seed` brings the same faults in the same
order, `--stack` takes one stack alone and leaves the chapter of the other, `--output` writes elsewhere. Exit status 1
if anything was not as expected.
"""

import argparse
import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import bench.load  # noqa: F401 - it sets Django up
from bench.markdown import section, table
from tests.soak import load, soak, system
from tests.soak.soak import Outcome

DOCUMENT = Path(__file__).parent.parent / "bench" / "figures" / "reliability.md"
HEAD = """# What happens when parts of Candor fail?

Nothing in the chapters of the two stacks is edited by hand.

`./run serve` with two web processes and two jobs at a time takes in {rate:g} respondents a second; in percent,
{ways}.
All go on sending until they are told what became of their record. At the same time one fault after the other hits the
product, in random order. Each time a job of {job:g} s is running, and a mining run is started a moment before.
*Healthy* means that `/healthz` says so; then the job that was hit must be done, and a new one is started.

Beside them are at work all the time: field devices, which are killed too; people whose invitations are exchanged;
people who disguise sets of choices and itemsets, and others whose disguise lasts over two rounds; somebody who builds a
draft; a researcher who starts runs, a reviewer who decides, publishes and withdraws, and readers who fetch files; an
owner and a reviewer of releases; a program that makes, opens and closes surveys by the HTTP API; and a receiver of
webhooks, which answers a tenth of the deliveries with 500 and hangs up on another tenth. PostgreSQL and Redis are
behind nginx with the lines of deploy/. One of the faults is an upgrade: a newer program with one more migration.

After the last fault all of them stop, and everything is counted. A record is acknowledged if its respondent received
status 200 or 201. Records are told apart by a number in their answers. When one process ends, all end, and are started
again at once, as systemd and compose do. What is no record and got no reply is sent again with its key, or looked for
first, as people do. Events are promised at least once and in no order.

While PostgreSQL or Redis is away, pages that need it answer 503 with `Retry-After` and say so in words, and a
respondent's device keeps its record and sends it again; a log has one line of an outage, and the number of its
repetitions once it is over. A start waits five minutes for PostgreSQL, and its port answers 503 until then.
"""
OTHERS = "\n## Under attack"
"""What other benches print follows from there on."""


def document(asked: argparse.Namespace, outcomes: Sequence[Outcome], before: str) -> str:
    """The chapters of these stacks made anew, that of another one and those of other benches as they were `before`."""
    ours, others, rest = before.partition(OTHERS)
    made = {outcome.stack: "\n".join(chapter(asked, outcome)) for outcome in outcomes}
    for stack, title in system.STACKS.items():
        made.setdefault(stack, section(ours, f"## {title}"))
    ways = ", ".join(f"{percent} {way}" for way, percent in load.WAYS.items())
    head = HEAD.format(rate=soak.RATE, job=soak.JOB, ways=ways)
    return "\n".join([head, *(made[stack] for stack in system.STACKS if made[stack])]) + others + rest


def chapter(asked: argparse.Namespace, outcome: Outcome) -> Iterator[str]:
    minutes, stack = outcome.seconds / 60, f" --stack {asked.stack}" if asked.stack else ""
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    yield f"## {system.STACKS[outcome.stack]}\n"
    yield (
        f"Made by `./run bench soak --minutes {asked.minutes:g} --seed {asked.seed}{stack}` on "
        f"{datetime.now(UTC):%Y-%m-%d}, on a machine with {os.cpu_count()} cores and {gigabytes:.0f} GB of memory.\n"
    )
    yield f"{len(outcome.struck)} faults in {minutes:.1f} minutes. {verdict(outcome)}\n"
    yield from table(["fault", "times", "expectation", "observed"], outcome.rows())
    yield ""
    checks = ((check.what, check.expected, check.observed) for check in outcome.checks)
    yield from table(["counted afterwards", "expectation", "observed"], checks)
    yield ""


def verdict(outcome: Outcome) -> str:
    wrong = "; ".join(outcome.unexpected_results)
    return f"**Not as expected:** {wrong}" if wrong else "Everything was as expected."


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60, help="in all (default 60)")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--stack", choices=list(system.STACKS))
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    asked = parser.parse_args()
    stacks = [asked.stack] if asked.stack else list(system.STACKS)
    print(f"seed {asked.seed}", flush=True)
    outcomes = [soak.soak(stack, 60 * asked.minutes / len(stacks), asked.seed) for stack in stacks]
    asked.output.write_text(document(asked, outcomes, DOCUMENT.read_text()))
    for outcome in outcomes:
        print(f"{outcome.stack}: {len(outcome.struck)} faults. {verdict(outcome)}")
    sys.exit(any(outcome.unexpected_results for outcome in outcomes))


if __name__ == "__main__":
    main()
