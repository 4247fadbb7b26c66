"""What does it cost to hold a disclosure beside all that was told? Processor time at a million records.

python -m bench.disclosure [--records 1000000] [--seed 1]
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from mining.disclosure import open_tables
from mining.disclosure.attacker import DISGUISED, MOST_ROWS, Records, ToldCell, attack
from mining.disclosure.plain_tables import LEAST
from privacy.anonymity.criteria import has_few, joint_labels
from privacy.designs import Design
from privacy.records import DISGUISED as GROUP
from privacy.records.columns import pack, read
from tests.privacy import questionnaires
from tests.privacy.questionnaires import HALF, question

RULES, CLASSES, TABLES, CHOICES = 12, 20_000, 45, 5
ROUNDS = 3


def questionnaire(plain: int) -> Design:
    """Sensitive questions behind twelve rules of different conditions."""
    names = [f"p{index}" for index in range(plain)]
    questions = [{"name": name, "choices": [f"c{code}" for code in range(CHOICES)]} for name in names]
    conditions = [(name, code) for name in names for code in range(1, CHOICES)][:RULES]
    behind = [
        question(f"s{index}", *HALF, show_if={name: [f"c{of}" for of in range(code)]})
        for index, (name, code) in enumerate(conditions)
    ]
    return questionnaires.design(
        questionnaires.plain(*questions), questionnaires.sensitive("0.5", *behind), least=20
    )


def seconds(work: Callable[[], object]) -> float:
    """The median of some rounds, in processor time."""
    result = []
    for _round in range(ROUNDS):
        began = time.process_time()
        work()
        result.append(time.process_time() - began)
    return float(np.median(result))


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench disclosure", description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng, n = np.random.default_rng(asked.seed), asked.records
    design = questionnaire(4)
    codes = rng.integers(0, CHOICES, (len(design.questions), n)).astype(np.uint16)
    for index, form in enumerate(design.questions):
        if form.show_if:
            codes[index] = form.not_applicable
    columns = read(design, pack(design, np.full(n, GROUP, np.uint8), codes))
    print(f"patterns of {RULES} rules: {seconds(lambda: open_tables.patterns(columns)):.2f} s")
    release = rng.integers(0, CLASSES, n)
    tables = [rng.integers(0, CHOICES**2, n) for _table in range(TABLES)]
    checked = seconds(lambda: [has_few(release, table, LEAST) for table in tables])
    print(f"a release of {CLASSES:,} classes beside {TABLES} tables: {checked:.2f} s")
    releases = [rng.integers(0, CLASSES, n) for _release in range(5)]
    print(f"five releases at once: {seconds(lambda: np.bincount(joint_labels(*releases))):.2f} s")
    for told in (100, MOST_ROWS):
        took = seconds(partial(attacked, design, codes, told, rng))
        print(f"the attacker, {told:,} counts: {took:.2f} s")


def attacked(design: Design, codes: NDArray[np.uint16], told: int, rng: np.random.Generator) -> None:
    """Tables of three questions at several times, until so many counts are told."""
    mined, n = design.mined, codes.shape[1]
    batch = np.sort(rng.integers(1, 9, n))
    states = {index: codes[index].astype(np.int64) for index in range(3)}
    records = Records(mined, states, np.full(n, DISGUISED), batch)
    kinds = product(range(1, 9), *(range(CHOICES),) * 3)
    cells = [
        ToldCell((DISGUISED,), last, {index: frozenset({code}) for index, code in enumerate(codes_told)})
        for last, *codes_told in islice(kinds, told)
    ]
    attack(records, cells)


if __name__ == "__main__":
    main()
