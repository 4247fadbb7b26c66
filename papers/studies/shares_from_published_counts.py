"""Re-estimates shares, differences from direct questions and lifts of pairs from the published counts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mining.finite_numbers_for_json import finite_or_none
from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, ContingencyTable, ItemsetPart
from mining.inference.intervals import lift_interval, two_sided_p
from mining.inference.score_test import SplitTests
from mining.inference.selection_correction import q_values
from mining.inference.share_differences import compare_side_shares
from mining.inference.share_sum_score_test import ReceivedSide
from mining.reconstruction.score_moments_by_group import ScoreMoments
from mining.rules import measures
from mining.studies.control_item_correction import careless_share
from mining.studies.single_answer_score_moments import AnswerLaw, answer_moments, group_mean_bounds
from papers.studies.published_counts import (
    CROSSWISE,
    DICE,
    DIRECT,
    PRINTED,
    STUDENTS,
    TECHNIQUES,
    VALIDATION,
    PublishedCounts,
    PublishedStudies,
    read_published_studies,
)


@dataclass(frozen=True)
class ReestimatedShare:
    """A share by our estimator; `printed` and `printed_se` are the source's, None where none is available.

    `formula_share` and `formula_se`: estimated from the counts by the source's own formula, None where that is ours.
    """

    study: str
    question: str
    technique: str
    n: int
    share: float
    se: float
    low: float
    high: float
    printed: float | None
    printed_se: float | None
    formula_share: float | None
    formula_se: float | None


@dataclass(frozen=True)
class ReestimatedDifference:
    """Share by a technique less the share by direct questions; `printed`: the printed difference."""

    question: str
    technique: str
    difference: float
    low: float
    high: float
    p: float
    printed: float | None


@dataclass(frozen=True)
class ReestimatedPair:
    """Two answers of one person: the share who have both, and the lift with its interval.

    `q` is over all pairs (Benjamini, Hochberg).
    """

    first: str
    second: str
    share: float
    lift: float
    low: float
    high: float | None
    p: float
    q: float


@dataclass(frozen=True)
class ReestimatedStudies:
    """All re-estimated shares, differences and pairs.

    `careless`: share of random answers with which the direct share of cheating at dice would look like
    the crosswise one.
    """

    shares: Sequence[ReestimatedShare]
    differences: Sequence[ReestimatedDifference]
    pairs: Sequence[ReestimatedPair]
    careless: float
    sources: Mapping[str, str]

    def share(self, study: str, question: str, technique: str) -> ReestimatedShare:
        key = study, question, technique
        return next(row for row in self.shares if (row.study, row.question, row.technique) == key)


Key = tuple[str, str, str]
"""Key of a share: study, question and technique."""


def reestimate_studies() -> ReestimatedStudies:
    studies = read_published_studies()
    by_technique = _group_counts_by_technique(studies)
    scored = {key: pool_variants(variants) for key, variants in by_technique.items()}
    by_formula = {
        (study, variant.question): formula.estimate(variant.law, variant.n, variant.yes)
        for study, formula in studies.formulas.items()
        for variant in studies.study_counts(study)
    }
    shares = list(_reestimate_shares(studies, scored, by_formula))
    dice = {row.technique: row.share for row in shares if row.question == DICE}
    careless = careless_share(np.array(dice[CROSSWISE]), dice[DIRECT])
    differences = list(_reestimate_differences(by_technique))
    return ReestimatedStudies(
        shares, differences, _reestimate_pairs(studies), float(careless), studies.sources
    )


def pool_variants(variants: Sequence[PublishedCounts]) -> ScoreMoments:
    """Returns the moments of the scores, pooled over the variants of a technique.

    They are 2 by 1 arrays: the first group, open records, is empty; the second has all records.
    """
    n, yes = (np.array([getattr(variant, name) for variant in variants], np.float64) for name in ("n", "yes"))
    keep, chance = (
        np.array([getattr(variant.law, name) for variant in variants], np.float64)
        for name in ("keep", "chance")
    )
    law = AnswerLaw(keep, chance)
    by_variant = answer_moments(np.stack([0 * n, n]), np.stack([0 * n, yes]), law)
    mean, second, slope = (
        float((n * part[1]).sum() / n.sum())
        for part in (by_variant.mean, by_variant.second, by_variant.slope)
    )
    rows = (np.array([[0.0], [value]]) for value in (mean, second, slope, n.sum()))
    return ScoreMoments(*rows)


def _group_counts_by_technique(studies: PublishedStudies) -> dict[Key, list[PublishedCounts]]:
    """Returns the published counts of each study, question and technique, in the order of the report."""
    by_key: dict[Key, list[PublishedCounts]] = {}
    order = sorted(studies.counts, key=lambda variant: TECHNIQUES.index(variant.technique))
    for study in studies.sources:
        for question in dict.fromkeys(variant.question for variant in studies.study_counts(study)):
            for variant in order:
                if (variant.study, variant.question) == (study, question):
                    by_key.setdefault((study, question, variant.technique), []).append(variant)
    return by_key


def _reestimate_shares(
    studies: PublishedStudies,
    scored: Mapping[Key, ScoreMoments],
    by_formula: Mapping[tuple[str, str], tuple[float, float]],
) -> Iterator[ReestimatedShare]:
    for (study, question, technique), moments in scored.items():
        low, high = group_mean_bounds(moments)
        n, share = int(moments.records[1, 0]), float(moments.mean[1, 0])
        se = float(np.sqrt((moments.second[1, 0] - share**2) / n))
        printed, printed_se = studies.printed.get(
            (study, question), (PRINTED.get((question, technique)), None)
        )
        yield ReestimatedShare(
            study,
            question,
            technique,
            n,
            share,
            se,
            float(low[1, 0]),
            float(high[1, 0]),
            printed,
            printed_se,
            *by_formula.get((study, question), (None, None)),
        )


def _reestimate_differences(
    by_technique: Mapping[Key, Sequence[PublishedCounts]],
) -> Iterator[ReestimatedDifference]:
    for (study, question, technique), variants in by_technique.items():
        if study != VALIDATION or technique == DIRECT:
            continue
        direct = by_technique[study, question, DIRECT]
        comparison = compare_side_shares(
            _side_with_variant_groups(direct), _side_with_variant_groups(variants), np.ones(1, np.bool_)
        )
        printed = PRINTED.get((question, technique))
        yield ReestimatedDifference(
            question,
            technique,
            float(comparison.difference[0]),
            float(comparison.low[0]),
            float(comparison.high[0]),
            float(comparison.p[0]),
            None if printed is None else printed - PRINTED[question, DIRECT],
        )


def _side_with_variant_groups(variants: Sequence[PublishedCounts]) -> ReceivedSide:
    """Returns the counts of a technique as one side of a comparison of shares; each variant is a group."""
    rows = [(variant.n, variant.yes, variant.law.keep, variant.law.chance) for variant in variants]
    return ReceivedSide(*(np.array(column, np.float64)[:, None] for column in zip(*rows, strict=True)))


def _reestimate_pairs(studies: PublishedStudies) -> list[ReestimatedPair]:
    """Estimates the supports and lifts of pairs of answers; a pair's two questions are separate sections."""
    by_question = {count.question: count for count in studies.study_counts(STUDENTS)}
    first, second = ([by_question[pair.questions[side]] for pair in studies.pairs] for side in range(2))
    cells = [
        [count.n for count in first],
        [count.yes for count in first],
        [count.yes for count in second],
        [pair.yes_yes for pair in studies.pairs],
    ]
    received = np.array(cells, np.float64)
    keep, chance = (
        np.array([[getattr(count.law, name) for count in side] for side in (first, second)])
        for name in ("keep", "chance")
    )
    parts = (ItemsetPart(ANTECEDENT, 0), ItemsetPart(CONSEQUENT, 1))
    table = ContingencyTable(parts, np.stack([0 * received, received], axis=1), keep, chance / (1 - keep))
    split_tests = SplitTests(table)
    antecedent, consequent, share = split_tests.supports
    lift = measures.lift(share, antecedent, consequent)
    low, high = lift_interval(split_tests.lift(), split_tests.fewest_records_lacking_side())
    p = two_sided_p(split_tests.lift().z(np.ones(len(lift))))
    q = q_values(p, len(p))
    return [
        ReestimatedPair(
            *pair.questions,
            share=float(share[row]),
            lift=float(lift[row]),
            low=float(low[row]),
            high=finite_or_none(high[row]),
            p=float(p[row]),
            q=float(q[row]),
        )
        for row, pair in enumerate(studies.pairs)
    ]
