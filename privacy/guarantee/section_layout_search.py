"""Searches the best grouping of questions into sections by hill climbing (docs/mathematics.md, Layout search)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import groupby, islice, pairwise
from math import ceil, expm1, inf, log, prod

from privacy.grammar.json_node import PARTS
from privacy.guarantee.expected_error import SectionParameters, error_curve
from privacy.guarantee.section_layouts import Layout, LayoutAim, PlacedSection, make_layout
from privacy.kinds.grouped.law import SectionLaw, rarest_noise_probability

MOST_MERGED = 12
"""Most sections of a layout that is improved; larger numbers get even cuts only.

A border moves to about this many places.
"""
COARSE, FINE = (1.3,), (1.1, 1.03)
"""Factors by which the search changes the budget (ln gamma) of a section."""
ENOUGH = 1e-3
"""Smallest share by which a round must lower the error for the search to go on."""
LEAST_KEEP = 1 / PARTS
"""Smallest keep probability of four places."""
MOST_LOG = 500.0
"""Largest ln gamma of a limit in the search, so that doubles do not overflow."""

SearchLaw = tuple[float, float]
"""Noise of one question: its smallest probability, and the probability of the wanted choice."""


@dataclass(frozen=True, slots=True)
class PlannedSection:
    """A section before its keep probability is computed: noise of its questions, number asked, and budget (ln
    gamma)."""

    laws: tuple[SearchLaw, ...]
    asked: int
    budget: float

    @property
    def equality_key(self) -> tuple[tuple[SearchLaw, ...], int]:
        """Key of equal sections: sections with the same key have the same budget and keep."""
        return self.laws, self.asked

    @property
    def parameters(self) -> SectionParameters:
        """The section's parameters for the expected error, with the keep whose gamma is e^budget."""
        least = prod(sorted([least for least, _ in self.laws])[: self.asked])
        odds = expm1(min(self.budget, MOST_LOG)) * least
        return SectionParameters(odds / (1 + odds), tuple([choice for _, choice in self.laws]), self.asked)


Cut = list[PlannedSection]


