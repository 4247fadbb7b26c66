"""Counts how many people understood the disguise, and compares their answers (docs/mathematics.md,
Understanding).

All numbers are of the disguised records. The check is a plain question, so its answers are counted. People who
understood at once and those who did after the explanation are one side of each difference.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.verdict import Verdict
from mining.inference.contingency_table import Floats
from mining.inference.intervals import exact_interval, share_interval
from mining.inference.score_test import support_test
from mining.inference.selection_correction import FamilyCriticalZ
from mining.inference.share_sum_score_test import ReceivedSide
from mining.nodes.study_nodes import (
    Understanding,
    UnderstandingCounts,
    UnderstandingDifference,
    UnderstandingShare,
)
from mining.queries_and_counters import Item, Query, item_name
from mining.reconstruction import CachedCounter
from mining.reconstruction.shares_by_group import reported_sensitive_answers
from mining.studies.single_answer_score_moments import (
    AnswerCounts,
    AnswerLaw,
    answer_laws,
    answer_side,
    answer_table,
    nodes_by_answer,
)
from mining.studies.waves import compare_sides
from privacy.designs import InputError
from privacy.grammar.input_error import mark_for_translation as _

AT_ONCE, EXPLAINED, NOT = range(3)
UNDERSTOOD = (AT_ONCE, EXPLAINED)
DISGUISED = 1


def understanding_answers(counter: CachedCounter, check: int, verdict: Verdict) -> list[Item]:
    """Returns the sensitive answers to compare between people who understood and the others, as far as they may be
    published.

    A difference reveals how many people did not understand, so that class must be publishable with the answer.
    """
    return [
        item
        for item in reported_sensitive_answers(counter)
        if not counter.design.questions[item[0]].scored
        and not verdict.has_outside_cells(item[0])
        and verdict.allows([(check, NOT), item])
    ]


def analyse_understanding(
    counter: CachedCounter, verdict: Verdict | None = None, critical_zs: FamilyCriticalZ | None = None
) -> Understanding:
    """Returns how many people understood the disguise, and the differences between their answers and those of the
    others.

    Numbers of too few records are NaN, and those that the `verdict` does not let be published are left out.
    `critical_zs` has the critical z of each of `understanding_answers`.
    """
    design, check = counter.design, counter.design.understanding_index
    if check is None:
        raise InputError("understanding", _("the design has no check of understanding"))
    crosswise = [index for index, question in enumerate(design.questions) if question.secrets]
    verdict = verdict or Verdict(design)
    items = understanding_answers(counter, check, verdict)
    understood, others = understanding_sides(counter, check, items)
    tested = compare_sides(others, understood, shared=False, critical_zs=critical_zs)
    is_known = np.isfinite(tested.difference)
    columns: dict[str, Any] = {}
    for name, side in (("understood", understood), ("not", others)):
        n, low, high = _side_records_and_interval(side, answer_laws(design, items), is_known)
        columns |= {f"n_{name}": n, f"{name}_low": low, f"{name}_high": high}
    compared = nodes_by_answer(
        UnderstandingDifference,
        design,
        items,
        crosswise=np.array([index in crosswise for index, _code in items], np.bool_),
        understood=tested.second,
        not_understood=tested.first,
        difference=tested.difference,
        low=tested.low,
        high=tested.high,
        p=tested.p,
        holm=tested.holm,
        **columns,
    )
    counts = tuple(
        _remove_small_classes(count_understanding(counter, check, index), check, index, verdict)
        for index in (None, *crosswise)
    )
    return Understanding(counts, compared)


def _remove_small_classes(
    counts: UnderstandingCounts, check: int, crosswise: int | None, verdict: Verdict
) -> UnderstandingCounts:
    """Returns the counts without the numbers of classes (answers to the check) that may not be published."""
    beside = () if crosswise is None else (crosswise,)
    is_told = [
        verdict.may_tell((check, *beside)) and verdict.may_publish_count_of((check, code))
        for code in range(len(counts.shares))
    ]
    return replace(
        counts,
        n=counts.n if any(is_told) else None,
        shares=tuple(
            share if told else UnderstandingShare(share.item, None, None, None, None)
            for share, told in zip(counts.shares, is_told, strict=True)
        ),
    )


def _side_records_and_interval(
    side: ReceivedSide, law: AnswerLaw, is_known: NDArray[np.bool_]
) -> tuple[NDArray[Any], Floats, Floats]:
    """Returns, by answer, the number of records of a side and the ends of its share's interval; None and NaN where
    nothing is compared."""
    at = np.flatnonzero(is_known)
    low, high = np.full((2, len(is_known)), np.nan)
    table = answer_table(side.records, side.having, law).take(at)
    low[at], high[at] = share_interval(support_test(table))
    return np.where(is_known, side.records[DISGUISED].astype(object), np.array(None)), low, high


def understanding_sides(
    counter: CachedCounter, check: int, items: Sequence[Item]
) -> tuple[ReceivedSide, ReceivedSide]:
    """Returns the received answers of disguised people who understood the disguise, and of those who did not, as two
    sides of a comparison."""
    by_code = [
        AnswerCounts.from_counter(counter.counter, items, [(check, code)]) for code in (*UNDERSTOOD, NOT)
    ]
    records, having = (np.stack([getattr(one, name) for one in by_code]) for name in ("records", "having"))
    # Group 0 answers openly or is asked directly, and has nothing to understand.
    records[:, 1 - DISGUISED] = having[:, 1 - DISGUISED] = 0
    law = by_code[NOT].law
    understood = answer_side(
        records[: len(UNDERSTOOD)].sum(axis=0), having[: len(UNDERSTOOD)].sum(axis=0), law
    )
    return understood, answer_side(records[NOT], having[NOT], law)


def count_understanding(counter: CachedCounter, check: int, crosswise: int | None) -> UnderstandingCounts:
    """Returns how many people understood, among all disguised records or among those shown the `crosswise` question."""
    design = counter.design
    applies = () if crosswise is None else (crosswise,)
    codes = range(design.questions[check].codes)
    queries = [Query(items=((check, code),), applies=applies) for code in codes]
    having = np.asarray(counter.counter.count(queries))[:, DISGUISED]
    n = int(having.sum())
    question = "" if crosswise is None else design.questions[crosswise].name
    low, high = exact_interval(having, np.full(len(having), n))
    shares = (
        UnderstandingShare(
            item_name(design, (check, code)), int(some), int(some) / n, float(start), float(end)
        )
        for code, some, start, end in zip(codes, having, low, high, strict=True)
        if n
    )
    return UnderstandingCounts(question, n, tuple(shares))
