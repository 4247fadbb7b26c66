"""Do intervals, tests and badges hold what they promise? Measures the sections that are named, or all.

python -m bench.coverage [SECTION ...] [--seed 1] [--processes 2]
"""

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

from bench.coverage.page import page
from bench.coverage.section import measured, sections

SECTIONS = sections()
PAGE, NUMBERS = Path("bench/figures/coverage.md"), Path("bench/figures/coverage.json")


def main() -> None:
    names = [section.name for section in SECTIONS]
    parser = argparse.ArgumentParser(prog="./run bench coverage", description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", choices=[*names, []], help="all, if none is named")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    result = json.loads(NUMBERS.read_text()) if NUMBERS.exists() else {}
    with ProcessPoolExecutor(asked.processes) as pool:
        for section in SECTIONS:
            if asked.sections and section.name not in asked.sections:
                continue
            began = time.monotonic()
            summaries = measured(section, asked.seed, pool)
            sizes = {"seed": asked.seed, "draws": section.draws, "again": section.again}
            result[section.name] = {**sizes, "measures": [asdict(summary) for summary in summaries]}
            failed = [row.measure for row in summaries if row.beyond > section.bars[row.measure].but]
            beyond = f"; beyond: {failed}" if failed else ""
            print(f"{section.name}: {time.monotonic() - began:.0f} s{beyond}")
            ordered = {name: result[name] for name in names if name in result}
            NUMBERS.write_text(json.dumps(ordered, indent=1) + "\n")
            PAGE.write_text(page(PAGE.read_text(), ordered, SECTIONS))


if __name__ == "__main__":
    main()
