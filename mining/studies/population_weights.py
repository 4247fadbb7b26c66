"""Weights records to known population margins, and estimates weighted shares (docs/mathematics.md, Weights).

Weights belong to cells of plain questions and never to a record. They correct the margins, not why people took part.
Everything is of the disguised records alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mining.counting import MinedRecords
from mining.inference.contingency_table import Floats
from mining.inference.share_sum_score_test import ReceivedSide, SumOfShares
from mining.queries_and_counters import Item
from mining.reconstruction.score_moments_by_group import LEAST_BASE
from mining.studies.answer_counts_by_plain_pattern import PatternCounts, pattern_codes
from mining.studies.population_margins_csv import MarginCells, PopulationMargin, margin_cells, read_margins
from mining.studies.single_answer_score_moments import AnswerLaw, answer_law
from privacy.designs import Design, InputError
from privacy.grammar.input_error import mark_for_translation as _
from privacy.records.record_file import open_as_plain_csv

MET, MOST_ROUNDS = 1e-8, 200
SAID, REFUSED = 5.0, 20.0
"""Multiples of the mean weight: a report states a weight above the first, and one above the second is refused."""
LEAST_EFFECTIVE, LEAST_CLASS = 20, 10


def rake_with_largest_weight(records: Floats, margins: Sequence[MarginCells]) -> tuple[Floats, float]:
    """Returns weights by pattern, found by raking to the margins, with mean 1 over the records, and the largest weight
    of a record.

    The weights are scaled to each margin's shares in turn until all are met; with one margin this is
    post-stratification.
    """
    _require_records_in_cells(records, margins)
    weight = np.ones(len(records))
    for _round in range(MOST_ROUNDS):
        for margin in margins:
            weight *= _margin_factors(margin, records * weight)[margin.cell]
        shares = [_margin_shares(margin, records * weight) for margin in margins]
        if all(np.abs(now - margin.share).max() <= MET for now, margin in zip(shares, margins, strict=True)):
            return _scale_weights_or_refuse(records, weight)
    raise InputError(
        "margins",
        _("cannot all be met at once after %(rounds)s rounds: leave one margin out, or merge choices"),
        rounds=MOST_ROUNDS,
    )


def _require_records_in_cells(records: Floats, margins: Sequence[MarginCells]) -> None:
    for margin in margins:
        there = np.bincount(margin.cell, records, len(margin.share))
        for name, share, some in zip(margin.names, margin.share.tolist(), there.tolist(), strict=True):
            if share > 0 and not some:
                raise InputError(
                    "margins",
                    _(
                        "%(cell)s has the share %(share)s, but no disguised record: merge it with another choice"
                    ),
                    cell=name,
                    share=f"{share:g}",
                )


def _margin_shares(margin: MarginCells, weighted: Floats) -> Floats:
    total = weighted.sum()
    return np.asarray(np.bincount(margin.cell, weighted, len(margin.share)) / (total or 1.0))


def _margin_factors(margin: MarginCells, weighted: Floats) -> Floats:
    now = _margin_shares(margin, weighted)
    return np.where(now > 0, margin.share / np.where(now > 0, now, 1.0), 0.0)


def _scale_weights_or_refuse(records: Floats, weight: Floats) -> tuple[Floats, float]:
    weight = weight * records.sum() / (records * weight).sum()
    largest = float(weight[records > 0].max())
    if largest > REFUSED:
        raise InputError(
            "margins",
            _("a weight is %(times)s times the mean, above %(most)s: merge choices with few records"),
            times=f"{largest:.1f}",
            most=f"{REFUSED:g}",
        )
    return weight, largest


@dataclass(frozen=True)
class WeightedEstimate:
    """Weighted share of an answer with its standard error and its 95 % interval in [0, 1], NaN if the counts contradict
    each other.

    `effective` is Kish's effective number of records: so many of equal weight have the same variance. `largest` is the
    largest weight of a record, divided by the mean.
    """

    share: float
    se: float
    low: float
    high: float
    effective: float
    largest: float = nan


def weighted_share(records: Floats, having: Floats, weight: Floats, law: AnswerLaw) -> WeightedEstimate:
    """Estimates a weighted share from the records, by pattern, that were shown the question, and those `having` the
    answer."""
    used = (records > 0) & (weight > 0)
    records, having, weight = records[used], having[used], weight[used]
    effective = effective_records_or_refusal(records, weight)
    test = SumOfShares.with_factors(*weight_class_sides(records, having, weight, law), (0.0, 1.0))
    low, high = test.interval()
    return WeightedEstimate(
        float(test.point_estimate()[0]),
        float(test.standard_error()[0]),
        float(low[0]),
        float(high[0]),
        effective,
    )


def effective_records_or_refusal(records: Floats, weight: Floats) -> float:
    """Returns Kish's effective number of weighted records; raises `InputError` if it is too small."""
    squares = float((records * weight**2).sum())
    # Nobody carries weight where all who were shown the question have choices of share 0.
    effective = float((records * weight).sum() ** 2) / squares if squares else 0.0
    if effective < LEAST_EFFECTIVE:
        raise InputError(
            "margins",
            _("too few records carry the weight, as many as %(records)s of equal weight: merge choices"),
            records=f"{effective:.0f}",
        )
    return effective


