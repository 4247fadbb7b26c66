"""The grouped unrelated-question model's experiment: how far reconstructed supports are from the true ones.

The paper varies the share k of open answers at p = .3 and theta = .6, then p at k = .2, for 10,000 transactions
of three attributes, and shows W = |S - S'| of the itemsets. Here that is done 200 times, with all three
estimators, and then once more with open answerers who differ, which the paper does not do.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mining.reconstruction.combined import combined
from mining.reconstruction.moments import Tally, moments
from mining.reconstruction.pooled import pooled
from papers.drawing import Curve, Figure, svg

N = 10_000
REPETITIONS = 200
KEEP, THETA, OPEN_SHARE = 0.3, 0.6, 0.2
STEPS = tuple(round(step / 20, 2) for step in range(21))
ESTIMATORS = ("pooled", "stratified", "combined")

PATTERNS = np.array(list(product((0, 1), repeat=3)), np.bool_)
SHARES = (0.36, 0.06, 0.10, 0.04, 0.16, 0.06, 0.12, 0.10)
"""Of the patterns abc = 000, 001, ... 111: the attributes have .44, .36 and .26, all three .10."""
ITEMSETS = PATTERNS[1:]
NAMES = tuple("".join(name for name, held in zip("abc", items, strict=True) if held) for items in ITEMSETS)

TRUTH, HALF = 0.25, 0.5
DIFFERENCES = tuple(round(step / 20, 2) for step in range(-10, 11))
"""Disguised minus open share, while both together stay at 25 %."""

Floats = NDArray[np.float64]
Table = dict[str, Floats]
"""By estimator: itemsets by steps by repetitions."""


@dataclass(frozen=True)
class Sent:
    """Repetitions of one survey: the true supports, and what was counted. Itemsets by repetition."""

    truth: Floats
    tallies: list[Tally]


def experiment(at: Sequence[tuple[float, float]], rng: np.random.Generator) -> Table:
    """W of each of the seven itemsets, for each (k, p)."""
    found = {name: np.full((len(ITEMSETS), len(at), REPETITIONS), np.nan) for name in ESTIMATORS}
    for step, (k, keep) in enumerate(at):
        sent = survey((SHARES, SHARES), k, keep, rng)
        for name in ESTIMATORS:
            if name == "pooled" or keep > 0:
                estimates = np.stack([estimated(tally, name) for tally in sent.tallies])
                found[name][:, step] = np.abs(estimates - sent.truth)
    return found


def bias(rng: np.random.Generator) -> Table:
    """The support of one attribute that 25 % have, where half answer openly and are other people."""
    found = {name: np.empty((1, len(DIFFERENCES), REPETITIONS)) for name in ESTIMATORS}
    for step, difference in enumerate(DIFFERENCES):
        groups = [_one_attribute(TRUTH + sign * difference / 2) for sign in (-1, 1)]
        sent = survey((groups[0], groups[1]), HALF, KEEP, rng)
        tally = sent.tallies[NAMES.index("a")]
        for name in ESTIMATORS:
            found[name][0, step] = estimated(tally, name)
    return found


def survey(
    shares: tuple[Sequence[float], Sequence[float]], k: float, keep: float, rng: np.random.Generator
) -> Sent:
    """N respondents, k of them open, counted by pattern: kept as they are, or drawn from the noise."""
    groups = (round(k * N), N - round(k * N))
    truth = [rng.multinomial(n, law, REPETITIONS) for n, law in zip(groups, shares, strict=True)]
    kept = rng.binomial(truth[1], keep)
    noise = np.where(PATTERNS, THETA, 1 - THETA).prod(axis=1)
    drawn = rng.multinomial(groups[1] - kept.sum(axis=1), noise)
    seen = (truth[0], kept + drawn)
    tallies, supports = [], []
    for items in ITEMSETS:
        contains = PATTERNS[:, items].all(axis=1)
        counts = np.stack([group[:, contains].sum(axis=1) for group in seen])
        everybody = np.repeat(np.array(groups)[:, None], REPETITIONS, axis=1)
        chance = (1 - keep) * THETA ** items.sum()
        tallies.append(
            Tally(
                base=everybody,
                applying=everybody,
                carrying=everybody,
                supersets=np.stack([everybody, counts]),
                keep=np.full((1, REPETITIONS), keep),
                chance=np.full((1, REPETITIONS), chance),
            )
        )
        supports.append(sum(group[:, contains].sum(axis=1) for group in truth) / N)
    return Sent(np.stack(supports), tallies)


def estimated(tally: Tally, estimator: str) -> Floats:
    if estimator == "pooled":
        by_parts = pooled(tally.supersets, tally.applying, tally.keep, tally.chance)
        return np.asarray(by_parts[-1])
    of = moments(tally)
    stratified = (of.weight * of.mean).sum(axis=0)
    return stratified if estimator == "stratified" else combined(stratified, of)[0]


def _one_attribute(share: float) -> list[float]:
    """Attribute a alone, with this share; the others as often as not."""
    return [(share if pattern[0] else 1 - share) / 4 for pattern in PATTERNS]


def reproduce(folder: Path, rng: np.random.Generator) -> None:
    """Writes grouped-model.md and, for each of the three figures, an SVG and the numbers as CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    by_k = experiment([(k, KEEP) for k in STEPS], rng)
    by_p = experiment([(OPEN_SHARE, p) for p in STEPS], rng)
    off = bias(rng)
    parts = [
        INTRODUCTION,
        _part(
            folder,
            "w-by-k",
            f"W as more people answer openly (p = {KEEP}, theta = {THETA})",
            K_AXIS,
            STEPS,
            by_k,
        ),
        _part(
            folder,
            "w-by-p",
            f"W as more answers are kept (k = {OPEN_SHARE}, theta = {THETA})",
            P_AXIS,
            STEPS,
            by_p,
        ),
        BIAS,
        _part(folder, "bias", BIAS_TITLE, DIFFERENCE_AXIS, DIFFERENCES, off, level=("truth", TRUTH)),
    ]
    _write(folder / "grouped-model.md", "\n".join(parts))


