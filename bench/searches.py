"""Whole searches over simulated surveys: how many badges are false, how many intervals of a list miss."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from mining.counting import counter_of
from mining.counts import NONE
from mining.engines import bitmap
from mining.engines.found import Found
from mining.inference.selection import LEVEL
from mining.parameters import Parameters
from privacy.designs import Design, parse
from privacy.records import DISGUISED, OPEN
from privacy.records.columns import pack, read
from privacy.simulation.disguise import disguise

SECTIONS = ((8,), (4, 4), (3, 3, 2), (5, 5))
SURVEYS = (("0.3", 10_000), ("0.5", 1_000), ("0.9", 200))
TRAIT = 0.4
"""Of the people, who have a trait that makes some answers likelier."""
USUAL, LIKELIER = 0.3, 0.8
OPEN_SHARE = 0.3
OPEN_TRAIT = 0.2
ROUNDING = 1e-9

GENERIC = Parameters(min_support=0.15, min_confidence=0.5)
ON_THRESHOLD = Parameters(min_support=0.25, min_confidence=0.5)


@dataclass(frozen=True)
class Situation:
    """`on_threshold`: answers are independent and had by one half each, so every rule of two lies on both thresholds.

    Else half of the questions go with a trait. With `some_open` 30 % answer openly, and have the trait less often.
    """

    sections: tuple[int, ...]
    keep: str
    n: int
    on_threshold: bool
    some_open: bool

    @property
    def questions(self) -> int:
        return sum(self.sections)

    @property
    def wanted(self) -> Parameters:
        return ON_THRESHOLD if self.on_threshold else GENERIC

    @cached_property
    def design(self) -> Design:
        names = iter(f"q{place}" for place in range(self.questions))
        sections = [
            {
                "kind": "unrelated-question",
                "keep": self.keep,
                "questions": [
                    {"name": next(names), "choices": ["no", "yes"], "noise": ["0.5", "0.5"]}
                    for _ in range(many)
                ],
            }
            for many in self.sections
        ]
        return parse(json.dumps({"format": "candor-design/1", "open_answers": True, "sections": sections}))

    @cached_property
    def patterns(self) -> NDArray[np.bool_]:
        return np.array(list(product((False, True), repeat=self.questions)))

    def law(self, group: int) -> NDArray[np.float64]:
        """How many people of a group have each pattern."""
        if self.on_threshold:
            return np.full(len(self.patterns), 1 / len(self.patterns))
        trait = OPEN_TRAIT if self.some_open and group == OPEN else TRAIT
        linked = np.arange(self.questions) % 2 == 0
        found = np.zeros(len(self.patterns))
        for share, usual in (
            (trait, np.where(linked, LIKELIER, USUAL)),
            (1 - trait, np.full(self.questions, USUAL)),
        ):
            found += share * np.where(self.patterns, usual, 1 - usual).prod(axis=1)
        return found

    @cached_property
    def truth(self) -> NDArray[np.float64]:
        k = OPEN_SHARE if self.some_open else 0.0
        return k * self.law(OPEN) + (1 - k) * self.law(DISGUISED)

    def support(self, numbers: tuple[int, ...]) -> float:
        """Of items, which are 2 q + 1 for yes."""
        has = self.patterns[:, [number // 2 for number in numbers]].all(axis=1)
        return float(self.truth[has].sum())


@dataclass(frozen=True)
class Judged:
    """Means over searches: listed pairs, badges of association, the share of these that is false, the largest share of
    intervals (of lift or of confidence) that miss among the first 1, 5 and 10 pairs and among all, that of supports,
    and of the pairs with q below .05 those that are independent."""

    situation: Situation
    searches: int
    pairs: float
    badges: float
    false_badges: float
    missed_first: float
    missed_5: float
    missed_10: float
    missed_all: float
    missed_support: float
    false_discoveries: float


HEADS = (1, 5, 10, 10**9)


def situations() -> Iterator[Situation]:
    for on_threshold, some_open in ((False, False), (False, True), (True, False)):
        for sections, (keep, n) in product(SECTIONS, SURVEYS):
            yield Situation(sections, keep, n, on_threshold, some_open)


def judged(situation: Situation, searches: int, seed: int) -> Judged:
    with TemporaryDirectory() as cache:
        rows = [
            _one(situation, searched(situation, np.random.default_rng((seed, number)), Path(cache)))
            for number in range(searches)
        ]
    return Judged(situation, searches, *np.mean(rows, axis=0).tolist())


def searched(situation: Situation, rng: np.random.Generator, cache: Path) -> Found:
    k = OPEN_SHARE if situation.some_open else 0.0
    group = np.where(rng.random(situation.n) < k, OPEN, DISGUISED).astype(np.uint8)
    truth = np.zeros((situation.questions, situation.n), np.uint16)
    for of in (OPEN, DISGUISED):
        mine = group == of
        drawn = rng.choice(len(situation.patterns), int(mine.sum()), p=situation.law(of))
        truth[:, mine] = situation.patterns[drawn].T
    design = situation.design
    columns = read(design, pack(design, group, disguise(design, group, truth, rng)))
    return bitmap.find(counter_of(design, [columns], cache), situation.wanted)


def _one(situation: Situation, found: Found) -> list[float]:
    rules = found.rules
    sides = [rules.sides(row) for row in range(len(rules))]
    whole = np.array([situation.support(tuple(sorted(a + c))) for a, c in sides])
    of_a, of_c = (np.array([situation.support(side[place]) for side in sides]) for place in (0, 1))
    confidence, lift = whole / of_a, whole / (of_a * of_c)
    itemsets = [tuple(n for n in row if n != NONE) for row in found.frequent.itemsets.tolist()]
    supports = np.array([situation.support(items) for items in itemsets])
    of = found.frequent.supports
    high = np.where(np.isnan(rules.lift_high_listed), np.inf, rules.lift_high_listed)
    wrong = np.where(rules.association > 0, lift <= 1 + ROUNDING, lift >= 1 - ROUNDING)
    # A rule and its mirror image are one pair.
    first = np.unique(rules.split, return_index=True)[1] if len(rules) else np.empty(0, np.intp)
    given = rules.association[first] != 0
    heads = [
        max(
            _missed(
                rules.confidence_low_listed, rules.confidence_high_listed, confidence, rules.rank <= head
            ),
            _missed(rules.lift_low_listed, high, lift, rules.rank <= head),
        )
        for head in HEADS
    ]
    return [
        len(first),
        float(given.sum()),
        _share(wrong[first][given]),
        *heads,
        _missed(of.low_listed, of.high_listed, supports, np.ones(len(supports), np.bool_)),
        _share((np.abs(lift - 1) < ROUNDING)[first][rules.q[first] < LEVEL]),
    ]


def _missed(
    low: NDArray[np.float64], high: NDArray[np.float64], truth: NDArray[np.float64], among: NDArray[np.bool_]
) -> float:
    """A null interval misses nothing."""
    return _share(((truth < low - ROUNDING) | (truth > high + ROUNDING))[among])


def _share(is_so: NDArray[np.bool_]) -> float:
    return float(is_so.sum()) / max(len(is_so), 1)
