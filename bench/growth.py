"""What grows while records come in for an hour: memory, open files, rows of tables, bytes, lines of the log.

`./run bench growth` takes an hour, half of it for each of the two stacks, and writes its chapter of
bench/figures/reliability.md. `--minutes`, `--stack`, `--rate` (respondents a second). Exit status 1 if anything grew
beyond its bound.
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
from tests.soak import system
from tests.soak.load import Check, Look, measure_growth

DOCUMENT = Path(__file__).parent / "figures" / "reliability.md"
HEADING = "## What grows"
HEAD = f"""{HEADING}

`./run serve` takes in respondents, a job every few seconds and a mining run each minute, and nothing is broken on
purpose. The figures are those of the last two thirds of the time.
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench growth", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60, help="in all (default 60)")
    parser.add_argument("--rate", type=float, default=25.0, help="respondents a second (default 25)")
    parser.add_argument("--stack", choices=list(system.STACKS))
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    asked = parser.parse_args()
    stacks, is_wrong = [asked.stack] if asked.stack else list(system.STACKS), False
    for stack in stacks:
        looks, checks = measure_growth(stack, 60 * asked.minutes / len(stacks), asked.seed, asked.rate)
        lines = list(part(asked, stack, looks, checks))
        print("\n".join(lines), flush=True)
        # What the other stack then does takes nothing of it along.
        write_part(asked.output, stack, lines)
        is_wrong |= not all(each.holds for each in checks)
    sys.exit(is_wrong)


def part(
    asked: argparse.Namespace, stack: str, looks: Sequence[Look], checks: Sequence[Check]
) -> Iterator[str]:
    one = f" --stack {asked.stack}" if asked.stack else ""
    minutes = (looks[-1].moment - looks[0].moment) / 60
    yield f"{title(stack)}\n"
    yield (
        f"Made by `./run bench growth --minutes {asked.minutes:g} --rate {asked.rate:g} --seed {asked.seed}{one}` on "
        f"{datetime.now(UTC):%Y-%m-%d}, on a machine with {os.cpu_count()} cores: {looks[-1].records:,} records in "
        f"{minutes:.1f} minutes.\n"
    )
    rows = ((each.what, each.expected, each.observed) for each in checks)
    yield from table(["what grew", "bound", "observed"], rows)
    yield ""


def title(stack: str) -> str:
    return f"### {system.STACKS[stack]}"


def write_part(document: Path, stack: str, lines: Sequence[str]) -> None:
    """In the place of what was told of this stack; the other one's stays."""
    before = document.read_text() if document.exists() else ""
    chapter = section(before, HEADING)
    parts = {each: section(chapter, title(each)) for each in system.STACKS} | {stack: "\n".join(lines)}
    made = "\n".join([HEAD, *filter(None, parts.values())])
    rest = before.replace(chapter, made) if chapter else f"{before}\n{made}"
    document.write_text(rest.rstrip("\n") + "\n")


if __name__ == "__main__":
    main()
