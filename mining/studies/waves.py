"""Compares two waves of a survey, or two versions of a question (docs/mathematics.md, Waves).

Where the same people answered both, and alike, the intervals cover more than they say.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import Floats
from mining.inference.intervals import difference_interval, share_interval, two_sided
from mining.inference.score import support_test
from mining.numbers.floors import enough
from mining.reconstruction.contingency import sum_of_groups
from mining.studies.answer_scores import AnswerLaw, answer_moments, answer_table, mapped_bounds
from mining.studies.arms import holm_of_known
from privacy.designs import Design, Refusal
from privacy.grammar.question import Question
from privacy.grammar.refusal import marked as _


@dataclass(frozen=True)
class WaveShares:
    """By answer the estimate `stratified` of one wave, its two ends and its standard error; NaN where too few."""

    share: Floats
    low: Floats
    high: Floats
    se: Floats


def wave_shares(records: NDArray[Any], having: NDArray[Any], law: AnswerLaw) -> WaveShares:
    """From the records of E and those with the answer, group (open or direct, disguised) by answer.

    The ends are the mapped bounds where one group has records, and the support interval where both have. A plain
    answer, which is not disguised in either group, counts as one group: all its records are in group 0.
    """
    of = answer_moments(records, having, law)
    share = sum_of_groups(of.weight * of.mean)
    square = sum_of_groups(of.weight * of.second)
    low, high = mapped_bounds(of)
    alone = np.where(records[0] > 0, low[0], low[1]), np.where(records[0] > 0, high[0], high[1])
    both = (records > 0).all(axis=0)
    ends = share_interval(support_test(answer_table(records, having, law))) if both.any() else alone
    n = np.maximum(of.everybody, 1)
    se = np.sqrt(np.maximum(square - share**2, 0.0) / n)
    found = (share, *(np.where(both, of_both, one) for of_both, one in zip(ends, alone, strict=True)), se)
    share, least, most, se = np.where(enough(records.T), np.stack(found), np.nan)
    return WaveShares(share, least, most, se)


@dataclass(frozen=True)
class WaveDifferences:
    """Later less earlier with its 95 % interval, z and p of no difference, and p after Holm over all answers here."""

    earlier: Floats
    later: Floats
    difference: Floats
    low: Floats
    high: Floats
    z: Floats
    p: Floats
    holm: Floats


def compare_waves(earlier: WaveShares, later: WaveShares) -> WaveDifferences:
    """The interval squares the distances of the ends; two versions of a question are compared as two waves are."""
    difference = later.share - earlier.share
    ends = difference_interval(
        earlier.share, (earlier.low, earlier.high), later.share, (later.low, later.high)
    )
    error = np.hypot(earlier.se, later.se)
    # Without any error, as where nobody of either wave says so in the open, there is no difference either.
    z = np.where(difference == 0, 0.0, difference / np.where(error > 0, error, np.nan))
    z = np.where(np.isnan(difference), np.nan, z)
    p = two_sided(z)
    return WaveDifferences(earlier.share, later.share, difference, *ends, z, p, holm_of_known(p))


def comparable_questions(earlier: Design, later: Design) -> list[tuple[int, int]]:
    """The places, in both designs, of questions with the same name, choices and text in the first language."""
    before = {
        _key(question, earlier): place for place, question in enumerate(earlier.questions) if question.choices
    }
    pairs = [
        (before[_key(question, later)], place)
        for place, question in enumerate(later.questions)
        if question.choices and _key(question, later) in before
    ]
    if not pairs:
        raise Refusal(
            "waves",
            _("no question has the same name, choices and text in both designs: copy it with Ask again"),
        )
    return pairs


def _key(question: Question, design: Design) -> tuple[Any, ...]:
    first = design.languages[0]
    # Of a group of yes/no questions the label of *yes* is the option, and so the text.
    labels = tuple(choice.label.in_language(first) for choice in question.choices) if question.of else ()
    return question.name, question.code_names, question.text.in_language(first), labels
