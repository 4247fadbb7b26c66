"""Compares two waves of a survey, or two versions of a question (docs/mathematics.md, Waves)."""

from collections.abc import Sequence

from mining.inference.selection_correction import FamilyCriticalZ
from mining.inference.share_differences import Differences, compare_side_shares
from mining.inference.share_sum_score_test import ReceivedSide
from mining.kinds.minimum_record_counts import has_enough_records
from mining.nodes.study_nodes import WaveDifference, Waves
from mining.queries_and_counters import Item
from mining.reconstruction import CachedCounter
from mining.studies.single_answer_score_moments import AnswerCounts, answer_side, nodes_by_answer
from privacy.designs import Design, InputError
from privacy.designs.repeated_questions import comparable_answers, comparable_questions
from privacy.grammar.input_error import mark_for_translation as _


def wave_side(counter: CachedCounter, items: Sequence[Item]) -> ReceivedSide:
    """Returns the received answers of one wave as a side of the comparison."""
    return _received_side(counter, AnswerCounts.from_counter(counter.counter, items), alone=False)


def version_side(counter: CachedCounter, item: Item, version: Item) -> ReceivedSide:
    """Returns the received answers of disguised people whose device drew this version of the question, as a side of a
    comparison."""
    return _received_side(counter, AnswerCounts.from_counter(counter.counter, [item], [version]), alone=True)


def _received_side(counter: CachedCounter, answers: AnswerCounts, *, alone: bool) -> ReceivedSide:
    records, having = answers.records.copy(), answers.having.copy()
    plain = ~counter.laws.sensitive[[index for index, _code in answers.items]]
    for counts in (records, having):
        if alone:
            counts[0] = 0
        # A plain answer is not disguised in either group: its groups are one.
        counts[0, plain], counts[1, plain] = counts[:, plain].sum(axis=0), 0
    return answer_side(records, having, answers.law)


def compare_waves(earlier: CachedCounter, later: CachedCounter, *, shared: bool = True) -> Waves:
    """Returns the difference of each answer's share between two waves, for questions that both asked in the same words.
    `shared`: the same people may have answered both."""
    if not comparable_questions(earlier.design, later.design):
        raise InputError(
            "waves",
            _("no question has the same name, choices and text in both designs: copy it with Ask again"),
        )
    pairs = comparable_answers(earlier.design, later.design)
    first, second = ([pair[wave] for pair in pairs] for wave in range(2))
    sides = wave_side(earlier, first), wave_side(later, second)
    return Waves(
        sum(earlier.n), sum(later.n), shared, wave_differences(later.design, second, *sides, shared=shared)
    )


def wave_differences(
    design: Design,
    items: Sequence[Item],
    first: ReceivedSide,
    second: ReceivedSide,
    *,
    shared: bool,
    critical_zs: FamilyCriticalZ | None = None,
) -> tuple[WaveDifference, ...]:
    """Returns a report node for each answer with the difference between both waves; NaN if one side has too few
    records.

    `shared`: the same people may be in both.
    """
    result = compare_sides(first, second, shared=shared, critical_zs=critical_zs)
    return nodes_by_answer(
        WaveDifference,
        design,
        items,
        earlier=result.first,
        later=result.second,
        difference=result.difference,
        low=result.low,
        high=result.high,
        p=result.p,
        holm=result.holm,
        n_earlier=first.records.sum(axis=0).astype(int),
        n_later=second.records.sum(axis=0).astype(int),
    )


def compare_sides(
    first: ReceivedSide, second: ReceivedSide, *, shared: bool, critical_zs: FamilyCriticalZ | None = None
) -> Differences:
    """Returns, for each answer, the share of the second side less that of the first, with test and interval; NaN if a
    side has too few records.

    `shared`: the same people may be in both.
    """
    is_known = has_enough_records(first.records.T) & has_enough_records(second.records.T)
    return compare_side_shares(first, second, is_known, shared=shared, critical_zs=critical_zs)