@dataclass(frozen=True, slots=True)
class SectionSearch:
    """Searches divisions of questions into sections whose budgets (ln gamma) sum to `budget`.

    Without `rotation` every question is asked.
    """

    aim: LayoutAim
    budget: float
    rotation: bool

    def best_divisions_by_section_count(self, laws: Sequence[SearchLaw]) -> Iterator[tuple[float, Cut]]:
        """Yields for each number of sections, largest first, the best division that hill climbing finds.

        With it comes the mean variance n se^2 of the supports of all itemsets of `aim.length` questions.
        """
        cut: Cut = []
        for count in range(len(laws), 0, -1):
            merged = self._merge_sections(cut) if count < MOST_MERGED else ()
            _, cut = self._best_cut_after_scaling([self._equal_division(laws, count), *merged])
            error, cut = self.improve_division(cut, COARSE)
            yield error, cut

    def improve_division(self, cut: Cut, factors: Iterable[float] = FINE) -> tuple[float, Cut]:
        """Improves a division of questions into sections by hill climbing, as long as the error falls enough.

        Returns n se^2 and the division. `factors`: by which budgets are changed.
        """
        error, cut = self._best_cut_after_scaling([cut])
        for factor in factors if len(cut) <= MOST_MERGED else ():
            before = inf
            while error < before * (1 - ENOUGH):
                before = error
                for changed in (partial(_change_budgets, factor), self._change_asked, self._move_borders):
                    error, cut = self._best_cut_after_scaling([cut, *changed(cut)])
        return error, cut

    def _best_cut_after_scaling(self, cuts: Iterable[Cut]) -> tuple[float, Cut]:
        return min(map(self._scale_budgets, cuts), key=lambda pair: pair[0])

    def _scale_budgets(self, cut: Cut) -> tuple[float, Cut]:
        """Returns n se^2 and the division with its budgets scaled to the right sum; equal sections get equal
        budgets."""
        budgets = defaultdict(list)
        for section in cut:
            budgets[section.equality_key].append(section.budget)
        scale = self.budget / sum(section.budget for section in cut)
        mean = {kind: scale * sum(same_kind) / len(same_kind) for kind, same_kind in budgets.items()}
        cut = [PlannedSection(section.laws, section.asked, mean[section.equality_key]) for section in cut]
        parts = [section.parameters for section in cut]
        if min(part.keep for part in parts) < LEAST_KEEP:
            return inf, cut
        curve = error_curve(parts, self.aim.length, self.aim.supposed)
        return curve.variance if curve else inf, cut

    def _plan_section(self, laws: Sequence[SearchLaw], asked: int, budget: float) -> PlannedSection:
        """Returns a section that asks `asked` of its questions, or the nearest number that is allowed."""
        size = len(laws)
        asked = max(min(self.aim.length, size), min(asked, size)) if self.rotation else size
        return PlannedSection(tuple(laws), asked, budget)

    def _equal_division(self, laws: Sequence[SearchLaw], count: int) -> Cut:
        ends = pairwise(round(len(laws) * end / count) for end in range(count + 1))
        return [self._plan_section(laws[start:end], self.aim.length, 1) for start, end in ends]

    def _merge_sections(self, cut: Cut) -> Iterator[Cut]:
        """Yields divisions with two neighbouring sections merged, after sorting equal sections by size."""
        for sign in (-1, 1):
            runs = groupby(cut, key=lambda section: (section.laws[0], section.laws[-1]))
            sorted_runs = [sorted(run, key=lambda planned: sign * len(planned.laws)) for _, run in runs]
            sections = [section for run in sorted_runs for section in run]
            for index, (left, right) in enumerate(pairwise(sections)):
                for asked in (max(left.asked, right.asked), left.asked + right.asked):
                    both = self._plan_section(left.laws + right.laws, asked, left.budget + right.budget)
                    yield [*sections[:index], both, *sections[index + 2 :]]

    def _change_asked(self, cut: Cut) -> Iterator[Cut]:
        """Yields divisions in which the sections of one kind ask one question more or fewer."""
        for kind in dict.fromkeys(section.equality_key for section in cut):
            for asked in (kind[1] - 1, kind[1] + 1):
                other = self._plan_section(kind[0], asked, 1)
                if other.equality_key != kind:
                    yield [
                        replace(planned, asked=other.asked) if planned.equality_key == kind else planned
                        for planned in cut
                    ]

    def _move_borders(self, cut: Cut) -> Iterator[Cut]:
        """Yields divisions with one border between sections moved; budgets stay or are divided again."""
        portions = max(4, 24 // len(cut))  # of few sections they matter most
        step = ceil(sum(len(section.laws) for section in cut) / MOST_MERGED)
        for index, (left, right) in enumerate(pairwise(cut)):
            laws, both = left.laws + right.laws, left.budget + right.budget
            for size in range(step, len(laws), step):
                if size == len(left.laws):
                    continue
                for budget in (left.budget, *(both * part / portions for part in range(1, portions))):
                    first = self._plan_section(laws[:size], left.asked, budget)
                    second = self._plan_section(laws[size:], right.asked, both - budget)
                    yield [*cut[:index], first, second, *cut[index + 2 :]]


def _change_budgets(factor: float, cut: Cut) -> Iterator[Cut]:
    """Yields the division with a larger or smaller budget for the sections of one kind."""
    for kind in dict.fromkeys(section.equality_key for section in cut):
        for times in (factor, 1 / factor):
            yield [
                replace(section, budget=section.budget * times) if section.equality_key == kind else section
                for section in cut
            ]


# --- layout
# Which questions share a section, and how many of them are asked: the layout with the least error.
# The error is the root mean square over all itemsets of the wanted length. The search (docs/mathematics.md,
# Layout search) finds good layouts, not proven the best; that they keep the limit is checked exactly.

SHOWN = 3
"""Number of layouts offered, each with another number of sections."""


def search_layouts(aim: LayoutAim, rotation: bool = True) -> tuple[Layout, ...]:
    """Returns the few best layouts for itemsets of the aim's length, the least error first.

    Each has another number of sections; empty if the limit admits none. Without `rotation` everybody is
    asked every question.
    """
    if (aim.limit.gamma - 1) * PARTS < 1:  # too little for one question with the least keep
        return ()
    budget = log(aim.limit.gamma.numerator) - log(aim.limit.gamma.denominator)
    search = SectionSearch(aim, budget, rotation)
    pairs = zip(aim.noise, aim.choices_to_estimate, strict=True)
    laws = [(float(min(noise)), float(noise[choice])) for noise, choice in pairs]
    best: dict[int, tuple[float, Cut, list[int]]] = {}
    for order in _question_orders(laws):
        for error, cut in search.best_divisions_by_section_count([laws[index] for index in order]):
            if error < best.get(len(cut), (inf,))[0]:
                best[len(cut)] = error, cut, order
    promising = sorted(best.values(), key=lambda entry: entry[0])
    rounded = (
        _layout_with_rounded_keeps(aim, search.improve_division(cut)[1], order) for _, cut, order in promising
    )
    shown = islice(filter(None, rounded), SHOWN)
    return tuple(sorted(shown, key=lambda layout: layout.variance(aim.length)))


def _question_orders(laws: Sequence[SearchLaw]) -> Iterator[list[int]]:
    """Yields orders of the questions: by smallest noise probability, and by noise of the wanted choice."""
    by_least = sorted(range(len(laws)), key=lambda index: (-laws[index][0], laws[index][1]))
    yield by_least
    chosen_noise = [laws[index][1] for index in by_least]
    if sorted(chosen_noise) not in (chosen_noise, chosen_noise[::-1]):
        yield sorted(by_least, key=lambda index: laws[index][1])


def _layout_with_rounded_keeps(aim: LayoutAim, cut: Cut, order: list[int]) -> Layout | None:
    """Returns the layout of a division with the largest keep probabilities of four places that the limit admits.

    The limit is checked exactly. None if there are no such probabilities.
    """
    parts = {section.equality_key: min(int(section.parameters.keep * PARTS), PARTS - 1) for section in cut}
    ordered = iter(order)
    places = [tuple(sorted(islice(ordered, len(section.laws)))) for section in cut]
    noise = [tuple(aim.noise[index] for index in members) for members in places]
    least = [
        rarest_noise_probability(map(min, members), section.asked)
        for members, section in zip(noise, cut, strict=True)
    ]

    def is_admissible() -> bool:
        odds = [Fraction(parts[section.equality_key], PARTS - parts[section.equality_key]) for section in cut]
        gammas = (1 + t / q for t, q in zip(odds, least, strict=True))
        return aim.limit.admits(prod(gammas, start=Fraction(1)))

    while min(parts.values()) > 0 and not is_admissible():
        parts = {kind: part - 1 for kind, part in parts.items()}
    if min(parts.values()) <= 0:
        return None
    for kind in sorted(parts, key=parts.__getitem__):
        while parts[kind] < PARTS and is_admissible():
            parts[kind] += 1
        parts[kind] -= 1
    keeps = (Fraction(parts[section.equality_key], PARTS) for section in cut)
    laws = map(SectionLaw, keeps, noise, (section.asked for section in cut))
    return make_layout(aim, tuple(map(PlacedSection, places, laws)))