def _part(
    folder: Path,
    name: str,
    title: str,
    across: str,
    at: Sequence[float],
    found: Table,
    level: tuple[str, float] | None = None,
) -> str:
    """One figure, its numbers, and what stands of them in the text: the mean over the repetitions and the band.

    The figure and the text show the mean over all itemsets, the numbers each of them too.
    """
    curves = [Curve(estimator, *_band(found[estimator].mean(axis=0))) for estimator in ESTIMATORS]
    up = "mean W over all itemsets" if level is None else "estimated support"
    _write(folder / f"{name}.svg", svg(Figure(title, across, up, at, curves, level)))
    _write(folder / f"{name}.csv", _numbers(name, at, curves, found))
    lines = [
        f"## {title}",
        "",
        f"![{title}]({name}.svg)",
        "",
        f"| {across} | " + " | ".join(ESTIMATORS) + " |",
    ]
    lines.append("|--:|" + "--:|" * len(curves))
    for place, step in enumerate(at):
        cells = (_cell(curve, place) for curve in curves)
        lines.append(f"| {step:g} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def _numbers(name: str, at: Sequence[float], curves: Sequence[Curve], found: Table) -> str:
    of_all = [("all", curve) for curve in curves]
    alone = [
        (itemset, Curve(estimator, *_band(values)))
        for estimator in ESTIMATORS
        if len(found[estimator]) > 1
        for itemset, values in zip(NAMES, found[estimator], strict=True)
    ]
    text = StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([name, "estimator", "itemset", "mean", "low", "high"])
    for itemset, curve in of_all + alone:
        rows = zip(at, curve.middle, curve.low, curve.high, strict=True)
        writer.writerows(
            [step, curve.name, itemset, *(f"{value:.6f}" for value in values)]
            for step, *values in rows
            if np.isfinite(values).all()
        )
    return text.getvalue()


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8", newline="")


def _band(values: Floats) -> tuple[list[float], list[float], list[float]]:
    """The mean, and where nine repetitions of ten lie."""
    low, high = np.quantile(values, [0.05, 0.95], axis=1)
    return values.mean(axis=1).tolist(), low.tolist(), high.tolist()


def _cell(curve: Curve, place: int) -> str:
    if not np.isfinite(curve.middle[place]):
        return "not defined"
    return f"{curve.middle[place]:.4f} ({curve.low[place]:.4f} to {curve.high[place]:.4f})"


K_AXIS, P_AXIS = "share k of open answers", "keep probability p"
DIFFERENCE_AXIS = "share among the disguised less share among the open"
BIAS_TITLE = f"Where open answerers differ: a support of {TRUTH:.0%} (k = {HALF}, p = {KEEP})"

INTRODUCTION = f"""\
# The grouped unrelated-question model

{N:,} transactions of three attributes, disguised as the paper says: a share k answers openly; of the others, each
keeps the whole true answer with probability p, else every attribute is yes with probability theta. W = |S - S'| is
how far a reconstructed support is from the true one among these very transactions; shown is its mean over all seven
itemsets, with the range in which nine of {REPETITIONS} repetitions out of ten lie. W of each itemset by itself stands
beside it in the CSV files, where a, b and c are the attributes. The transactions are drawn anew each time, from a
population in which these have .44, .36 and .26 and all three together .10.

*pooled* is the paper's inversion, *stratified* what this product uses unless told otherwise, *combined* weighs both
groups by how sure they are. Here both groups are alike, as the paper assumes. At p = 0 only *pooled* is defined; at
k = 0 and k = 1 there is one group, and all three are the same.
"""

BIAS = f"""\
## What the paper does not show

People who agree to answer openly are rarely like the others. Below, {TRUTH:.0%} of all have the attribute and half
answer openly, but the two halves differ by more and more. *pooled* and *combined* follow the group whose answers
count for more; *stratified* does not move.
"""
