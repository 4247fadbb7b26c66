"""Numbers by classes: shares, means, quantile statements, and rules of a number and a yes/no question."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np

from bench.coverage.section import Bar, Section, Value
from mining.counts import VARIANTS, score_columns
from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, ContingencyTable, Floats, ItemsetPart
from mining.inference.intervals import NORMAL_95, lift_interval, share_interval
from mining.inference.score import SplitTests
from mining.inference.scored_parts import ScoredParts
from mining.inference.sums_of_shares import SumOfShares
from mining.kinds.number.classes import item_shares, mean_test, quantile_statement
from mining.kinds.number.floors import Counts, enough
from privacy.guarantee.amplification import GammaLimit, largest_keep
from privacy.guarantee.classes_search import Classes, best_cuts
from privacy.guarantee.number_range import NumberRange
from privacy.kinds.number.classes.law import LEAST_CLASSES, LEAST_REST
from privacy.kinds.number.classes.scores import score_table
from privacy.kinds.number.classes.section import REST_PARTS
from privacy.kinds.score_table import ScoreTable

VALUES = 1_000
LIMITS, GAMMAS, RECORDS = (4, 9, 20), (3, 6, 19, 50), (300, 1_000, 5_000)
SHAPES = ("even", "hill", "skewed", "two hills", "lowest class")
QUANTILES = (0.25, 0.5, 0.75)
REST = 2
MEAN, WALD_HOLDS = 0.93, 0.94
"""What an interval of a mean holds at least, and what Wald's holds where the lengths are compared."""


def truth(shape: str, limits: int) -> Floats:
    """Shares of the numbers 0 .. VALUES - 1."""
    x = (np.arange(VALUES) + 0.5) / VALUES
    shapes = {
        "even": np.ones(VALUES),
        "hill": np.exp(-(((x - 0.5) / 0.15) ** 2) / 2),
        "skewed": np.exp(-x / 0.15),
        "two hills": np.exp(-(((x - 0.25) / 0.08) ** 2)) + 0.7 * np.exp(-(((x - 0.75) / 0.1) ** 2)),
        "lowest class": (x < 1 / (limits + 1)).astype(np.float64),
    }
    return np.asarray(shapes[shape] / shapes[shape].sum())


