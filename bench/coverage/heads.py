"""Whole searches over simulated surveys: what of the head of a list misses, and how many badges are wrong."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.coverage.section import Measures, Value
from mining.counting import make_counter
from mining.engines.candor_engine import make_rules
from mining.inference.contingency_table import Floats
from mining.inference.selection_correction import HEADS, LEVEL, LISTED, displayed_head_length
from mining.itemsets.frequent import find_frequent_itemsets
from mining.nodes.rule_lists import LARGER, PAIRS
from mining.parameters import Parameters
from mining.queries_and_counters import Item
from mining.reconstruction.cached_counter import CachedCounter
from mining.rules import Rules, measures
from mining.rules.rule_intervals import CONFIDENCE, LIFT
from mining.rules.rules_from_frequent_itemsets import divide_itemset
from privacy.designs import Design, parse_design
from privacy.records import DISGUISED, OPEN
from privacy.records.batch_bit_columns import columns_from_bytes, pack_batch
from privacy.simulation.disguise import disguise

ROUNDING = 1e-9
CLASSES = 3
FIRST = (1, 5, 20)
LARGE_LIFT = 2.0
PAGE = 25
HALF = (0.5, 0.5)


def question(name: str, choices: int, noise: Sequence[float] = (), **show_if: str) -> dict[str, Any]:
    """`show_if`: by question the choices with which it is shown."""
    members: dict[str, Any] = {"name": name, "choices": [f"c{code}" for code in range(choices)]}
    if noise:
        parts = [round(10_000 * part) for part in noise]
        parts[-1] = 10_000 - sum(parts[:-1])
        members["noise"] = [f"{part / 10_000:.4f}" for part in parts]
    if show_if:
        members["show_if"] = {name: choices.split() for name, choices in show_if.items()}
    return members


def even(choices: int, *names: str) -> list[dict[str, Any]]:
    """Questions of so many choices with even noise."""
    return [question(name, choices, (1 / choices,) * choices) for name in names]


def plain(**choices: int) -> dict[str, Any]:
    return {"kind": "plain", "questions": [question(name, many) for name, many in choices.items()]}


def disguised(keep: str, *questions: dict[str, Any], drawn: int = 0) -> dict[str, Any]:
    """`drawn` of the questions are asked, if not all."""
    asked = {"asked": drawn} if drawn else {}
    return {"kind": "unrelated-question", "keep": keep, **asked, "questions": list(questions)}


class Truth(NamedTuple):
    lift: float
    confidence: tuple[float, float]


@dataclass(frozen=True)
class World:
    """`shares`: fixed shares by question, all independent; without, a latent class model of three classes by lot.

    `agreeing`: the first two questions agree so often. `opened`: so many answer openly, and differ.
    """

    name: str
    sections: tuple[dict[str, Any], ...]
    support: float
    confidence: float
    sizes: tuple[int, ...]
    shares: tuple[tuple[float, ...], ...] = ()
    agreeing: float = 0.0
    opened: float = 0.0

    @property
    def n(self) -> int:
        return self.sizes[0]

    def __str__(self) -> str:
        return f"{self.name}, {self.n:,} respondents"

    @cached_property
    def design(self) -> Design:
        opened = {"open_answers": bool(self.opened)}
        return parse_design(json.dumps({"format": "candor-design/1", **opened, "sections": self.sections}))

    @cached_property
    def questions(self) -> list[dict[str, Any]]:
        return [question for section in self.sections for question in section["questions"]]

    @cached_property
    def true_codes(self) -> NDArray[np.uint16]:
        """Question by combination of answers, before anything is hidden."""
        codes = (range(len(question["choices"])) for question in self.questions)
        return np.array(list(product(*codes)), np.uint16).T

    @cached_property
    def patterns(self) -> NDArray[np.uint16]:
        """The same, where a hidden answer does not apply."""
        codes = self.true_codes.copy()
        for index, question in enumerate(self.design.questions):
            for rule in question.show_if:
                codes[index, ~np.isin(codes[rule.place], list(rule.codes))] = question.not_applicable
        return codes

    def law(self, group: int) -> Floats:
        """How many of a group have each combination, before anything is hidden."""
        true = self.true_codes
        if self.shares:
            chances = [np.array(shares)[codes] for codes, shares in zip(true, self.shares, strict=True)]
            result = np.prod(chances, axis=0)
            if self.agreeing:
                result *= np.where(true[0] == true[1], self.agreeing, 1 - self.agreeing) * 2
            return np.asarray(result / result.sum())
        rng = np.random.default_rng((7, group if self.opened else 0))
        result = np.zeros(true.shape[1])
        for share in rng.dirichlet(np.full(CLASSES, 2.0)):
            weights = np.full(true.shape[1], share)
            for codes, asked in zip(true, self.questions, strict=True):
                weights *= rng.dirichlet(np.ones(len(asked["choices"])))[codes]
            result += weights
        return result

    @cached_property
    def laws(self) -> tuple[Floats, Floats]:
        return self.law(OPEN), self.law(DISGUISED)

    def draw(self, rng: np.random.Generator) -> CachedCounter:
        group = np.where(rng.random(self.n) < self.opened, OPEN, DISGUISED).astype(np.uint8)
        truth = np.zeros((len(self.questions), self.n), np.uint16)
        for arm in (OPEN, DISGUISED):
            mine = group == arm
            drawn = rng.choice(self.patterns.shape[1], int(mine.sum()), p=self.laws[arm])
            truth[:, mine] = self.patterns[:, drawn]
        codes = disguise(self.design, group, truth, rng)
        columns = columns_from_bytes(self.design, pack_batch(self.design, group, codes))
        return CachedCounter(make_counter(self.design, [columns]))

    @cached_property
    def of_all(self) -> Floats:
        """Of everybody; what joins plain and sensitive items would be of the disguised alone."""
        assert not self.opened or all("keep" in section for section in self.sections)
        return self.opened * self.laws[OPEN] + (1 - self.opened) * self.laws[DISGUISED]

    def truth(self, first: Sequence[Item], then: Sequence[Item]) -> Truth:
        """Among those shown all of it."""
        both = [*first, *then]
        questions = self.design.questions
        among = np.all([self.patterns[at] != questions[at].not_applicable for at, _code in both], axis=0)
        shares = []
        for items in (first, then, both):
            has = np.all([self.patterns[index] == code for index, code in items], axis=0)
            shares.append(float(self.of_all[has & among].sum() / self.of_all[among].sum()))
        a, c, whole = shares
        return Truth(whole / (a * c), (whole / a, whole / c))


@cache
def worlds() -> tuple[World, ...]:
    levels = (
        disguised("0.6", question("a", 3, (0.5, 0.3, 0.2)), question("b", 2, (0.8, 0.2)), *even(2, "c")),
        disguised("0.3", question("d", 2, (0.3, 0.7)), *even(3, "e")),
    )
    work = question("work", 3), question("shift", 2, work="c0 c1"), question("age", 3)
    theft, sick = question("theft", 2, HALF, shift="c1"), question("sick", 2, (0.4, 0.6), work="c0 c2")
    chain = (
        {"kind": "plain", "questions": [*work]},
        disguised("0.5", theft, sick, *even(2, "lie")),
        disguised("0.7", question("drink", 3, (1 / 3,) * 3, age="c1 c2")),
    )
    drawn = (*even(2, "a"), *even(3, "b"), *even(2, "c"), question("d", 2, (0.3, 0.7)), *even(3, "e"))
    nothing = (plain(a=3, b=4, c=2), disguised("0.5", *even(2, "d", "e"), *even(3, "f")))
    marginals = ((0.5, 0.3, 0.2), (0.4, 0.3, 0.2, 0.1), (0.5, 0.5), (0.8, 0.2), (0.7, 0.3), (0.6, 0.3, 0.1))
    half_each = (disguised("0.6", *even(2, *"abcd")), plain(e=2, f=2))
    hidden = (disguised("0.2", *even(2, *"abc")), disguised("0.3", *even(2, *"def")))
    opened = (disguised("0.4", *even(2, *"abcd")), disguised("0.5", *even(2, *"ef")))
    every = (
        World("7 choices", (plain(a=3, b=5, c=2), disguised("0.5", *even(7, "d"))), 0.03, 0.2, (300, 3_000)),
        World("3 levels", levels, 0.1, 0.4, (400, 5_000)),
        World("show-if chain", chain, 0.03, 0.3, (500, 4_000)),
        World("rotation", (disguised("0.6", *drawn, drawn=2), plain(f=3)), 0.05, 0.3, (600, 6_000)),
        World("90 % open", opened, 0.1, 0.4, (500, 5_000), opened=0.9),
        World("nothing is associated", nothing, 0.02, 0.1, (150, 1_500, 10_000), marginals),
        World("nothing is associated (2)", hidden, 0.05, 0.1, (300, 3_000), ((0.7, 0.3),) * 6),
        World("one pair agrees", half_each, 0.2, 0.5, (400, 3_000), (HALF,) * 6, agreeing=0.96),
    )
    return tuple(replace(world, sizes=(n,)) for world in every for n in world.sizes)


@dataclass(frozen=True)
class Searched:
    """A search and the truth of its pairs, in their order."""

    rules: Rules
    lift: Floats
    confidence: Floats

    def ends(self, kind: int, rows: NDArray[np.intp], places: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """The intervals of these rows at these places of a list that was chosen from all."""
        k, own = displayed_head_length(places), displayed_head_length(self.rules.splits.level_rank[rows])
        level = np.where(k < own, HEADS + np.log2(k).astype(np.int64), LISTED)
        ends = self.rules.splits.interval_ends[kind, rows, level]
        high = np.where(np.isnan(ends[:, 1]) & ~np.isnan(ends[:, 0]), np.inf, ends[:, 1])
        return ends[:, 0], high

    def missed(self, rows: NDArray[np.intp], most: int) -> tuple[float, float]:
        """Of the first so many of a list of these rows, pairs or larger itemsets alone: the shares of lifts and of
        confidences that miss."""
        rows = rows[:most]
        if not len(rows):
            return 0.0, 0.0
        misses, places = [], np.arange(1, len(rows) + 1)
        for kind, truth in ((LIFT, self.lift), *enumerate(self.confidence, CONFIDENCE)):
            low, high = self.ends(kind, rows, places)
            misses.append((truth[rows] < low - ROUNDING) | (truth[rows] > high + ROUNDING))
        return float(misses[0].mean()), float(np.concatenate(misses[1:]).mean())

    def lists(self) -> dict[str, NDArray[np.intp]]:
        """What a reader filters, and a publication: the ten largest lifts among q <= .05, in the order of p."""
        splits = self.rules.splits
        lifts, known = measures.lift(splits.share, *splits.supports), np.flatnonzero(splits.q <= LEVEL)
        itemsets = self.rules.itemsets[splits.itemset]
        return {
            "lift at least 2": np.flatnonzero(lifts >= LARGE_LIFT),
            "one answer": np.flatnonzero((itemsets == itemsets.max(initial=0)).any(axis=1)),
            "published": np.sort(known[np.argsort(-lifts[known])][:10]),
        }


def searched(world: World, rng: np.random.Generator) -> Searched:
    known, wanted = world.draw(rng), Parameters(world.support, world.confidence)
    result = make_rules(known, find_frequent_itemsets(known, wanted), wanted, heads=True)
    truths = []
    for itemset, antecedent in zip(result.splits.itemset, result.splits.antecedent.tolist(), strict=True):
        first, then = divide_itemset(result.itemsets[itemset], antecedent)
        truths.append(world.truth([*map(known.numbering.item, first)], [*map(known.numbering.item, then)]))
    confidence = np.array([truth.confidence for truth in truths]).reshape(-1, 2).T
    return Searched(result, np.array([truth.lift for truth in truths]), confidence)


def measures_of_list(
    world: World, search: Searched, *, is_larger: bool
) -> Iterator[tuple[str, float | tuple[float, float]]]:
    splits = search.rules.splits
    whole = np.flatnonzero(splits.is_larger == is_larger)
    for most in FIRST:
        yield f"missed, first {most}", search.missed(whole, most)
    yield "missed, all", search.missed(whole, len(whole))
    for name, chosen in search.lists().items():
        for most in (1, 10):
            yield f"missed, {name}, first {most}", search.missed(np.intersect1d(chosen, whole), most)
    if world.shares and not world.agreeing:
        low, high = search.ends(LIFT, whole[:PAGE], np.arange(len(whole[:PAGE])) + 1)
        yield "an association on the first page of nothing", float(((low > 1) | (high < 1)).any())
    lifts, said = search.lift[whole], splits.association[whole]
    wrong = np.where(said > 0, lifts <= 1 + ROUNDING, lifts >= 1 - ROUNDING)[said != 0]
    yield "wrong badges", float(wrong.mean()) if len(wrong) else 0.0
    false = (np.abs(lifts - 1) < ROUNDING)[splits.q[whole] <= LEVEL]
    yield "false among q of .05", float(false.mean()) if len(false) else 0.0


def heads(world: World, searches: int, rng: np.random.Generator) -> Iterator[Value]:
    rows: dict[str, list[float | tuple[float, float]]] = defaultdict(list)
    for _search in range(searches):
        search = searched(world, rng)
        for of, is_larger in ((PAIRS, False), (LARGER, True)):
            for measure, value in measures_of_list(world, search, is_larger=is_larger):
                rows[f"{of}: {measure}"].append(value)
    for name, values in rows.items():
        yield Value(name, str(world), float(np.mean(values, axis=0).max()), searches)


MEASURES: Measures = {"heads": (worlds, heads)}
