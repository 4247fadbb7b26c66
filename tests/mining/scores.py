"""Estimates record by record, as the formulas are written, for comparison with those made from counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import prod
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mining.queries_and_counters import Item
from privacy.designs import Design, UnrelatedQuestionSection
from privacy.kinds.place.law import PlaceItemsSection
from tests.mining.inference.exact_table import ExactTable, Part, subsets
from tests.mining.listed import DISGUISED, OPEN, Listed

Floats = NDArray[np.float64]
Records = NDArray[np.intp]
"""Their numbers, in order."""


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


def base(listed: Listed, itemset: Sequence[Item]) -> Records:
    """base(S): of the disguised records alone where plain and sensitive items are joined."""
    records = asked(listed, itemset)
    disguised = records[listed.group[records] == DISGUISED]
    return disguised if joins_plain_and_sensitive(listed, itemset) else records


def eligible(listed: Listed, itemset: Sequence[Item]) -> Records:
    """E(S): those of base(S) to which every item of S applies."""
    records = base(listed, itemset)
    return records[applies(listed, records, itemset)]


def asked(listed: Listed, itemset: Sequence[Item]) -> Records:
    """The records whose device drew all of S, and which tell its plain answers."""
    questions = listed.design.questions
    told = [
        ~np.isin(listed.codes[place], [questions[place].not_asked, questions[place].withheld])
        for place, _ in itemset
    ]
    return np.flatnonzero(np.logical_and.reduce([np.ones(len(listed.group), np.bool_), *told]))


def applies(listed: Listed, records: Records, itemset: Sequence[Item]) -> NDArray[np.bool_]:
    codes = [listed.design.questions[place].not_applicable for place, _ in itemset]
    return np.asarray((sent(listed, records, itemset) != np.array(codes, np.int64)[:, None]).all(axis=0))


def contains(listed: Listed, records: Records, itemset: Sequence[Item]) -> NDArray[np.bool_]:
    codes = [code for _, code in itemset]
    return np.asarray((sent(listed, records, itemset) == np.array(codes, np.int64)[:, None]).all(axis=0))


def sent(listed: Listed, records: Records, itemset: Sequence[Item]) -> NDArray[np.int64]:
    """By item and record what was sent in answer to its question."""
    return listed.codes[np.ix_(np.array([place for place, _ in itemset], np.intp), records)]


def z(listed: Listed, records: Records, itemset: Sequence[Item]) -> Floats:
    """The unbiased scores of these records."""
    scores = np.ones(len(records))
    for part, p, c in parts_of(listed.design, tuple(itemset)):
        scores *= (contains(listed, records, part) - c) / p
    has = contains(listed, records, itemset)
    given = np.where(listed.group[records] == OPEN, has, scores)
    return np.where(applies(listed, records, itemset), given, 0.0)


@lru_cache(maxsize=64)
def parts_of(design: Design, itemset: tuple[Item, ...]) -> list[tuple[list[Item], float, float]]:
    """What S has of each section, with p and c: the same for every record."""
    return [(part, *keep_and_chance(design, part)) for part in by_section(design, itemset).values()]


class Inversion:
    """The pooled inversion by recursion over sections, among these records, and each record's influence on it."""

    def __init__(self, listed: Listed, records: Records, itemset: Sequence[Item]) -> None:
        self.listed = listed
        self.records = records[applies(listed, records, itemset)]
        self.parts = list(by_section(listed.design, itemset).values())
        self.laws = [keep_and_chance(listed.design, part) for part in self.parts]
        self.open = (listed.group[self.records] == OPEN).astype(float)
        self.k = self.open.mean()

    def inside(self, chosen: tuple[int, ...]) -> Floats:
        items = [item for part in chosen for item in self.parts[part]]
        return contains(self.listed, self.records, items).astype(float)

    def smaller(self, chosen: tuple[int, ...]) -> list[tuple[tuple[int, ...], float]]:
        found = []
        for size in range(len(chosen)):
            for subset in combinations(chosen, size):
                kept = prod(self.laws[part][0] for part in subset)
                others = (self.laws[part][1] for part in chosen if part not in subset)
                found.append((subset, kept * prod(others)))
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


# What is defined of a list: the level of each place, and q.


def level_at(place: int, family: int) -> float:
    """By the largest power of two up to the place."""
    k = max(2**power for power in range(10) if 2**power <= place)
    return max(1.96, NormalDist().inv_cdf(1 - 0.025 * k / family))


