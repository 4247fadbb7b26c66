"""Whole searches over simulated surveys: what of the head of a list misses, and how many badges are wrong."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.coverage.section import Bar, Section, Value
from mining.counting import counter_of
from mining.engines.bitmap import rules_of
from mining.inference.contingency_table import Floats
from mining.inference.selection import HEADS, LEVEL, LISTED, displayed
from mining.itemsets.frequent import frequent
from mining.parameters import Parameters
from mining.reconstruction.counter_cache import CachedCounter
from mining.rules import Rules, measures
from mining.rules.errors import CONFIDENCE, LIFT
from mining.rules.table import divided
from privacy.designs import Design, parse
from privacy.records import DISGUISED, OPEN
from privacy.records.columns import pack, read
from privacy.simulation.disguise import disguise

CACHE = Path(gettempdir()) / "candor-bench-kernel"
ROUNDING = 1e-9
CLASSES = 3
FIRST = (1, 5, 10)
LARGE_LIFT = 2.0
PAGE = 25


@dataclass(frozen=True)
class Asked:
    """A question; sensitive ones have noise. `shown`: by question the choices with which it is shown."""

    name: str
    choices: int
    noise: tuple[float, ...] = ()
    shown: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def as_json(self) -> dict[str, Any]:
        members: dict[str, Any] = {"name": self.name, "choices": [f"c{code}" for code in range(self.choices)]}
        if self.noise:
            parts = [round(10_000 * part) for part in self.noise]
            parts[-1] = 10_000 - sum(parts[:-1])
            members["noise"] = [f"{part / 10_000:.4f}" for part in parts]
        if self.shown:
            members["show_if"] = {name: list(choices) for name, choices in self.shown}
        return members


def even(choices: int) -> tuple[float, ...]:
    return (1 / choices,) * choices


@dataclass(frozen=True)
class PageOf:
    """A section: plain without `keep`; `drawn` of its questions are asked."""

    questions: tuple[Asked, ...]
    keep: str = ""
    drawn: int = 0

    def as_json(self) -> dict[str, Any]:
        questions = [one.as_json() for one in self.questions]
        if not self.keep:
            return {"kind": "plain", "questions": questions}
        asked = {"asked": self.drawn} if self.drawn else {}
        return {"kind": "unrelated-question", "keep": self.keep, **asked, "questions": questions}


@dataclass(frozen=True)
class World:
    """`shares`: fixed shares by question, all independent; without, a latent class model of three classes by lot.

    `agreeing`: the first two questions agree so often. `opened`: so many answer openly, and differ.
    """

    name: str
    pages: tuple[PageOf, ...]
    support: float
    confidence: float
    n: int
    shares: tuple[tuple[float, ...], ...] = ()
    agreeing: float = 0.0
    opened: float = 0.0

    def __str__(self) -> str:
        return f"{self.name}, {self.n:,} respondents"

    @cached_property
    def design(self) -> Design:
        sections = [page.as_json() for page in self.pages]
        said = {"format": "candor-design/1", "open_answers": bool(self.opened), "sections": sections}
        return parse(json.dumps(said))

    @property
    def questions(self) -> list[Asked]:
        return [one for page in self.pages for one in page.questions]

    @property
    def wanted(self) -> Parameters:
        return Parameters(self.support, self.confidence)

    @cached_property
    def patterns(self) -> NDArray[np.uint16]:
        """Question by combination of answers; a hidden answer does not apply."""
        codes = np.array(list(product(*(range(one.choices) for one in self.questions))), np.uint16).T
        index = {one.name: at for at, one in enumerate(self.questions)}
        for at, one in enumerate(self.questions):
            for name, choices in one.shown:
                allowed = [int(choice[1:]) for choice in choices]
                codes[at, ~np.isin(codes[index[name]], allowed)] = self.design.questions[at].not_applicable
        return codes

    def law(self, group: int) -> Floats:
        """How many of a group have each combination, before anything is hidden."""
        questions = self.questions
        true = np.array(list(product(*(range(one.choices) for one in questions))))
        if self.shares:
            result = np.ones(len(true))
            for at, shares in enumerate(self.shares):
                result *= np.array(shares)[true[:, at]]
            if self.agreeing:
                same = true[:, 0] == true[:, 1]
                result *= np.where(same, self.agreeing, 1 - self.agreeing) * 2
            return np.asarray(result / result.sum())
        rng = np.random.default_rng((7, group if self.opened else 0))
        classes = rng.dirichlet(np.full(CLASSES, 2.0))
        result = np.zeros(len(true))
        for share in classes:
            weights = np.full(len(true), share)
            for at, one in enumerate(questions):
                weights *= rng.dirichlet(np.ones(one.choices))[true[:, at]]
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
        return CachedCounter(
            counter_of(self.design, [read(self.design, pack(self.design, group, codes))], CACHE)
        )

    @cached_property
    def of_all(self) -> Floats:
        """Of everybody; what joins plain and sensitive items would be of the disguised alone."""
        assert not self.opened or all(page.keep for page in self.pages)
        return self.opened * self.laws[OPEN] + (1 - self.opened) * self.laws[DISGUISED]

    def shares_of(self, items: Sequence[tuple[int, int]], among: NDArray[np.bool_]) -> float:
        has = np.all([self.patterns[index] == code for index, code in items], axis=0)
        return float(self.of_all[has & among].sum() / self.of_all[among].sum())

    def truth(self, first: Sequence[tuple[int, int]], then: Sequence[tuple[int, int]]) -> "Truth":
        """Among those shown all of it."""
        applies = [
            self.patterns[index] != self.design.questions[index].not_applicable
            for index, _ in (*first, *then)
        ]
        among = np.all(applies, axis=0)
        a, c, s = (self.shares_of(items, among) for items in (first, then, [*first, *then]))
        return Truth(s / (a * c), (s / a, s / c))


@dataclass(frozen=True)
class Truth:
    lift: float
    confidence: tuple[float, float]


@cache
def worlds() -> tuple[World, ...]:
    first = World(
        "7 choices",
        (
            PageOf((Asked("a", 3), Asked("b", 5), Asked("c", 2))),
            PageOf((Asked("d", 7, even(7)),), "0.5"),
        ),
        0.03,
        0.2,
        300,
    )
    levels = World(
        "3 levels",
        (
            PageOf(
                (Asked("a", 3, (0.5, 0.3, 0.2)), Asked("b", 2, (0.8, 0.2)), Asked("c", 2, (0.5, 0.5))), "0.6"
            ),
            PageOf((Asked("d", 2, (0.3, 0.7)), Asked("e", 3, even(3))), "0.3"),
        ),
        0.1,
        0.4,
        400,
    )
    chain = World(
        "show-if chain",
        (
            PageOf((Asked("work", 3), Asked("shift", 2, (), (("work", ("c0", "c1")),)), Asked("age", 3))),
            PageOf(
                (
                    Asked("theft", 2, (0.5, 0.5), (("shift", ("c1",)),)),
                    Asked("sick", 2, (0.4, 0.6), (("work", ("c0", "c2")),)),
                    Asked("lie", 2, (0.5, 0.5)),
                ),
                "0.5",
            ),
            PageOf((Asked("drink", 3, even(3), (("age", ("c1", "c2")),)),), "0.7"),
        ),
        0.03,
        0.3,
        500,
    )
    rotation = World(
        "rotation",
        (
            PageOf(
                (
                    Asked("a", 2, even(2)),
                    Asked("b", 3, even(3)),
                    Asked("c", 2, even(2)),
                    Asked("d", 2, (0.3, 0.7)),
                    Asked("e", 3, even(3)),
                ),
                "0.6",
                2,
            ),
            PageOf((Asked("f", 3),)),
        ),
        0.05,
        0.3,
        600,
    )
    opened = World(
        "90 % open",
        (
            PageOf(tuple(Asked(name, 2, even(2)) for name in "abcd"), "0.4"),
            PageOf(tuple(Asked(name, 2, even(2)) for name in "ef"), "0.5"),
        ),
        0.1,
        0.4,
        500,
        opened=0.9,
    )
    nothing = World(
        "nothing is associated",
        (
            PageOf((Asked("a", 3), Asked("b", 4), Asked("c", 2))),
            PageOf((Asked("d", 2, even(2)), Asked("e", 2, even(2)), Asked("f", 3, even(3))), "0.5"),
        ),
        0.02,
        0.1,
        150,
        ((0.5, 0.3, 0.2), (0.4, 0.3, 0.2, 0.1), (0.5, 0.5), (0.8, 0.2), (0.7, 0.3), (0.6, 0.3, 0.1)),
    )
    hidden = World(
        "nothing is associated (2)",
        (
            PageOf(tuple(Asked(name, 2, even(2)) for name in "abc"), "0.2"),
            PageOf(tuple(Asked(name, 2, even(2)) for name in "def"), "0.3"),
        ),
        0.05,
        0.1,
        300,
        ((0.7, 0.3),) * 6,
    )
    pair = World(
        "one pair agrees",
        (
            PageOf(tuple(Asked(name, 2, even(2)) for name in "abcd"), "0.6"),
            PageOf((Asked("e", 2), Asked("f", 2))),
        ),
        0.2,
        0.5,
        400,
        ((0.5, 0.5),) * 6,
        agreeing=0.96,
    )
    sizes = (
        (first, (300, 3_000)),
        (levels, (400, 5_000)),
        (chain, (500, 4_000)),
        (rotation, (600, 6_000)),
        (opened, (500, 5_000)),
        (nothing, (150, 1_500, 10_000)),
        (hidden, (300, 3_000)),
        (pair, (400, 3_000)),
    )
    return tuple(replace(world, n=n) for world, many in sizes for n in many)


@dataclass(frozen=True)
class Searched:
    """A search and the truth of its pairs, in their order."""

    rules: Rules
    lift: Floats
    confidence: Floats

    def ends(self, kind: int, rows: NDArray[np.intp], places: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """The intervals of these rows at these places of a list that was chosen from all."""
        k, own = displayed(places), displayed(rows + 1)
        level = np.where(k < own, HEADS + np.log2(k).astype(np.int64), LISTED)
        ends = self.rules.splits.ends[kind, rows, level]
        high = np.where(np.isnan(ends[:, 1]) & ~np.isnan(ends[:, 0]), np.inf, ends[:, 1])
        return ends[:, 0], high

    def missed(self, rows: NDArray[np.intp], most: int) -> tuple[float, float]:
        """Of the first so many of the list of these rows: the shares of lifts and of confidences that miss."""
        rows = rows[:most]
        places = np.arange(1, len(rows) + 1)
        misses = []
        for kind, truth in (
            (LIFT, self.lift),
            (CONFIDENCE, self.confidence[0]),
            (CONFIDENCE + 1, self.confidence[1]),
        ):
            low, high = self.ends(kind, rows, places)
            misses.append((truth[rows] < low - ROUNDING) | (truth[rows] > high + ROUNDING))
        lift, forward, backward = misses
        both = np.concatenate([forward, backward])
        return (float(lift.mean()), float(both.mean())) if len(rows) else (0.0, 0.0)


def searched(world: World, rng: np.random.Generator) -> Searched:
    known = world.draw(rng)
    result = rules_of(known, frequent(known, world.wanted), world.wanted, heads=True)
    truths = [truth_of(world, known, result, row) for row in range(len(result.splits))]
    confidence = np.array([rule_truth.confidence for rule_truth in truths]).reshape(-1, 2).T
    return Searched(result, np.array([rule_truth.lift for rule_truth in truths]), confidence)


def truth_of(world: World, known: CachedCounter, result: Rules, row: int) -> Truth:
    sides = divided(result.itemsets[result.splits.itemset[row]], int(result.splits.antecedent[row]))
    first, then = (tuple(map(known.numbering.item, side)) for side in sides)
    return world.truth(first, then)


Choice = Callable[[Searched], NDArray[np.intp]]


def everything(search: Searched) -> NDArray[np.intp]:
    return np.arange(len(search.lift))


def lifts(search: Searched) -> Floats:
    return measures.lift(search.rules.splits.share, *search.rules.splits.supports)


def lift_of_two(search: Searched) -> NDArray[np.intp]:
    return np.flatnonzero(lifts(search) >= LARGE_LIFT)


def with_the_last_item(search: Searched) -> NDArray[np.intp]:
    itemsets = search.rules.itemsets[search.rules.splits.itemset]
    return np.flatnonzero((itemsets == itemsets.max(initial=0)).any(axis=1))


def published(search: Searched) -> NDArray[np.intp]:
    """The ten largest lifts among q <= .05, in the order of p."""
    known = np.flatnonzero(search.rules.splits.q <= LEVEL)
    return np.sort(known[np.argsort(-lifts(search)[known])][:10])


LISTS: Mapping[str, Choice] = {
    "lift at least 2": lift_of_two,
    "one answer": with_the_last_item,
    "published": published,
}


def head_cells() -> list[World]:
    return list(worlds())


def heads(world: World, searches: int, rng: np.random.Generator) -> Iterator[Value]:
    rows: dict[str, list[float | tuple[float, float]]] = {}
    for _search in range(searches):
        search = searched(world, rng)
        splits, whole = search.rules.splits, everything(search)
        for most in FIRST:
            rows.setdefault(f"missed, first {most}", []).append(search.missed(whole, most))
        rows.setdefault("missed, all", []).append(search.missed(whole, len(whole)))
        for name, choice in LISTS.items():
            chosen = choice(search)
            for most in (1, 10):
                rows.setdefault(f"missed, {name}, first {most}", []).append(search.missed(chosen, most))
        badges = splits.association != 0
        wrong = np.where(splits.association > 0, search.lift <= 1 + ROUNDING, search.lift >= 1 - ROUNDING)[
            badges
        ]
        if world.shares and not world.agreeing:
            low, high = search.ends(LIFT, whole[:PAGE], whole[:PAGE] + 1)
            shown = bool(((low > 1) | (high < 1)).any())
            rows.setdefault("an association on the first page of nothing", []).append(float(shown))
        rows.setdefault("wrong badges", []).append(float(wrong.mean()) if len(wrong) else 0.0)
        significant = splits.q <= LEVEL
        false = (np.abs(search.lift - 1) < ROUNDING)[significant]
        rows.setdefault("false among q of .05", []).append(float(false.mean()) if len(false) else 0.0)
    for name, values in rows.items():
        yield Value(name, str(world), float(np.mean(values, axis=0).max()), searches)


NAMES = (
    *(f"missed, first {most}" for most in FIRST),
    "missed, all",
    *(f"missed, {name}, first {most}" for name in LISTS for most in (1, 10)),
    "an association on the first page of nothing",
    "wrong badges",
    "false among q of .05",
)
SECTIONS = (
    Section(
        "heads",
        "Heads of lists, and badges",
        "Whole searches in seventeen worlds: choices of 2 to 7, show-if, rotation, 90 % open, nothing associated. The "
        "mean share of intervals, of lift or of confidence, whichever misses more, that miss among the first pairs of "
        "the list of all, of lists that a reader filters, and of a publication.",
        head_cells,
        heads,
        200,
        0,
        dict.fromkeys(NAMES, Bar(0.05, most=True)),
    ),
)
