"""Numbers by classes: shares, means, quantile statements, and rules of a number and a yes/no question."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from bench.coverage.section import Measures, Value, grid, held, held_by_rule
from mining.inference.contingency_table import (
    ANTECEDENT,
    CONSEQUENT,
    ContingencyTable,
    Floats,
    ItemsetPart,
    ScoredParts,
)
from mining.inference.intervals import NORMAL_95, Interval
from mining.inference.score_test import SplitTests
from mining.inference.share_sum_score_test import SumOfShares
from mining.kinds.minimum_record_counts import Counts, has_enough_records
from mining.kinds.number.estimates_by_classes import item_shares, quantile_statement, scaled_mean_tests
from mining.kinds.number.falling_shares import SharesWithEnds, falling_shares
from mining.queries_and_counters import VARIANTS, scores_by_group_and_code
from privacy.grammar.number_range import NumberRange
from privacy.guarantee.amplification import GammaLimit, largest_class_keep
from privacy.guarantee.best_number_classes import ClassesDesign, best_drawn_limit_count
from privacy.kinds.number.classes.law import LEAST_CLASSES, LEAST_REST
from privacy.kinds.number.classes.scores_of_record_codes import score_table
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
    weights = {
        "even": np.ones(VALUES),
        "hill": np.exp(-(((x - 0.5) / 0.15) ** 2) / 2),
        "skewed": np.exp(-x / 0.15),
        "two hills": np.exp(-(((x - 0.25) / 0.08) ** 2)) + 0.7 * np.exp(-(((x - 0.75) / 0.1) ** 2)),
        "lowest class": (x < 1 / (limits + 1)).astype(np.float64),
    }[shape]
    return np.asarray(weights / weights.sum())


def planned(high: int, limits: tuple[int, ...], gamma: int, rest: int) -> ClassesDesign:
    """As the planner has it where nothing is expected."""
    limit, many = GammaLimit(Fraction(gamma), strict=False), len(limits) + 1
    cuts = best_drawn_limit_count(limit.gamma, (1 / many,) * many)
    keeps = largest_class_keep(limit, cuts), largest_class_keep(limit, 1)
    return ClassesDesign(NumberRange(0, high), limits, cuts, rest, *keeps).with_rounded_keeps(limit)


def table_of(classes: ClassesDesign) -> ScoreTable:
    return score_table(len(classes.limits), classes.cuts, classes.keep)


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
        records = f"{self.n:,} records, {self.open_share:.0%} open"
        return f"{self.limits} limits, gamma {self.gamma}, {self.shape}, {records}{rest}"

    @property
    def classes(self) -> ClassesDesign:
        limits = tuple(VALUES * i // (self.limits + 1) for i in range(1, self.limits + 1))
        return planned(VALUES - 1, limits, self.gamma, self.rest)


def chances_of(classes: ClassesDesign, shares: Floats) -> Floats:
    """By group and code, of people with these shares of the numbers from 0 on."""
    limits, x = len(classes.limits), np.arange(len(shares))
    table = table_of(classes)
    own = np.searchsorted(classes.limits, x, side="right")
    rest = classes.rest / REST_PARTS
    single = np.flatnonzero(table.true_class >= 0)
    opened = np.zeros(len(table.scores))
    np.add.at(opened, single[own], shares)
    disguised = np.bincount(own, shares, limits + 1) @ table.chance
    rows = []
    for group, codes in enumerate((opened, disguised)):
        keep = float(classes.rest_keep) if group else 1.0
        inside = shares @ ((x - np.array(classes.starts)[own]) / classes.widest_class_span)
        yes = keep * (inside - 1 / 2) + 1 / 2
        bits = [rest * (1 - yes), rest * yes] if rest else []
        rows.append(np.concatenate([(1 - rest) * codes, bits]))
    return np.stack(rows)


def drawn_counts(n: int, chances: Floats, surveys: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Survey by whatever the chances are by."""
    return rng.multinomial(n, chances.ravel() / chances.sum(), surveys).reshape(surveys, *chances.shape)


def by_group(chances: Floats, open_share: float) -> Floats:
    return np.asarray((chances.T * np.array([open_share, 1 - open_share])).T)


