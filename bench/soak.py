"""The long soak, while parts of the product are killed, stopped and restarted; writes bench/figures/reliability.md.

`./run bench soak` takes an hour, half of it for each of the two stacks. `--seed` brings the same faults in the same
order, `--stack` takes one stack alone, `--output` writes elsewhere. Exit status 1 if anything was not as expected.
"""

import argparse
import os
import secrets
import shlex
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import bench.load  # noqa: F401 - it sets Django up
from bench.markdown import table
from tests.soak import load, soak, system
from tests.soak.soak import Outcome

DOCUMENT = Path(__file__).parent.parent / "bench" / "figures" / "reliability.md"
HEAD = """# What happens when parts of Candor fail?

Made by `{command}` on {date}, seed {seed}, on a machine with {machine}. Nothing in the chapters of
the two stacks is edited by hand.

`./run serve` with two web processes and two jobs at a time takes in {rate:g} respondents a second; in percent,
{ways}.
All go on sending until they are told what became of their record. At the same time one fault after the other hits the
product, in random order. Each time a job of {job:g} s is running, and a mining run is started a moment before.
*Healthy* means that `/healthz` says so; then the job that was hit must be done, and a new one is started.

After the last fault the load stops, and everything is counted. A record is acknowledged if its respondent received
status 200 or 201. Records are told apart by a number in their answers. When one process ends, all end, and are started
again at once, as systemd and compose do.

While PostgreSQL or Redis is away, pages that need it answer 503 with `Retry-After` and say so in words, and a
respondent's device keeps its record and sends it again; a log has one line of an outage, and the number of its
repetitions once it is over. A start waits five minutes for PostgreSQL, and its port answers 503 until then.
"""
OTHERS = "\n## Under attack"
"""What other benches print follows from there on."""


def document(asked: argparse.Namespace, outcomes: Sequence[Outcome]) -> str:
    words = ["./run", "bench", "soak", "--minutes", f"{asked.minutes:g}", "--seed", str(asked.seed)]
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    facts = {
        "command": shlex.join([*words, *(["--stack", asked.stack] if asked.stack else [])]),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": f"{os.cpu_count()} cores and {gigabytes:.0f} GB of memory",
        "ways": ", ".join(f"{percent} {way}" for way, percent in load.WAYS.items()),
    }
    head = HEAD.format(seed=asked.seed, rate=soak.RATE, job=soak.JOB, **facts)
    return "\n".join([head, *(line for outcome in outcomes for line in chapter(outcome))]) + "\n"


def chapter(outcome: Outcome) -> Iterator[str]:
    minutes = outcome.seconds / 60
    yield f"## {system.STACKS[outcome.stack]}\n"
    yield f"{len(outcome.struck)} faults in {minutes:.1f} minutes. {verdict(outcome)}\n"
    yield from table(["fault", "times", "expectation", "observed"], outcome.rows())
    yield ""
    checks = ((check.what, check.expected, check.observed) for check in outcome.checks)
    yield from table(["counted afterwards", "expectation", "observed"], checks)
    yield ""


def verdict(outcome: Outcome) -> str:
    wrong = "; ".join(outcome.wrong)
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
    _soak, chapters_of_others, rest = DOCUMENT.read_text().partition(OTHERS)
    asked.output.write_text(document(asked, outcomes) + chapters_of_others + rest)
    for outcome in outcomes:
        print(f"{outcome.stack}: {len(outcome.struck)} faults. {verdict(outcome)}")
    sys.exit(any(outcome.wrong for outcome in outcomes))


if __name__ == "__main__":
    main()
