"""Weighted shares of single answers (docs/mathematics.md, Weights): of the disguised records alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mining.counting import MinedRecords
from mining.counts import Item
from mining.finite_numbers import finite
from mining.reconstruction.moments import LEAST_BASE
from mining.studies.margins import PopulationMargin, margin_cells, read_margins
from mining.studies.pattern_counts import PatternCounts, pattern_codes
from mining.studies.weights import MarginCells, WeightedShare, rake, weighted_share
from mining.study_results.answers import one_law
from privacy.designs import Design
from privacy.records import open_file


@dataclass(frozen=True)
class WeightedAnswer:
    """`largest` is the largest weight of a record, over the mean."""

    found: WeightedShare
    largest: float
    is_large: bool

    def as_json(self) -> dict[str, Any]:
        of = self.found
        return {
            "share": of.share,
            "se": of.se,
            "low": finite(of.low),
            "high": finite(of.high),
            "effective": of.effective,
            "largest": self.largest,
        }


def read_margins_file(path: Path, design: Design) -> tuple[PopulationMargin, ...]:
    with open_file(path) as file:
        return read_margins(file, str(path), design.mined)


def margin_questions(margins: Sequence[PopulationMargin]) -> tuple[int, ...]:
    return tuple(sorted({place for margin in margins for place in margin.questions}))


def weighted_answers(
    records: MinedRecords, items: Iterable[Item], margins: Sequence[PopulationMargin]
) -> Mapping[Item, WeightedAnswer | None]:
    """By answer; None where fewer than 50 disguised records were shown it. Margins that cannot be met are refused."""
    design, questions = records.design, margin_questions(margins)
    cells = cells_of(margins, design)
    counted = (PatternCounts.of(design, records.complete, item, questions) for item in items)
    return {counts.item: weighted_answer(counts, cells) for counts in counted}


def cells_of(margins: Sequence[PopulationMargin], design: Design) -> list[MarginCells]:
    """Of the patterns of all questions of these margins, the same for every answer."""
    questions = margin_questions(margins)
    codes = pattern_codes(design, questions)
    return [margin_cells(margin, design, questions, codes) for margin in margins]


def weighted_answer(counts: PatternCounts, cells: Sequence[MarginCells]) -> WeightedAnswer | None:
    """`counts` and `cells` are by the questions of the same margins."""
    without, having, hidden = counts.counts[:, 1].T.astype(np.float64)
    shown = without + having
    if shown.sum() < LEAST_BASE:
        return None
    # The margins are of everybody, those included whom a rule hides the question from.
    weights = rake(shown + hidden, cells)
    found = weighted_share(shown, having, weights.weight, one_law(counts.design, counts.item))
    return WeightedAnswer(found, weights.largest, weights.is_large)
