"""Estimates record by record, as the formulas are written, for comparison with those made from counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counts import Item
from privacy.designs import Design, UnrelatedQuestionSection
from privacy.kinds.place.mined import PlaceItemsSection
from tests.mining.listed import DISGUISED, OPEN, Listed

Floats = NDArray[np.float64]


def by_section(design: Design, itemset: Iterable[Item]) -> dict[int, list[Item]]:
    """Sections are told apart by where they begin; all plain items are one section, -1."""
    found: dict[int, list[Item]] = {}
    for place, code in itemset:
        start, law = law_of(design, place)
        found.setdefault(start if law else -1, []).append((place, code))
    return found


@dataclass(frozen=True)
class LawByHand:
    """`noise` by question of the section and by choice."""

    keep: Fraction
    noise: list[list[Fraction]]


def law_of(design: Design, place: int) -> tuple[int, LawByHand | None]:
    start = 0
    for section in design.sections:
        if place < start + len(section.questions):
            return start, law_by_hand(section)
        start += len(section.questions)
    raise IndexError(place)


def law_by_hand(section: Any) -> LawByHand | None:
    if isinstance(section, UnrelatedQuestionSection):
        noise = [[Fraction(part) for part in question.noise] for question in section.questions]
        return LawByHand(Fraction(section.keep), noise)
    if isinstance(section, PlaceItemsSection):
        # b = m (W - V) / Z; noise leads into each region as often as it has cells, and never outside.
        sizes = [len(region) for region in section.law.regions]
        odds, near = Fraction(section.law.levels[0].odds, 100), section.law.levels[0].near
        keep = near * (odds - 1) / (near * (odds - 1) + sum(sizes))
        outside = len(section.questions[0].choices) > len(sizes)
        return LawByHand(keep, [[Fraction(size, sum(sizes)) for size in sizes] + [Fraction(0)] * outside])
    return None


def keep_and_chance(design: Design, part: Sequence[Item]) -> tuple[float, float]:
    """p, and c = (1-p) q."""
    start, law = law_of(design, part[0][0])
    if law is None:
        return 1.0, 0.0
    noise = prod(float(law.noise[place - start][code]) for place, code in part)
    return float(law.keep), (1 - float(law.keep)) * noise


def plain_only(listed: Listed, itemset: Iterable[Item]) -> bool:
    return set(by_section(listed.design, itemset)) == {-1}


def joins_plain_and_sensitive(listed: Listed, itemset: Iterable[Item]) -> bool:
    sections = set(by_section(listed.design, itemset))
    return -1 in sections and len(sections) > 1


def base(listed: Listed, itemset: Sequence[Item]) -> list[int]:
    """base(S): of the disguised records alone where plain and sensitive items are joined."""
    records = asked(listed, itemset)
    if joins_plain_and_sensitive(listed, itemset):
        return [at for at in records if listed.group[at] == DISGUISED]
    return records


def eligible(listed: Listed, itemset: Sequence[Item]) -> list[int]:
    """E(S): those of base(S) to which every item of S applies."""
    return [at for at in base(listed, itemset) if applies(listed, at, itemset)]


def asked(listed: Listed, itemset: Iterable[Item]) -> list[int]:
    """The records whose device drew all of S, and which tell its plain answers."""
    questions = listed.design.questions
    return [
        at
        for at in range(len(listed.group))
        if all(
            listed.codes[place, at] not in (questions[place].not_asked, questions[place].withheld)
            for place, _ in itemset
        )
    ]


def applies(listed: Listed, at: int, itemset: Iterable[Item]) -> bool:
    return all(
        listed.codes[place, at] != listed.design.questions[place].not_applicable for place, _ in itemset
    )


def contains(listed: Listed, at: int, itemset: Iterable[Item]) -> bool:
    return all(listed.codes[place, at] == code for place, code in itemset)


def z(listed: Listed, at: int, itemset: Sequence[Item]) -> float:
    """The unbiased score of one record."""
    if not applies(listed, at, itemset):
        return 0.0
    if listed.group[at] == OPEN:
        return float(contains(listed, at, itemset))
    score = 1.0
    for part, p, c in parts_of(listed.design, tuple(itemset)):
        score *= (contains(listed, at, part) - c) / p
    return score


@lru_cache(maxsize=64)
def parts_of(design: Design, itemset: tuple[Item, ...]) -> list[tuple[list[Item], float, float]]:
    """What S has of each section, with p and c: the same for every record."""
    return [(part, *keep_and_chance(design, part)) for part in by_section(design, itemset).values()]


class Inversion:
    """The pooled inversion by recursion over sections, among these records, and each record's influence on it."""

    def __init__(self, listed: Listed, records: Sequence[int], itemset: Sequence[Item]) -> None:
        self.listed = listed
        self.records = [at for at in records if applies(listed, at, itemset)]
        self.parts = list(by_section(listed.design, itemset).values())
        self.laws = [keep_and_chance(listed.design, part) for part in self.parts]
        self.open = np.array([listed.group[at] == OPEN for at in self.records], float)
        self.k = self.open.mean()

    def inside(self, chosen: tuple[int, ...]) -> Floats:
        items = [item for part in chosen for item in self.parts[part]]
        return np.array([contains(self.listed, at, items) for at in self.records], float)

    def smaller(self, chosen: tuple[int, ...]) -> list[tuple[tuple[int, ...], float]]:
        found = []
        for size in range(len(chosen)):
            for subset in combinations(chosen, size):
                kept = prod(self.laws[part][0] for part in subset)
                found.append(
                    (subset, kept * prod(self.laws[part][1] for part in chosen if part not in subset))
                )
        return found

    def below(self, chosen: tuple[int, ...]) -> Any:
        return self.k + (1 - self.k) * prod(self.laws[part][0] for part in chosen)

    def support(self, chosen: tuple[int, ...]) -> float:
        if not chosen:
            return 1.0
        known = sum(factor * self.support(subset) for subset, factor in self.smaller(chosen))
        return float((self.inside(chosen).mean() - (1 - self.k) * known) / self.below(chosen))

    def psi(self, chosen: tuple[int, ...]) -> Floats:
        if not chosen:
            return np.zeros(len(self.records))
        kept = prod(self.laws[part][0] for part in chosen)
        value = self.inside(chosen)
        for subset, factor in self.smaller(chosen):
            value = value - (1 - self.open) * factor * self.support(subset)
            value = value - (1 - self.k) * factor * self.psi(subset)
        value = value - self.support(chosen) * (self.open + (1 - self.open) * kept)
        return np.asarray(value / self.below(chosen))

    def scores(self, chosen: tuple[int, ...]) -> Floats:
        """What each record adds to the support while k stands still."""
        if not chosen:
            return np.ones(len(self.records))
        value = self.inside(chosen)
        for subset, factor in self.smaller(chosen):
            value = value - (1 - self.k) * factor * self.scores(subset)
        return np.asarray(value / self.below(chosen))

    @property
    def everything(self) -> tuple[int, ...]:
        return tuple(range(len(self.parts)))