def weight_class_sides(
    records: Floats, having: Floats, weight: Floats, law: AnswerLaw
) -> tuple[ReceivedSide, Floats]:
    """Returns the classes of similar weights as groups for a sum of shares, and the share of the total weight in
    each."""
    by_class = weight_classes(records, weight)
    w, squares, y = (
        np.bincount(by_class, values) for values in (records * weight, records * weight**2, having * weight)
    )
    factor = w / w.sum()
    n = w**2 / squares
    keep, chance = (np.full((len(n), 1), float(part)) for part in (law.keep, law.chance))
    return ReceivedSide(n[:, None], (n * y / w)[:, None], keep, chance), factor


def weight_classes(records: Floats, weight: Floats) -> NDArray[np.intp]:
    """Returns the number of each pattern's class: patterns of similar weight, with at least ten records together, that
    count as one group."""
    classes = np.zeros(len(weight), np.intp)
    order = np.argsort(weight, kind="stable")
    number, many, least = 0, 0.0, weight[order[0]]
    for index in order:
        if many >= LEAST_CLASS and weight[index] > 2 * least:
            number, many, least = number + 1, 0.0, weight[index]
        classes[index] = number
        many += records[index]
    if many < LEAST_CLASS and number:
        classes[classes == number] = number - 1
    return classes


def read_margins_file(path: Path, design: Design) -> tuple[PopulationMargin, ...]:
    with open_as_plain_csv(path) as file:
        return read_margins(file, str(path), design.mined)


def margin_questions(margins: Sequence[PopulationMargin]) -> tuple[int, ...]:
    return tuple(sorted({index for questions, _shares in margins for index in questions}))


def weighted_answers(
    records: MinedRecords, items: Iterable[Item], margins: Sequence[PopulationMargin]
) -> Mapping[Item, WeightedEstimate | None]:
    """Estimates the weighted share of each answer; None where fewer than 50 disguised records were shown it.

    Raises `InputError` if the margins cannot be met.
    """
    design, questions = records.design, margin_questions(margins)
    cells = pattern_margin_cells(margins, design)
    counted = (PatternCounts.count_records(design, records.complete, item, questions) for item in items)
    return {counts.item: weighted_answer(counts, cells) for counts in counted}


def pattern_margin_cells(margins: Sequence[PopulationMargin], design: Design) -> list[MarginCells]:
    """Returns all margins for the same patterns: combinations of choices of all questions that the margins name."""
    questions = margin_questions(margins)
    codes = pattern_codes(design, questions)
    return [margin_cells(margin, design, questions, codes) for margin in margins]


def weighted_answer(counts: PatternCounts, cells: Sequence[MarginCells]) -> WeightedEstimate | None:
    """Returns the weighted share of one answer; `counts` and `cells` are by the questions of the same margins."""
    without, having, hidden = counts.counts[:, 1].T.astype(np.float64)
    shown = without + having
    if shown.sum() < LEAST_BASE:
        return None
    # The margins are of everybody, those included whom a rule hides the question from.
    weight, largest = rake_with_largest_weight(shown + hidden, cells)
    estimate = weighted_share(shown, having, weight, answer_law(counts.design, counts.item))
    return replace(estimate, largest=largest)
