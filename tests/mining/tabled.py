"""The table that a support or a rule is tested in, counted record by record as it is defined."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from mining.counts import Item
from tests.mining.inference.exact_table import ExactTable, Part, subsets
from tests.mining.listed import Listed
from tests.mining.scores import applies, base, by_section, contains, eligible, keep_and_chance, law_of

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
    has = []
    for at in records:
        of_sections = [contains(listed, at, items) for items in sections]
        plainly = applies(listed, at, itemset) and contains(listed, at, of_plain)
        has.append([plainly, *of_sections] if of_plain or hidden else of_sections)
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
            if mine and section == -1:
                parts.append(Part(side, None))
            elif mine:
                parts.append(Part(side, sensitive.index(section), noise_of(listed, mine)))
            if mine:
                items.append(mine)
    records = eligible(listed, whole)
    has = [[contains(listed, at, of) for of in items] for at in records]
    return counted(listed, records, has, parts, keeps(listed, [by_place[section] for section in sensitive]))


def counted(
    listed: Listed,
    records: Sequence[int],
    has: Sequence[Sequence[bool]],
    parts: Sequence[Part],
    keep: dict[int, Fraction],
) -> ExactTable:
    at_least = {}
    for cell in subsets(frozenset(range(len(parts)))):
        having = [at for at, of in zip(records, has, strict=True) if all(of[part] for part in cell)]
        groups = [sum(int(listed.weights[at]) for at in having if listed.group[at] == g) for g in (0, 1)]
        at_least[cell] = groups[0], groups[1]
    return ExactTable(tuple(parts), keep, at_least)


def noise_of(listed: Listed, items: Sequence[Item]) -> Fraction:
    noise = Fraction(1)
    for place, code in items:
        start, law = law_of(listed.design, place)
        assert law is not None
        noise *= law.noise[place - start][code]
    return noise


def keeps(listed: Listed, sections: Sequence[Sequence[Item]]) -> dict[int, Fraction]:
    found = {}
    for number, items in enumerate(sections):
        law = law_of(listed.design, items[0][0])[1]
        assert law is not None
        found[number] = law.keep
    return found


def enough(listed: Listed, records: Sequence[int], itemset: Sequence[Item]) -> bool:
    """The floors: fifty records, and ten with S's plain items, and those without noise, in every group that has any."""
    of_plain = [item for item in itemset if not keep_and_chance(listed.design, [item])[1]]
    total = 0
    for group in (0, 1):
        mine = [at for at in records if listed.group[at] == group]
        everybody = sum(int(listed.weights[at]) for at in mine)
        carrying = sum(int(listed.weights[at]) for at in mine if contains(listed, at, of_plain))
        if everybody and carrying < 10:
            return False
        total += everybody
    return total >= 50
