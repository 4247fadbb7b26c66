"""What does a number by classes cost a run? Mining with rules of 40 yes/no questions, with and without the number.

./run bench scores [--records 1000000] [--turns 3] [--limits 20]     Processor time, in pairs.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from mining.counting import BitmapCounter
from mining.engines.bitmap import find
from mining.parameters import Parameters
from privacy.designs import Design, parse
from privacy.kinds.number.form import ClassesQuestion
from privacy.records import DISGUISED
from privacy.records.columns import Columns, pack, read
from privacy.simulation.disguise import disguise

ITEMS, MOST_ITEMS = 40, 3
WANTED = Parameters(0.3, 0.3, max_size=MOST_ITEMS)


def design(limits: int) -> Design:
    """40 yes/no questions, and a number of so many limits where there are any."""
    choices = {"choices": ["no", "yes"], "noise": ["0.5", "0.5"]}
    asked = [{"name": f"q{at}", **choices} for at in range(ITEMS)]
    sections: list[dict[str, Any]] = [{"kind": "unrelated-question", "keep": "0.9", "questions": asked}]
    if limits:
        number = {"name": "number", "law": "classes", "limits": [*range(1, limits + 1)], "cuts": 5}
        sections.append({"kind": "number", "keep": "0.75", "questions": [number]})
    return parse(json.dumps({"format": "candor-design/1", "open_answers": False, "sections": sections}))


def records(form: Design, limits: int, n: int) -> Columns:
    rng = np.random.default_rng(1)
    truth = (rng.random((ITEMS, n)) < np.linspace(0.2, 0.8, ITEMS)[:, None]).astype(np.uint32)
    if limits:
        number = form.questions[-1]
        assert isinstance(number, ClassesQuestion)
        first = number.true_code(0) or 0
        truth = np.vstack([truth, first + rng.integers(0, limits + 1, n).astype(np.uint32)])
    group = np.full(n, DISGUISED, np.uint8)
    return read(form, pack(form, group, disguise(form, group, truth, rng)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench scores", description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--limits", type=int, default=20)
    asked = parser.parse_args()
    cache = Path("var/numba")
    both = []
    for limits in (0, asked.limits):
        form = design(limits)
        both.append((form, records(form, limits, asked.records)))
    for turn in range(-1, asked.turns):
        seconds, itemsets, rules = [], [], []
        for form, columns in both:
            began = time.process_time()
            found = find(BitmapCounter(form.mined, [columns], cache), WANTED)
            seconds.append(time.process_time() - began)
            itemsets.append(len(found.frequent.itemsets))
            rules.append(len(found.rules))
        if turn >= 0:  # The first turn compiles.
            print(
                f"{seconds[0]:.2f} s without, {seconds[1]:.2f} s with: {seconds[1] / seconds[0]:.2f} times; itemsets "
                f"{itemsets[0]:,} and {itemsets[1]:,}, rules {rules[0]:,} and {rules[1]:,}",
                flush=True,
            )


if __name__ == "__main__":
    main()
