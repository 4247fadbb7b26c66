"""Runs of one itemset, simulated on counts: how many respondents send each pattern of its answers.

Only base(S) is drawn pattern by pattern; rotation thins it. Nothing here knows how a support is estimated: the
counts go through the product's own code, a run in the place of an itemset.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import comb

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ANTECEDENT, PLAIN, ContingencyTable, ItemsetPart
from mining.queries_and_counters import Queries, Query
from mining.reconstruction.cached_counter import CachedCounter
from mining.reconstruction.itemsets_grouped_by_shape import (
    Places,
    as_item_numbers,
    counts_for_estimate,
    group_by_shape,
    keep_probabilities,
    noise_probabilities,
    part_subsets,
    probabilities_by_noise_alone,
)
from mining.reconstruction.score_moments_by_group import LEAST_BASE, LEAST_GROUP, SupportCounts
from mining.rules.itemset_splits import Split, split_parts, split_subsets
from privacy.designs import Design
from tests.privacy import questionnaires
from tests.privacy.questionnaires import question

OPEN_SHARE = 0.3
OPEN_AS_OFTEN = 0.4
"""Where they differ, open answerers have the itemset .4 times as often as all do."""
SHOWN, YOUNG = 0.8, 0.8
ELSE = 0.3
"""Whoever has not all of S has each item of it this often."""

Wanted = tuple[Places, Places]
Answers = tuple[int | None, ...]
"""By item of S; None where it is hidden."""


@dataclass(frozen=True)
class Setting:
    """An itemset of yes answers in so many sensitive sections; with `plain`, one of them is plain.

    `rotation`: three of five asked. `hidden`: the last question is shown to 80 % only. `some_open`: 30 %, or `share`,
    answer openly and are other people, unless `alike`.
    """

    size: int
    sections: int = 1
    rotation: bool = False
    hidden: bool = False
    some_open: bool = False
    plain: bool = False
    keep: str = "0.5"
    noise: str = "0.5"
    alike: bool = False
    share: float = OPEN_SHARE

    @cached_property
    def design(self) -> Design:
        plain = [{"name": name, "choices": ["no", "yes"]} for name in ("work", "young")]
        sections = [questionnaires.plain(*plain)]
        noise = f"{1 - float(self.noise):.4f}", self.noise
        for section, items in enumerate(self.spread):
            several = 5 if self.rotation else items
            questions = [question(f"q{section}{index}", *noise) for index in range(several)]
            if self.hidden and section == self.sections - 1:
                questions[items - 1]["show_if"] = {"work": ["yes"]}
            sections.append(
                questionnaires.sensitive(self.keep, *questions, asked=3 if self.rotation else items)
            )
        return questionnaires.design(*sections)

    @property
    def sensitive(self) -> int:
        return self.size - self.plain

    @property
    def spread(self) -> tuple[int, ...]:
        """How many of the sensitive items each section has."""
        half = self.sensitive // 2
        return (self.sensitive,) if self.sections == 1 else (self.sensitive - half, half)

    @property
    def itemset(self) -> tuple[tuple[int, int], ...]:
        items, first = [(1, 1)] if self.plain else [], 2
        for several in self.spread:
            items += [(first + index, 1) for index in range(several)]
            first += 5 if self.rotation else several
        return tuple(items)

    @property
    def asked_all(self) -> float:
        chances = [comb(5 - items, 3 - items) / comb(5, 3) for items in self.spread if self.rotation]
        return float(np.prod(chances))

    @property
    def by_group(self) -> tuple[float, float]:
        """Shares of those who answer openly and of those who choose disguise."""
        opened = self.share if self.some_open else 0.0
        return opened, 1 - opened


@dataclass(frozen=True)
class Law:
    """What the records of base(S) look like: patterns of (group, code or None where hidden), each with its share."""

    setting: Setting
    support: float

    @cached_property
    def truths(self) -> list[dict[Answers, float]]:
        """By group, the true answers to the questions of S and how often they are; plain first."""
        setting = self.setting
        opened, disguised = setting.by_group
        differs = setting.some_open and not setting.alike
        factors = (OPEN_AS_OFTEN, (1 - opened * OPEN_AS_OFTEN) / disguised) if differs else (1.0, 1.0)
        share = (SHOWN if setting.hidden else 1.0) * (YOUNG if setting.plain else 1.0)
        result: list[dict[Answers, float]] = [{}, {}]
        for shown, young, answers in product((0, 1), (0, 1), product((0, 1), repeat=setting.sensitive)):
            row: Answers = (*answers[:-1], None) if setting.hidden and not shown else answers
            key = (young, *row) if setting.plain else row
            some = float(np.prod([ELSE if x else 1 - ELSE for x in answers]))
            for truths, factor in zip(result, factors, strict=True):
                whole = self.support / share * factor
                chance = (SHOWN if shown else 1 - SHOWN) * (YOUNG if young else 1 - YOUNG)
                chance *= whole if all(answers) else (1 - whole) * some / (1 - ELSE ** len(answers))
                truths[key] = truths.get(key, 0.0) + chance
        return result

    def share(self, places: Places, group: int | None = None) -> float:
        """Of all respondents, or of one group, those who have the items at these places."""
        return self._shares(places, group, lambda _answers: True)[1]

    def share_of_eligible(self, places: Places, group: int | None = None) -> float:
        """The same among those shown all of S."""
        eligible, having = self._shares(places, group, lambda answers: None not in answers)
        return having / eligible

    def _shares(
        self, places: Places, group: int | None, counts: Callable[[Answers], bool]
    ) -> tuple[float, float]:
        weights = self.setting.by_group if group is None else (1.0 - group, float(group))
        eligible = having = 0.0
        for weight, truths in zip(weights, self.truths, strict=True):
            for answers, chance in truths.items():
                if counts(answers):
                    eligible += weight * chance
                    having += weight * chance * all(answers[index] == 1 for index in places)
        return eligible, having

    @cached_property
    def patterns(self) -> dict[tuple[int, Answers], float]:
        result: dict[tuple[int, Answers], float] = {}
        for group, share in enumerate(self.setting.by_group):
            for truth, chance in self.truths[group].items():
                for sent, probability in self._disguised(truth) if group else [(truth, 1.0)]:
                    result[group, sent] = result.get((group, sent), 0.0) + share * chance * probability
        return {pattern: chance for pattern, chance in result.items() if chance > 0}

    def _disguised(self, truth: Answers) -> Iterator[tuple[Answers, float]]:
        """What may be sent for these answers, section by section, with its chance."""
        setting = self.setting
        keep, yes = float(setting.keep), float(setting.noise)
        first, options = int(setting.plain), []
        for items in setting.spread:
            mine = truth[first : first + items]
            first += items
            noise = [[(None, 1.0)] if code is None else [(0, 1 - yes), (1, yes)] for code in mine]
            options.append(
                [
                    (codes, (1 - keep) * float(np.prod([p for _, p in drawn])) + keep * (codes == mine))
                    for drawn in product(*noise)
                    for codes in [tuple(code for code, _ in drawn)]
                ]
            )
        for parts in product(*options):
            codes = truth[: int(setting.plain)] + tuple(code for part, _ in parts for code in part)
            yield codes, float(np.prod([p for _, p in parts]))


class Runs:
    """The counts of so many runs with n respondents each."""

    def __init__(self, law: Law, n: int, runs: int, rng: np.random.Generator) -> None:
        self.law, self.n, self.runs = law, n, runs
        setting = law.setting
        self.known = CachedCounter(_Nobody(setting.design))
        numbers = np.tile(as_item_numbers(self.known.numbering, [setting.itemset]), (runs, 1))
        (self.group,) = group_by_shape(self.known, numbers)
        base = rng.binomial(n, setting.asked_all, runs) if setting.asked_all < 1 else n
        shares = np.array(list(law.patterns.values()))
        self.drawn = rng.multinomial(base, shares / shares.sum(), runs).T.astype(np.int64)

    def counts(self, wanted: Sequence[Wanted]) -> NDArray[np.int64]:
        """Pairs of counts of such records, run by run."""
        result = np.zeros((len(wanted), 2, self.runs), np.int64)
        for (group, codes), drawn in zip(self.law.patterns, self.drawn, strict=True):
            for row, (items, applies) in enumerate(wanted):
                if all(codes[index] == 1 for index in items) and None not in [codes[at] for at in applies]:
                    result[row, group] += drawn
        return result

    @property
    def tally(self) -> SupportCounts:
        shape, laws = self.group.shape, self.known.laws
        parts, hidden = shape.sections, shape.hidden
        of = [((), ()), ((), hidden), (shape.plain, ())]
        of += [(tuple(sorted((*shape.plain, *items))), hidden) for items in part_subsets(parts)]
        base, applying, carrying, *supersets = (
            counts_for_estimate(shape, counts) for counts in self.counts(of)
        )
        keep, chance = (
            keep_probabilities(self.group, laws, parts),
            probabilities_by_noise_alone(self.group, laws, parts),
        )
        # No item here is without noise.
        return SupportCounts(
            base, applying, carrying, carrying, supersets[0], np.array(supersets), keep, chance
        )

    def support_table(self, *, shown: bool = False) -> ContingencyTable:
        """Among base(S), or among those shown all of S."""
        shape = self.group.shape
        plain = bool(shape.plain or (shape.hidden and not shown))
        queries: list[Wanted] = []
        for items in part_subsets(shape.sections):
            carrying = tuple(sorted((*shape.plain, *items)))
            queries += [(items, shape.hidden if shown else ())] + [(carrying, shape.hidden)] * plain
        places: list[tuple[ItemsetPart, Places]] = [(ItemsetPart(ANTECEDENT, PLAIN), ())] * plain
        places += [(ItemsetPart(ANTECEDENT, index), section) for index, section in enumerate(shape.sections)]
        return self._table(places, queries)

    def rule_table(self, split: Split) -> ContingencyTable:
        """Among E(S)."""
        hidden = self.group.shape.hidden
        return self._table(
            split_parts(self.group.shape, split),
            [(items, hidden) for items in split_subsets(self.group.shape, split)],
        )

    def _table(
        self, parts: Sequence[tuple[ItemsetPart, Places]], queries: Sequence[Wanted]
    ) -> ContingencyTable:
        """Those runs in which enough were asked; where plain and sensitive items meet, of the disguised alone."""
        shape, laws = self.group.shape, self.known.laws
        counts = self.counts(queries).astype(np.float64)
        if shape.uses_disguised_only:
            counts[:, 0] = 0
        in_groups = ((counts[0] == 0) | (counts[0] >= LEAST_GROUP)).all(axis=0)
        enough = in_groups & (counts[0].sum(axis=0) >= LEAST_BASE)
        keep = keep_probabilities(self.group, laws, shape.sections)[:, :1]
        noise = noise_probabilities(self.group, laws, [places for _part, places in parts])[:, :1]
        noise[[part.section == PLAIN for part, _places in parts]] = 1.0
        table = ContingencyTable(tuple(part for part, _places in parts), counts, keep, noise)
        return table.take(np.flatnonzero(enough))


class _Nobody:
    """Knows the design; every count is that of everybody, so no plain answer is withheld."""

    n = (1, 1)

    def __init__(self, design: Design) -> None:
        self.design = design

    def count(self, queries: Sequence[Query] | Queries) -> NDArray[np.int64]:
        return np.ones((len(queries), 2), np.int64)