@dataclass(frozen=True)
class Numbered:
    limits: int
    gamma: int
    shape: str
    n: int
    open_share: float
    rest: int

    def __str__(self) -> str:
        rest = f", rest {self.rest / REST_PARTS:.2f}" if self.rest else ""
        return (
            f"{self.limits} limits, gamma {self.gamma}, {self.shape}, {self.n:,} records, "
            f"{self.open_share:.0%} open{rest}"
        )

    @property
    def classes(self) -> Classes:
        """As the planner has it where nothing is expected."""
        limit = GammaLimit(Fraction(self.gamma), strict=False)
        cuts = best_cuts(limit.gamma, (1 / (self.limits + 1),) * (self.limits + 1))
        limits = tuple(VALUES * i // (self.limits + 1) for i in range(1, self.limits + 1))
        keeps = largest_keep(limit, cuts), largest_keep(limit, 1)
        return Classes(NumberRange(0, VALUES - 1), limits, cuts, self.rest, *keeps).rounded(limit)


def chances_of(classes: Classes, shares: Floats) -> Floats:
    """By group and code, of people with these shares of the numbers from 0 on."""
    limits, x = len(classes.limits), np.arange(len(shares))
    table = score_table(limits, classes.cuts, classes.keep)
    own = np.searchsorted(classes.limits, x, side="right")
    rest = classes.rest / REST_PARTS
    single = np.flatnonzero(table.true_class >= 0)
    opened = np.zeros(len(table.scores))
    np.add.at(opened, single[own], shares)
    disguised = np.bincount(own, shares, limits + 1) @ table.chance
    rows = []
    for group, codes in enumerate((opened, disguised)):
        keep = float(classes.rest_keep) if group else 1.0
        inside = shares @ ((x - np.array(classes.starts)[own]) / classes.span)
        yes = keep * (inside - 1 / 2) + 1 / 2
        bits = [rest * (1 - yes), rest * yes] if rest else []
        rows.append(np.concatenate([(1 - rest) * codes, bits]))
    return np.stack(rows)


def numbered_cells() -> list[Numbered]:
    settings = product(LIMITS, GAMMAS, SHAPES, RECORDS)
    return [
        Numbered(*values, open_share=0.3 * (index % 2), rest=REST * (index % 4 // 2))
        for index, values in enumerate(settings)
    ]


def numbered(setting: Numbered, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    classes, shares = setting.classes, truth(setting.shape, setting.limits)
    chances = chances_of(classes, shares) * np.array([[setting.open_share], [1 - setting.open_share]])
    counts = rng.multinomial(setting.n, chances.ravel() / chances.sum(), surveys).reshape(surveys, 2, -1)
    table = score_table(setting.limits, classes.cuts, classes.keep)
    above = replace(table, items=table.items[: setting.limits], fallback=table.fallback[: setting.limits])
    estimates = item_shares(above, counts)
    for index, limit in enumerate(classes.limits):
        share = min(1.0, float(shares[limit:].sum()))
        yield held(
            "share", f"{setting}, from {limit}", estimates.low[:, index], estimates.high[:, index], share
        )
    if setting.rest:
        test = mean_test(
            table, with_mean(classes, counts), classes.starts, VALUES - 1, classes.span, classes.rest_keep
        )
        yield held("mean", str(setting), *test.interval(), float(shares @ np.arange(VALUES)) / (VALUES - 1))
    reached = np.cumsum(shares)
    for q in QUANTILES:
        quantile = int(np.argmax(reached >= q - 1e-12))
        said = [
            quantile_statement(q, classes.limits, *ends)
            for ends in zip(estimates.low, estimates.high, strict=True)
        ]
        true = [
            (one.at_least is None or quantile >= one.at_least) and (one.below is None or quantile < one.below)
            for one in said
        ]
        yield Value("quantile statement", f"{setting}, q {q}", float(np.mean(true)), surveys)


def with_mean(classes: Classes, counts: Counts) -> Counts:
    """The surveys with enough records and bits for a mean."""
    codes = len(score_table(len(classes.limits), classes.cuts, classes.keep).scores)
    records, bits = counts[:, :, :codes].sum(axis=2), counts[:, :, codes:].sum(axis=(1, 2))
    told = enough(records) & (records.sum(axis=1) >= LEAST_CLASSES) & (bits >= LEAST_REST)
    return np.asarray(counts[told])


def held(measure: str, cell: str, low: Floats, high: Floats, at: float) -> Value:
    usable = np.isfinite(low)
    covered = (low <= at + 1e-9) & (at - 1e-9 <= high)
    used = int(usable.sum())
    return Value(
        measure, cell, float(covered[usable].mean()) if used else np.nan, used, 1 - used / max(len(low), 1)
    )


# --- means of few bits ------------------------------------------------------------------------------------------------

GIVEN, PROPOSED = ((500, 1_000, 2_000, 5_000), 10_000), ((1, 10, 100, 1_000, 10_000, 100_000), 1_000_000)
"""Limits and the highest number: given by somebody, and the planner's proposal for numbers of many sizes."""


@dataclass(frozen=True)
class Mean:
    """`lowest`: 97 % have the lowest number and the others any, else numbers are lognormal."""

    limits: tuple[int, ...]
    high: int
    gamma: int
    lowest: bool
    n: int
    open_share: float
    rest: int

    def __str__(self) -> str:
        shape = "97 % at the lowest" if self.lowest else "lognormal"
        return (
            f"limits {self.limits[0]:,} to {self.limits[-1]:,} of {self.high:,}, gamma {self.gamma}, {shape}, "
            f"{self.n:,} records, {self.open_share:.0%} open, rest {self.rest / REST_PARTS:.2f}"
        )

    @property
    def classes(self) -> Classes:
        limit, limits = GammaLimit(Fraction(self.gamma), strict=False), len(self.limits)
        cuts = best_cuts(limit.gamma, (1 / (limits + 1),) * (limits + 1))
        keeps = largest_keep(limit, cuts), largest_keep(limit, 1)
        return Classes(NumberRange(0, self.high), self.limits, cuts, self.rest, *keeps).rounded(limit)

    @property
    def truth(self) -> Floats:
        x = np.arange(self.high + 1)
        if self.lowest:
            return np.asarray(np.where(x == 0, 0.97, 0.03 / self.high))
        weights = np.exp(-(np.log(30 * (x + 1) / self.high) ** 2) / 2) / (x + 1)
        return np.asarray(weights / weights.sum())


def mean_cells() -> list[Mean]:
    settings = product(
        (GIVEN, PROPOSED), (3, 19, 50), (True, False), (300, 1_000, 5_000), (0.0, 0.3, 0.6), (1, 2)
    )
    return [
        Mean(limits, high, gamma, lowest, n, open_share, rest)
        for (limits, high), gamma, lowest, n, open_share, rest in settings
    ]


def means(setting: Mean, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    classes, shares = setting.classes, setting.truth
    chances = chances_of(classes, shares) * np.array([[setting.open_share], [1 - setting.open_share]])
    drawn = rng.multinomial(setting.n, chances.ravel() / chances.sum(), surveys).reshape(surveys, 2, -1)
    counts = with_mean(classes, drawn)
    table = score_table(len(classes.limits), classes.cuts, classes.keep)
    test = mean_test(table, counts, classes.starts, setting.high, classes.span, classes.rest_keep)
    low, high = test.interval()
    mean = float(shares @ np.arange(setting.high + 1)) / setting.high
    yield held("mean", str(setting), low, high, mean)
    wald_low, wald_high = wald_interval(test)
    wald = held("", "", wald_low, wald_high, mean)
    if wald.value >= WALD_HOLDS:
        length = float(np.nanmean(high - low) / (wald_high - wald_low).mean())
        yield Value("length in Wald's, where that holds", str(setting), length, wald.used)


def wald_interval(test: SumOfShares) -> tuple[Floats, Floats]:
    """What a report had before: the bits' variance by the shares received."""
    n = np.maximum(test.n.sum(axis=0), 1)
    keep, chance = test.keep, test.chance
    of_bit = [test.n - test.x, test.x]
    scores = [-chance / keep, (1 - chance) / keep]
    span = test.factor.sum(axis=0)
    first, second = (
        sum((records * score**power).sum(axis=0) for records, score in zip(of_bit, scores, strict=True)) / n
        for power in (1, 2)
    )
    half = NORMAL_95 * np.sqrt(test.added_variance + span**2 * np.maximum(second - first**2, 0.0) / n)
    return np.clip(test.at_zero() - half, 0.0, 1.0), np.clip(test.at_zero() + half, 0.0, 1.0)


# --- rules with a yes/no question ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ruled:
    number: Numbered
    keep: float
    place: int

    def __str__(self) -> str:
        return f"{self.number}, keep of the question {self.keep}, limit {self.place + 1}"


def ruled_cells() -> list[Ruled]:
    numbers = [
        Numbered(limits, gamma, shape, n, 0.3 * (index % 2), 0)
        for index, (limits, gamma, shape, n) in enumerate(product(LIMITS, GAMMAS, SHAPES[:4], RECORDS))
    ]
    return [
        Ruled(number, (0.5, 0.9)[index % 2], (0, number.limits // 2, number.limits - 1)[index % 3])
        for index, number in enumerate(numbers)
    ]


def ruled(setting: Ruled, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    number, classes = setting.number, setting.number.classes
    shares, table = truth(number.shape, number.limits), score_table(number.limits, classes.cuts, classes.keep)
    above = np.arange(VALUES) >= classes.limits[setting.place]
    yes = np.where(np.arange(VALUES) >= int(np.argmax(np.cumsum(shares) >= 0.5)), 0.6, 0.25)
    joint = [chances_of(classes, shares * (1 - yes)), chances_of(classes, shares * yes)]
    noise = (1 - setting.keep) / 2
    # Group by answer sent by code; everybody says yes or no to the question.
    sent = np.stack([[joint[0][0], joint[1][0]], [joint[0][1], joint[1][1]]])
    sent[1] = setting.keep * sent[1] + noise * sent[1].sum(axis=0)
    sent *= np.array([number.open_share, 1 - number.open_share])[:, None, None]
    counts = rng.multinomial(number.n, sent.ravel() / sent.sum(), surveys).reshape(surveys, *sent.shape)
    tests = SplitTests(rule_table(table, setting.place, counts.astype(np.float64), setting.keep))
    p_a, p_c, p_s = float(shares @ above), float(shares @ yes), float(shares @ (above * yes))
    if min(p_a, 1 - p_a) < 0.01:
        return
    both = [
        ("confidence", tests.confidence(0), p_s / p_a),
        ("confidence back", tests.confidence(1), p_s / p_c),
    ]
    for name, test, true in both:
        yield held(name, str(setting), *share_interval(test), true)
    low, high = lift_interval(tests.lift(), tests.lacking())
    yield held(
        "lift", str(setting), low, np.where(np.isnan(high) & ~np.isnan(low), np.inf, high), p_s / p_a / p_c
    )


def rule_table(table: ScoreTable, item: int, counts: Floats, keep: float) -> ContingencyTable:
    """`counts`: survey by group by answer by code."""
    columns = score_columns(table)
    items = columns.shape[2] // VARIANTS
    everybody, yes = counts.sum(axis=2), counts[:, :, 1]

    def at_least(variant: int) -> Floats:
        score = columns[:, :, variant * items + item]
        rows = [
            everybody.sum(axis=2),
            (everybody * score).sum(axis=2),
            yes.sum(axis=2),
            (yes * score).sum(axis=2),
        ]
        return np.stack(rows).transpose(0, 2, 1)

    shares = np.maximum(everybody[:, 1] @ table.scores, 0.0)
    shares /= shares.sum(axis=1, keepdims=True)
    moments = table.moments(np.full(len(counts), item), shares.T)
    scores = ScoredParts((0,), at_least(1), at_least(2), moments[None])
    parts = (ItemsetPart(ANTECEDENT, 0), ItemsetPart(CONSEQUENT, 1))
    law = np.array([[1.0], [keep]]), np.array([[0.0], [0.5]])
    return ContingencyTable(parts, at_least(0), *law, scores)


SECTIONS = (
    Section(
        "numbers",
        "Numbers by classes",
        "4, 9 and 20 limits, gamma 3 to 50, five distributions, 300 to 5,000 respondents, none or 30 % open, with and "
        "without a tenth of the records for the mean.",
        numbered_cells,
        numbered,
        1_000,
        5_000,
        {"share": Bar(0.925), "mean": Bar(MEAN), "quantile statement": Bar(0.95)},
    ),
    Section(
        "numbers-means",
        "Means of numbers of which few records send a bit",
        "Limits 500, 1,000, 2,000, 5,000 of 10,000 and 1, 10 .. 100,000 of a million, gamma 3 to 50, 97 % at the "
        "lowest number or lognormal, 300 to 5,000 respondents, none to 60 % open, a twentieth or a tenth of the "
        "records for the mean; the length of the interval in that of Wald's, where that one holds .94.",
        mean_cells,
        means,
        1_000,
        5_000,
        {"mean": Bar(MEAN), "length in Wald's, where that holds": Bar(1.15, most=True)},
    ),
    Section(
        "numbers-rules",
        "Rules of a number and a yes/no question",
        "The number is at least one of its limits (the first, the middle, the last); the question has keep .5 or .9.",
        ruled_cells,
        ruled,
        1_000,
        5_000,
        {"confidence": Bar(0.92), "confidence back": Bar(0.92), "lift": Bar(0.92)},
    ),
)