def numbered_cells() -> Iterator[Numbered]:
    for index, (limits, gamma, shape, n) in enumerate(product(LIMITS, GAMMAS, SHAPES, RECORDS)):
        yield Numbered(limits, gamma, shape, n, 0.3 * (index % 2), REST * (index % 4 // 2))


def numbered(setting: Numbered, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    classes, shares = setting.classes, truth(setting.shape, setting.limits)
    counts = drawn_counts(setting.n, by_group(chances_of(classes, shares), setting.open_share), surveys, rng)
    table = table_of(classes)
    above = replace(table, items=table.items[: setting.limits], fallback=table.fallback[: setting.limits])
    estimates = item_shares(above, counts)
    for index, limit in enumerate(classes.limits):
        interval = estimates.low[:, index], estimates.high[:, index]
        yield held("share", f"{setting}, from {limit}", interval, min(1.0, float(shares[limit:].sum())))
    if setting.rest:
        yield held("mean", setting, mean_of(classes, counts).interval(), relative_mean(shares))
    reached = np.cumsum(shares)
    for q in QUANTILES:
        quantile = int(np.argmax(reached >= q - 1e-12))
        true = []
        for ends in zip(estimates.low, estimates.high, strict=True):
            statement = quantile_statement(q, classes.limits, *ends)
            at_least, below = statement.at_least, statement.below
            true.append((at_least is None or quantile >= at_least) and (below is None or quantile < below))
        yield Value("quantile statement", f"{setting}, q {q}", float(np.mean(true)), surveys)


def falling_cells() -> Iterator[Numbered]:
    for limits, gamma, shape, n in product((4, 9), (3, 19), SHAPES, (300, 1_000)):
        yield Numbered(limits, gamma, shape, n, 0.0, 0)


def falling(setting: Numbered, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    """As a report has them: shares above limits that fall, and classes that are their differences."""
    classes, shares, limits = setting.classes, truth(setting.shape, setting.limits), setting.limits
    counts = drawn_counts(setting.n, by_group(chances_of(classes, shares), 0.0), surveys, rng)
    estimates = item_shares(table_of(classes), counts)
    of_classes = [2 * limits - 1, *range(limits, 2 * limits - 1), limits - 1]

    def columns(survey: int, chosen: Sequence[int]) -> SharesWithEnds:
        return SharesWithEnds(
            *(of[survey, chosen] for of in (estimates.share, estimates.low, estimates.high))
        )

    rows = [falling_shares(columns(at, range(limits)), columns(at, of_classes)) for at in range(surveys)]
    ends = (0, *classes.limits, len(shares))
    true = [[float(shares[start:].sum()) for start in classes.limits]]
    true.append([float(shares[start:end].sum()) for start, end in pairwise(ends)])
    for name, part in (("share that falls", 0), ("class", 1)):
        low, high = (np.stack([getattr(row[part], end) for row in rows]) for end in ("low", "high"))
        for at, share in enumerate(true[part]):
            yield held(name, f"{setting}, {at}", (low[:, at], high[:, at]), min(1.0, share))


def relative_mean(shares: Floats) -> float:
    """Of numbers from 0 on, where the highest is 1."""
    return float(shares @ np.arange(len(shares))) / (len(shares) - 1)


def mean_of(classes: ClassesDesign, counts: Counts) -> SumOfShares:
    """In the surveys with enough records and bits for a mean."""
    table = table_of(classes)
    codes = len(table.scores)
    records, bits = counts[:, :, :codes].sum(axis=2), counts[:, :, codes:].sum(axis=(1, 2))
    used = counts[has_enough_records(records) & (records.sum(axis=1) >= LEAST_CLASSES) & (bits >= LEAST_REST)]
    return scaled_mean_tests(
        table, used, classes.starts, classes.range.high, classes.widest_class_span, classes.rest_keep
    )


# --- means of few bits ------------------------------------------------------------------------------------------------

GIVEN, PROPOSED = ((500, 1_000, 2_000, 5_000), 10_000), ((1, 10, 100, 1_000, 10_000, 100_000), 1_000_000)
"""Limits and the highest number: given by somebody, and the planner's proposal for numbers of many sizes."""


@dataclass(frozen=True)
class Mean:
    """`lowest`: 97 % have the lowest number and the others any, else numbers are lognormal."""

    given: tuple[tuple[int, ...], int]
    gamma: int
    lowest: bool
    n: int
    open_share: float
    rest: int

    def __str__(self) -> str:
        limits, high = self.given
        shape = "97 % at the lowest" if self.lowest else "lognormal"
        return (
            f"limits {limits[0]:,} to {limits[-1]:,} of {high:,}, gamma {self.gamma}, {shape}, "
            f"{self.n:,} records, {self.open_share:.0%} open, rest {self.rest / REST_PARTS:.2f}"
        )

    @property
    def truth(self) -> Floats:
        high = self.given[1]
        x = np.arange(high + 1)
        if self.lowest:
            return np.asarray(np.where(x == 0, 0.97, 0.03 / high))
        weights = np.exp(-(np.log(30 * (x + 1) / high) ** 2) / 2) / (x + 1)
        return np.asarray(weights / weights.sum())


def means(setting: Mean, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    (limits, high), shares = setting.given, setting.truth
    classes = planned(high, limits, setting.gamma, setting.rest)
    counts = drawn_counts(setting.n, by_group(chances_of(classes, shares), setting.open_share), surveys, rng)
    test = mean_of(classes, counts)
    mean, (low, above) = relative_mean(shares), test.interval()
    yield held("mean", setting, (low, above), mean)
    wald_low, wald_high = wald_interval(test)
    wald = held("", "", (wald_low, wald_high), mean)
    if wald.value >= WALD_HOLDS:
        length = float(np.nanmean(above - low) / (wald_high - wald_low).mean())
        yield Value("length in Wald's, where that holds", str(setting), length, wald.used)


def wald_interval(test: SumOfShares) -> Interval:
    """What a report had before: the bits' variance by the shares received."""
    n, span = np.maximum(test.n.sum(axis=0), 1), test.factor.sum(axis=0)
    no, yes = -test.chance / test.keep, (1 - test.chance) / test.keep
    first, second = (
        (((test.n - test.x) * no**power).sum(axis=0) + (test.x * yes**power).sum(axis=0)) / n
        for power in (1, 2)
    )
    half = NORMAL_95 * np.sqrt(test.added_variance + span**2 * np.maximum(second - first**2, 0.0) / n)
    return np.clip(test.point_estimate() - half, 0.0, 1.0), np.clip(test.point_estimate() + half, 0.0, 1.0)


# --- rules with a yes/no question ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ruled:
    number: Numbered
    keep: float
    place: int

    def __str__(self) -> str:
        return f"{self.number}, keep of the question {self.keep}, limit {self.place + 1}"


def ruled_cells() -> Iterator[Ruled]:
    for index, (limits, gamma, shape, n) in enumerate(product(LIMITS, GAMMAS, SHAPES[:4], RECORDS)):
        number = Numbered(limits, gamma, shape, n, 0.3 * (index % 2), 0)
        yield Ruled(number, (0.5, 0.9)[index % 2], (0, number.limits // 2, number.limits - 1)[index % 3])


def ruled(setting: Ruled, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    number, classes = setting.number, setting.number.classes
    shares = truth(number.shape, number.limits)
    above = np.arange(VALUES) >= classes.limits[setting.place]
    yes = np.where(np.arange(VALUES) >= int(np.argmax(np.cumsum(shares) >= 0.5)), 0.6, 0.25)
    # Group by answer sent by code; everybody says yes or no to the question.
    sent = np.stack([chances_of(classes, shares * answer) for answer in (1 - yes, yes)], axis=1)
    sent[1] = setting.keep * sent[1] + (1 - setting.keep) / 2 * sent[1].sum(axis=0)
    counts = drawn_counts(number.n, by_group(sent, number.open_share), surveys, rng).astype(np.float64)
    a, c, both = float(shares @ above), float(shares @ yes), float(shares @ (above * yes))
    if min(a, 1 - a) >= 0.01:
        tests = SplitTests(rule_table(table_of(classes), setting.place, counts, setting.keep))
        yield from held_by_rule(setting, tests, a, c, both)


def rule_table(table: ScoreTable, item: int, counts: Floats, keep: float) -> ContingencyTable:
    """`counts`: survey by group by answer by code."""
    columns = scores_by_group_and_code(table)
    items = columns.shape[2] // VARIANTS
    everybody, yes = counts.sum(axis=2), counts[:, :, 1]

    def at_least(variant: int) -> Floats:
        score = columns[:, :, variant * items + item]
        rows = [records.sum(axis=2) for records in (everybody, everybody * score, yes, yes * score)]
        return np.stack(rows).transpose(0, 2, 1)

    shares = np.maximum(everybody[:, 1] @ table.scores, 0.0)
    shares /= shares.sum(axis=1, keepdims=True)
    moments = table.moments(np.full(len(counts), item), shares.T)
    scores = ScoredParts((0,), at_least(1), at_least(2), moments[None])
    parts = (ItemsetPart(ANTECEDENT, 0), ItemsetPart(CONSEQUENT, 1))
    law = np.array([[1.0], [keep]]), np.array([[0.0], [0.5]])
    return ContingencyTable(parts, at_least(0), *law, scores)


MEASURES: Measures = {
    "numbers": (numbered_cells, numbered),
    "numbers-falling": (falling_cells, falling),
    "numbers-means": (
        grid(Mean, (GIVEN, PROPOSED), (3, 19, 50), (True, False), RECORDS, (0.0, 0.3, 0.6), (1, 2)),
        means,
    ),
    "numbers-rules": (ruled_cells, ruled),
}
