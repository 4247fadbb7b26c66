"""Which questions share a section, and how many of them are asked: the layout with the least error.

The error is the root mean square over all itemsets of the wanted length. The search (docs/mathematics.md,
Layout search) finds good layouts, not proven the best; that they keep the limit is checked exactly.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from math import inf, log, prod

from privacy.grammar.node import PARTS
from privacy.guarantee.by_guarantee import Aim, Layout, Placed, laid_out
from privacy.guarantee.section_search import Cut, SearchLaw, SectionSearch
from privacy.kinds.grouped.law import SectionLaw, least_chance

SHOWN = 3
"""Layouts offered, each with another number of sections."""


def layouts(aim: Aim, rotation: bool = True) -> tuple[Layout, ...]:
    """The few best for itemsets of the aim's length, each with another number of sections, the least error first.

    Empty if the limit admits none. Without `rotation` everybody is asked every question.
    """
    if (aim.limit.gamma - 1) * PARTS < 1:  # too little for one question with the least keep
        return ()
    budget = log(aim.limit.gamma.numerator) - log(aim.limit.gamma.denominator)
    search = SectionSearch(aim, budget, rotation)
    pairs = zip(aim.noise, aim.wanted, strict=True)
    laws = [(float(min(noise)), float(noise[choice])) for noise, choice in pairs]
    best: dict[int, tuple[float, Cut, list[int]]] = {}
    for order in _orders(laws):
        for error, cut in search.cuts([laws[index] for index in order]):
            if error < best.get(len(cut), (inf,))[0]:
                best[len(cut)] = error, cut, order
    promising = sorted(best.values(), key=lambda entry: entry[0])
    rounded = (_rounded(aim, search.improved(cut)[1], order) for _, cut, order in promising)
    shown = islice(filter(None, rounded), SHOWN)
    return tuple(sorted(shown, key=lambda layout: layout.variance(aim.length)))


def _orders(laws: Sequence[SearchLaw]) -> Iterator[list[int]]:
    """The questions by their smallest noise, largest first; and by the noise of the wanted choice."""
    by_least = sorted(range(len(laws)), key=lambda index: (-laws[index][0], laws[index][1]))
    yield by_least
    chosen_noise = [laws[index][1] for index in by_least]
    if sorted(chosen_noise) not in (chosen_noise, chosen_noise[::-1]):
        yield sorted(by_least, key=lambda index: laws[index][1])


def _rounded(aim: Aim, cut: Cut, order: list[int]) -> Layout | None:
    """Keeps of four places whose exact gamma is admitted, and of which no kind could have .0001 more."""
    parts = {section.kind: min(int(section.part.keep * PARTS), PARTS - 1) for section in cut}
    ordered = iter(order)
    places = [tuple(sorted(islice(ordered, len(section.laws)))) for section in cut]
    noise = [tuple(aim.noise[index] for index in members) for members in places]
    least = [
        least_chance(map(min, members), section.asked) for members, section in zip(noise, cut, strict=True)
    ]

    def admitted() -> bool:
        odds = [Fraction(parts[section.kind], PARTS - parts[section.kind]) for section in cut]
        gammas = (1 + t / q for t, q in zip(odds, least, strict=True))
        return aim.limit.admits(prod(gammas, start=Fraction(1)))

    while min(parts.values()) > 0 and not admitted():
        parts = {kind: part - 1 for kind, part in parts.items()}
    if min(parts.values()) <= 0:
        return None
    for kind in sorted(parts, key=parts.__getitem__):
        while parts[kind] < PARTS and admitted():
            parts[kind] += 1
        parts[kind] -= 1
    keeps = (Fraction(parts[section.kind], PARTS) for section in cut)
    laws = map(SectionLaw, keeps, noise, (section.asked for section in cut))
    return laid_out(aim, tuple(map(Placed, places, laws)))
