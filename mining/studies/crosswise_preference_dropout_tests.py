"""Tests whether people prefer one of the two answers (words) of a crosswise question, and whether people with some
drawn choices drop out more often than others.

See docs/mathematics.md, Crosswise, and Who left.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.verdict import Verdict
from mining.inference.contingency_table import Floats
from mining.inference.intervals import two_sided_p
from mining.nodes.study_nodes import DrawTest, WordTest
from mining.queries_and_counters import Query
from mining.reconstruction import CachedCounter
from mining.studies.single_answer_score_moments import AnswerCounts, answer_law, nodes_by_answer
from privacy.grammar.json_node import PARTS

VERSIONS = 2


def word_preference(
    records: NDArray[Any], having: NDArray[Any], keep: float
) -> tuple[Floats, Floats, Floats]:
    """Returns the difference of the estimated shares, first version less second, with z and p of no difference.

    One version records *same* as *yes*; the other, with the opposite secret, records *different* as *yes*. Otherwise
    both are alike, so a preference for one of the words shows as a difference; random answers do not. `records` are
    disguised, and those `having` *yes* are recorded so, version by row; `keep` is |1 - 2u|, u being the share of the
    secret. NaN where a version has no record.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        received = having / records
        common = having.sum(axis=0) / records.sum(axis=0)
        error = np.sqrt(common * (1 - common) * (1 / records).sum(axis=0)) / keep
    difference = (received[0] - received[1]) / keep
    # All have answered alike: there is no difference, and no error.
    z = difference / np.where(error == 0, 1.0, error)
    return difference, z, two_sided_p(z)


def word_preference_tests(counter: CachedCounter, verdict: Verdict) -> Iterator[WordTest]:
    """Yields, for each crosswise question with two versions, the test whether people prefer one of the answers *same*
    and *different*."""
    for index, question in enumerate(counter.design.questions):
        if question.turned_place is not None:
            turn, yes = question.turned_place, (index, 1)
            if not verdict.allows_classes(turn, [yes]):
                continue
            versions = [
                AnswerCounts.from_counter(counter.counter, [yes], [(turn, version)])
                for version in range(VERSIONS)
            ]
            records, having = (
                [getattr(version, name)[1] for version in versions] for name in ("records", "having")
            )
            keep = float(answer_law(counter.design, yes).keep)
            difference, z, p = word_preference(np.stack(records), np.stack(having), keep)
            yield from nodes_by_answer(WordTest, counter.design, [yes], difference=difference, z=z, p=p)


def dropout_tests(counter: CachedCounter, verdict: Verdict) -> Iterator[DrawTest]:
    """Yields, for each question answered by a draw of the device, how often each choice was received, and the test
    against the stated shares."""
    for index, question in enumerate(counter.design.questions):
        if question.share_parts and verdict.allows_classes(index, []):
            queries = [Query(items=((index, code),)) for code in range(question.codes)]
            counts = counter.counter.count(queries).sum(axis=1)
            shares = np.array(question.share_parts) / PARTS
            p = drawn_dropout_p(counts, shares) if counts.any() else None
            came = dict(zip(question.code_names, counts.tolist(), strict=True))
            yield DrawTest(question.name, came, p)


def drawn_dropout_p(counts: NDArray[Any], shares: Floats) -> float:
    """Returns the p-value of a chi-square test that the records have the drawn choices in the stated `shares`."""
    from scipy.special import chdtrc  # late for cost

    expected = counts.sum() * np.asarray(shares)
    return float(chdtrc(len(expected) - 1, ((counts - expected) ** 2 / expected).sum()))
