"""What does a number by classes cost a run? 40 yes/no questions, mined with rules, with and without the number.

Of mining alone, and of a whole run on SQLite: reading and counting of codes + search + storing. The number brings
items, so a run finds more itemsets and rules: it prints the ratio of the whole, of an itemset and of a rule.

./run bench scores [--records 1000000] [--turns 3] [--limits 20]     Processor time, in pairs.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone

from bench.load import instance  # it sets Django up; before what has models
from mining.counting import BitmapCounter
from mining.counting.code_counts import CodeCounts
from mining.engines.bitmap import find
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from privacy.designs import Design
from privacy.kinds.number.classes.section import ClassesQuestion
from privacy.records import DISGUISED
from privacy.records.columns import Columns, pack, read
from privacy.simulation.disguise import disguise
from runs.models import Run
from runs.searching import search
from runs.storing import store
from surveys.models import Design as StoredDesign, Survey
from tests import servers
from tests.privacy import questionnaires
from tests.privacy.questionnaires import HALF, question

ITEMS, MOST_ITEMS = 40, 3
WANTED = Parameters(0.3, 0.3, max_size=MOST_ITEMS)


def design(limits: int) -> Design:
    """40 yes/no questions, and a number of so many limits where there are any."""
    sections = [questionnaires.sensitive("0.9", *(question(f"q{at}", *HALF) for at in range(ITEMS)))]
    if limits:
        number = {"name": "number", "law": "classes", "limits": [*range(1, limits + 1)], "cuts": 5}
        sections.append({"kind": "number", "keep": "0.75", "questions": [number]})
    return questionnaires.design(*sections, open_answers=False)


@dataclass(frozen=True)
class Cost:
    """Processor seconds by stage."""

    stages: Sequence[float]
    itemsets: int
    rules: int

    @property
    def total(self) -> float:
        return sum(self.stages)

    def times(self, other: "Cost") -> str:
        """How much more this costs than the other."""
        whole = self.total / other.total
        itemset, rule = self.itemsets / other.itemsets, self.rules / other.rules
        return f"{whole:.2f} times ({whole / itemset:.2f} an itemset, {whole / rule:.2f} a rule)"

    def __str__(self) -> str:
        stages = " + ".join(f"{seconds:.2f}" for seconds in self.stages)
        return f"{stages} s ({self.itemsets:,} itemsets, {self.rules:,} rules)"


def records(form: Design, limits: int, n: int) -> bytes:
    rng = np.random.default_rng(1)
    truth = (rng.random((ITEMS, n)) < np.linspace(0.2, 0.8, ITEMS)[:, None]).astype(np.uint32)
    if limits:
        number = form.questions[-1]
        assert isinstance(number, ClassesQuestion)
        first = number.true_code(0) or 0
        truth = np.vstack([truth, first + rng.integers(0, limits + 1, n).astype(np.uint32)])
    group = np.full(n, DISGUISED, np.uint8)
    return pack(form, group, disguise(form, group, truth, rng))


def mined(form: Design, columns: Columns, cache: Path) -> Cost:
    began = time.process_time()
    result = find(BitmapCounter(form.mined, [columns], cache), WANTED)
    return Cost([time.process_time() - began], len(result.frequent.itemsets), len(result.rules))


def run_of(form: Design, batches: Sequence[bytes], cache: Path) -> Cost:
    """As a run does it: batches are read, codes counted, itemsets and rules searched with their bounds, and stored."""
    owner, _ = get_user_model().objects.get_or_create(username="owner")
    row, _ = StoredDesign.objects.get_or_create(
        fingerprint=form.fingerprint, defaults={"json": form.canonical}
    )
    survey = Survey.objects.create(
        owner=owner, design=row, draft=json.loads(form.canonical), state="closed", closed_at=timezone.now()
    )
    run = Run.objects.create(
        survey=survey,
        number=1,
        through=1,
        records=0,
        design=form.fingerprint,
        created=timezone.now(),
        population="all",
    )
    times = [time.process_time()]
    parts = [read(form, batch) for batch in batches]
    codes = CodeCounts.of(form, parts) if form.has_numbers_or_places else None
    times.append(time.process_time())
    counter = CachedCounter(BitmapCounter(form.mined, parts, cache), without_plain=True)
    result = search(WANTED, counter, codes=codes)
    times.append(time.process_time())
    with transaction.atomic():
        store(run, result)
    times.append(time.process_time())
    return Cost(np.diff(times).tolist(), len(result.itemsets["place"]), len(result.rules["place"]))


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench scores", description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--limits", type=int, default=20)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.here:
        measure(asked)
        return
    with instance() as env:
        command = [sys.executable, "-m", "bench.scores", *sys.argv[1:], "--here"]
        subprocess.run(command, env=env, cwd=servers.ROOT, check=True)


def measure(asked: argparse.Namespace) -> None:
    cache = Path("var/numba")
    both = []
    for limits in (0, asked.limits):
        form = design(limits)
        data = records(form, limits, asked.records)
        both.append((form, data, read(form, data)))
    for turn in range(-1, asked.turns):
        for name, costs in (
            ("mining", [mined(form, columns, cache) for form, _data, columns in both]),
            ("whole run", [run_of(form, [data], cache) for form, data, _columns in both]),
        ):
            if turn >= 0:  # The first turn compiles.
                without, beside = costs
                print(f"{name}: {without} without, {beside} with: {beside.times(without)}", flush=True)


if __name__ == "__main__":
    main()
