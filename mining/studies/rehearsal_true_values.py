"""Adds a rehearsal's true values to a study's estimates: of arms, corrected shares and versions of a question.

The truth stands beside estimates alone. Simulated respondents answer alike in both arms, so a true difference of
arms is by chance alone. A few answer at random; the truth of a corrected share is corrected for them.
"""

from dataclasses import replace

import numpy as np

from mining.finite_numbers_for_json import finite_or_none
from mining.itemsets.answer_names import AnswerNames
from mining.nodes.study_nodes import (
    ArmDifference,
    Arms,
    Controls,
    Correction,
    Study,
    Understanding,
    UnderstandingDifference,
    WordTest,
)
from mining.studies.comparison_with_truth import RehearsalTruth
from mining.studies.control_item_correction import careless_share, corrected_share
from privacy.designs.design import UNDERSTOOD


def add_truth(study: Study, names: AnswerNames, truth: RehearsalTruth | None) -> Study:
    if truth is None:
        return study
    return replace(
        study,
        arms=_add_arms_truth(study.arms, names, truth) if study.arms else None,
        controls=_add_controls_truth(study.controls, names, truth) if study.controls else None,
        understanding=_add_understanding_truth(study.understanding, names, truth)
        if study.understanding
        else None,
    )


def _add_arms_truth(arms: Arms, names: AnswerNames, truth: RehearsalTruth) -> Arms:
    return replace(
        arms,
        items=tuple(_add_difference_truth(one, names, truth) for one in arms.items),
        controls=tuple(_add_difference_truth(one, names, truth) for one in arms.controls),
    )


def _add_difference_truth(
    difference: ArmDifference, names: AnswerNames, known: RehearsalTruth
) -> ArmDifference:
    """Returns a difference of arms with the true shares of both arms added, among people to whom the answer applies."""
    if difference.difference is None or known.direct is None:
        return difference
    item = names.item(difference.item)
    direct, disguised = (truth.share((item,), shown=True) for truth in (known.direct, known.disguised))
    return replace(
        difference,
        truth_direct=finite_or_none(direct),
        truth_disguised=finite_or_none(disguised),
        truth=finite_or_none(disguised - direct),
    )


def _add_controls_truth(controls: Controls, names: AnswerNames, truth: RehearsalTruth) -> Controls:
    items = controls.items
    if controls.item:
        items = tuple(_add_correction_truth(one, controls, names, truth) for one in items)
    return replace(
        controls, items=items, words=tuple(_add_word_truth(one, names, truth) for one in controls.words)
    )


def _add_correction_truth(
    correction: Correction, controls: Controls, names: AnswerNames, truth: RehearsalTruth
) -> Correction:
    """Returns a corrected share with its true value added: the correction computed from the true shares."""
    if correction.share is None or controls.known is None:
        return correction
    item, control = names.item(correction.item), names.item(controls.item)
    people = truth.for_population(
        disguised_only=names.is_estimated_from_disguised_alone((correction.item, controls.item))
    )
    share, seen = people.share_where_both_apply(item, control), people.share_where_both_apply(control, item)
    careless = careless_share(np.array(seen), controls.known)
    choices = names.design.questions[item[0]].codes
    return replace(
        correction, truth=finite_or_none(float(corrected_share(np.array(share), careless, choices)))
    )


def _add_understanding_truth(
    understanding: Understanding, names: AnswerNames, truth: RehearsalTruth
) -> Understanding:
    return replace(
        understanding,
        items=tuple(_add_understanding_difference_truth(one, names, truth) for one in understanding.items),
    )


def _add_understanding_difference_truth(
    difference: UnderstandingDifference, names: AnswerNames, truth: RehearsalTruth
) -> UnderstandingDifference:
    if difference.difference is None:
        return difference
    item, people = names.item(difference.item), truth.for_population(disguised_only=True)
    *understood, others = map(names.item, names.choices(UNDERSTOOD))
    shares = []
    for classes in (understood, [others]):
        having, shown = np.sum(
            [people.count_with_item_and_applicable(item, (of_class,)) for of_class in classes], axis=0
        )
        shares.append(having / shown if shown else np.nan)
    return replace(difference, truth=finite_or_none(float(shares[0] - shares[1])))


def _add_word_truth(word_test: WordTest, names: AnswerNames, truth: RehearsalTruth) -> WordTest:
    if word_test.difference is None:
        return word_test
    item = names.item(word_test.item)
    versions = [names.item(choice) for choice in names.choices(names.turned_by(word_test.item))]
    people = truth.for_population(disguised_only=True)
    first, second = (people.share((version, item), (version,), shown=True) for version in versions)
    return replace(word_test, truth=finite_or_none(first - second))
