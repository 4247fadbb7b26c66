"""Numbers by classes: shares, means, quantile statements, and rules of a number and a yes/no question."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np

from bench.coverage.section import Bar, Section, Value
from mining.counts import VARIANTS, score_columns
from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, ContingencyTable, Floats, ItemsetPart
from mining.inference.intervals import lift_interval, share_interval
from mining.inference.score import SplitTests
from mining.inference.scored_parts import ScoredParts
from mining.kinds.number.classes import estimate_mean, item_shares, quantile_statement
from privacy.guarantee.amplification import GammaLimit, largest_keep
from privacy.guarantee.classes_search import Classes, best_cuts
from privacy.guarantee.number_range import NumberRange
from privacy.kinds.number.classes.scores import score_table
from privacy.kinds.number.classes.section import REST_PARTS
from privacy.kinds.score_table import ScoreTable

VALUES = 1_000
LIMITS, GAMMAS, RECORDS = (4, 9, 20), (3, 6, 19, 50), (300, 1_000, 5_000)
SHAPES = ("even", "hill", "skewed", "two hills", "lowest class")
QUANTILES = (0.25, 0.5, 0.75)
REST = 2


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

    def chances(self, number_classes: Classes, shares: Floats) -> Floats:
        """By group and code, of people with these shares."""
        table, x = score_table(self.limits, number_classes.cuts, number_classes.keep), np.arange(VALUES)
        own = np.searchsorted(number_classes.limits, x, side="right")
        rest = self.rest / REST_PARTS
        single = np.flatnonzero(table.true_class >= 0)
        opened = np.zeros(len(table.scores))
        np.add.at(opened, single[own], shares)
        disguised = np.bincount(own, shares, self.limits + 1) @ table.chance
        rows = []
        for group, codes in enumerate((opened, disguised)):
            keep = float(number_classes.rest_keep) if group else 1.0
            inside = shares @ ((x - np.array(number_classes.starts)[own]) / number_classes.span)
            yes = keep * (inside - 1 / 2) + 1 / 2
            bits = [rest * (1 - yes), rest * yes] if self.rest else []
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
    chances = setting.chances(classes, shares) * np.array([[setting.open_share], [1 - setting.open_share]])
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
        ends = classes.starts, VALUES - 1, classes.span, classes.rest_keep
        means = [estimate_mean(table, one, *ends) for one in counts]
        low, high = np.array([(mean.low, mean.high) if mean else (np.nan, np.nan) for mean in means]).T
        mean = float(shares @ np.arange(VALUES))
        told = [one for one in means if one]
        yield held("mean", str(setting), low[: len(told)], high[: len(told)], mean)
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


def held(measure: str, cell: str, low: Floats, high: Floats, at: float) -> Value:
    usable = np.isfinite(low)
    covered = (low <= at + 1e-9) & (at - 1e-9 <= high)
    used = int(usable.sum())
    return Value(
        measure, cell, float(covered[usable].mean()) if used else np.nan, used, 1 - used / max(len(low), 1)
    )


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
    joint = [number.chances(classes, shares * (1 - yes)), number.chances(classes, shares * yes)]
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
        {"share": Bar(0.925), "mean": Bar(0.92), "quantile statement": Bar(0.95)},
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