def stepped_up(p: Sequence[float], tests: int) -> list[float]:
    """Benjamini and Hochberg's: the least of p_(j) tests / j over j from the rank on, at most 1; equal p have that of
    the last of them."""
    steps = [(of, of * tests / rank) for rank, of in enumerate(sorted(p), start=1)]
    return [min(1.0, *(step for of, step in steps if of >= one)) for one in p]


# The table that a support or a rule is tested in, counted record by record as it is defined.

Side = Literal["A", "C"]


def may_hide(listed: Listed, itemset: Sequence[Item]) -> bool:
    return any(listed.design.questions[place].show_if for place, _ in itemset)


def support_table(
    listed: Listed, itemset: Sequence[Item], *, shown: bool = False, among: Sequence[Item] = ()
) -> ExactTable:
    """Among base(S), or E(S), or E of all of `among`. Behind a rule "S applies" belongs to the plain part, which is
    there anyway then."""
    parts = by_section(listed.design, itemset)
    of_plain = parts.pop(-1, [])
    hidden = may_hide(listed, itemset) and not shown and not among
    sections = list(parts.values())
    laws = [Part("A", number, noise_of(listed, items)) for number, items in enumerate(sections)]
    records = eligible(listed, among or itemset) if shown or among else base(listed, itemset)
    has = [contains(listed, records, items) for items in sections]
    if of_plain or hidden:
        has.insert(0, applies(listed, records, itemset) & contains(listed, records, of_plain))
    plain = [Part("A", None)] if of_plain or hidden else []
    return counted(listed, records, has, [*plain, *laws], keeps(listed, sections))


def rule_table(listed: Listed, antecedent: Sequence[Item], consequent: Sequence[Item]) -> ExactTable:
    """Among E(S): what A and what C has in each section, and their plain items."""
    whole = sorted([*antecedent, *consequent])
    by_place = by_section(listed.design, whole)
    sensitive = [section for section in by_place if section != -1]
    parts: list[Part] = []
    items: list[list[Item]] = []
    for section, of_section in by_place.items():
        sides: list[tuple[Side, Sequence[Item]]] = [("A", antecedent), ("C", consequent)]
        for side, of in sides:
            mine = [item for item in of_section if item in of]
            if not mine:
                continue
            items.append(mine)
            if section == -1:
                parts.append(Part(side, None))
            else:
                parts.append(Part(side, sensitive.index(section), noise_of(listed, mine)))
    records = eligible(listed, whole)
    has = [contains(listed, records, of) for of in items]
    return counted(listed, records, has, parts, keeps(listed, [by_place[section] for section in sensitive]))


def counted(
    listed: Listed,
    records: Records,
    has: Sequence[NDArray[np.bool_]],
    parts: Sequence[Part],
    keep: dict[int, Fraction],
) -> ExactTable:
    at_least = {}
    weights, group = listed.weights[records].astype(np.int64), listed.group[records]
    for cell in subsets(frozenset(range(len(parts)))):
        having = np.logical_and.reduce([np.ones(len(records), np.bool_), *(has[part] for part in cell)])
        at_least[cell] = int(weights[having & (group == 0)].sum()), int(weights[having & (group == 1)].sum())
    return ExactTable(tuple(parts), keep, at_least)


def noise_of(listed: Listed, items: Sequence[Item]) -> Fraction:
    noise = Fraction(1)
    for place, code in items:
        start, law = law_of(listed.design, place)
        assert law is not None
        noise *= law.noise[place - start][code]
    return noise


def keeps(listed: Listed, sections: Sequence[Sequence[Item]]) -> dict[int, Fraction]:
    laws = (law_of(listed.design, items[0][0])[1] for items in sections)
    return {number: law.keep for number, law in enumerate(laws) if law}


def enough(listed: Listed, records: Records, itemset: Sequence[Item]) -> bool:
    """The floors: fifty records, and ten with S's plain items, and those without noise, in every group that has any."""
    of_plain = [item for item in itemset if not keep_and_chance(listed.design, [item])[1]]
    total = 0
    for group in (0, 1):
        mine = records[listed.group[records] == group]
        weights = listed.weights[mine].astype(np.int64)
        everybody, carrying = weights.sum(), weights[contains(listed, mine, of_plain)].sum()
        if everybody and carrying < 10:
            return False
        total += everybody
    return bool(total >= 50)
