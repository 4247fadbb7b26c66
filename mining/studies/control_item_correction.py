"""Control items (yes/no questions with a known share of *yes*): estimates how many people answer at random, and
corrects shares for it.

docs/mathematics.md, Control items.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.verdict import Verdict
from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, ContingencyTable, Floats
from mining.inference.intervals import (
    NORMAL_95,
    Interval,
    ShareIntervals,
    exact_interval,
    share_interval,
    two_sided_p,
)
from mining.inference.score_test import SplitTests, support_test
from mining.inference.share_sum_score_test import SumOfShares
from mining.kinds.minimum_record_counts import has_enough_records
from mining.nodes.study_nodes import Controls, Correction
from mining.queries_and_counters import Item, item_name
from mining.reconstruction import CachedCounter
from mining.reconstruction.itemsets_grouped_by_shape import as_item_numbers
from mining.reconstruction.score_moments_by_group import LEAST_BASE, LEAST_GROUP
from mining.reconstruction.shares_by_group import reported_sensitive_answers
from mining.rules.itemset_splits import EligibleCounts, list_splits
from mining.rules.rules_from_frequent_itemsets import count_for_rules
from mining.studies.crosswise_preference_dropout_tests import dropout_tests, word_preference_tests
from mining.studies.single_answer_score_moments import (
    AnswerCounts,
    AnswerLaw,
    answer_laws,
    answer_side,
    answer_table,
    control_items,
    nodes_by_answer,
)
from privacy.designs import Design, InputError
from privacy.grammar.input_error import mark_for_translation as _
from privacy.grammar.json_node import PARTS

# A person who answers at random takes each choice alike. That is an assumption: carelessness that favours a
# choice cannot be told from the truth.

ROUNDING = 1 + 1e-7
"""Factor by which probabilities may differ by rounding and still count as equal in the exact test."""


ControlColumns = dict[str, Floats]
"""Results of a control item by name.

`known`: its true share pi_c. `seen`: the estimated share P_c, with the ends `low` and `high` of its interval.
`p`: of the test P_c = pi_c. `careless`: L, the share of people who answer at random.
"""


def estimate_disguised_control(
    records: NDArray[Any], having: NDArray[Any], law: AnswerLaw, known: Floats | float
) -> ControlColumns:
    """Returns the estimates of a disguised control item, from numbers of records by group and row.

    `records` are those to which the item applies, `having` those with *yes*; `known` is the true share. Test and
    interval are those of a sum of shares.
    """
    share = SumOfShares.from_share(answer_side(records, having, law))
    known = np.broadcast_to(np.asarray(known, np.float64), len(share))
    return _control_columns(known, share.point_estimate(), share.interval(), two_sided_p(share.z(known)))


def estimate_plain_control(
    records: NDArray[Any], having: NDArray[Any], known: Floats | float
) -> ControlColumns:
    """Returns the estimates of a plain control item, counted among the disguised records, with Clopper and Pearson's
    interval and an exact binomial test."""
    known = np.broadcast_to(np.asarray(known, np.float64), records.shape)
    seen = having / records
    rows = zip(having.tolist(), records.tolist(), known.tolist(), strict=True)
    p = np.array([binomial_p(*row) for row in rows])
    return _control_columns(known, seen, exact_interval(having, records), p)


def _control_columns(known: Floats, seen: Floats, interval: Interval, p: Floats) -> ControlColumns:
    low, high = interval
    careless = careless_share(seen, known)
    return {"known": known, "seen": seen, "low": low, "high": high, "p": p, "careless": careless}


def careless_share(seen: Floats, known: Floats | float) -> Floats:
    """Returns L = (P_c - pi_c) / (1/2 - pi_c), the share of people who answer at random.

    P_c is `seen`, the estimated share of *yes* to the control item; pi_c is `known`, its true share.
    """
    return np.asarray((seen - known) / (0.5 - known))


def corrected_share(share: Floats, careless: Floats, choices: Floats | int) -> Floats:
    """Returns a share corrected for random answers, (P_j - L/m) / (1 - L); not finite where everybody answers at
    random.

    L is `careless`, and m is `choices`, the number of the question's choices.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((share - careless / choices) / (1 - careless))


def binomial_p(having: int, records: int, share: float) -> float:
    """Returns the exact two-sided binomial p-value: the total probability of all counts that are at most as probable as
    `having`."""
    from scipy.special import gammaln, xlog1py, xlogy  # late for cost

    k = np.arange(records + 1)
    ways = gammaln(records + 1) - gammaln(k + 1) - gammaln(records - k + 1)
    chance = np.exp(ways + xlogy(k, share) + xlog1py(records - k, -share))
    return float(min(chance[chance <= chance[having] * ROUNDING].sum(), 1.0))


@dataclass(frozen=True)
class JointEstimates:
    """Shares P_j of an answer and P_c of the control item among the same records, and their variances."""

    share: Floats
    control: Floats
    variance: Floats
    control_variance: Floats
    covariance: Floats


def joint_estimates(table: ContingencyTable) -> JointEstimates:
    """Returns the shares of the control item (antecedent of the table) and of the answer (consequent), with their
    variances.

    Among the records shown both; with a plain control item these are the disguised alone.
    """
    tests = SplitTests(table)
    control, share, _both = tests.supports
    variance, control_variance = (tests.covariance(side, side) for side in (CONSEQUENT, ANTECEDENT))
    return JointEstimates(
        share, control, variance, control_variance, tests.covariance(ANTECEDENT, CONSEQUENT)
    )


def corrected_shares(
    joint: JointEstimates, known: Floats | float, choices: Floats | int, z0: float = NORMAL_95
) -> ShareIntervals:
    """Returns the shares among people who do not answer at random, (P_j - L/m) / (1 - L), with Fieller's interval.

    m is `choices`, the number of choices of the answer's question.
    """
    to_half = 0.5 - np.asarray(known, np.float64)
    step = 1 / (to_half * choices)
    careless = careless_share(joint.control, known)
    above, below = joint.share - careless / choices, 1 - careless
    above_variance = joint.variance + step**2 * joint.control_variance - 2 * step * joint.covariance
    below_variance = joint.control_variance / to_half**2
    covariance = (step * joint.control_variance - joint.covariance) / to_half
    low, high = fieller_interval(above, below, above_variance, below_variance, covariance, z0)
    return ShareIntervals(corrected_share(joint.share, careless, choices), low, high)


def fieller_interval(
    above: Floats,
    below: Floats,
    above_variance: Floats,
    below_variance: Floats,
    covariance: Floats,
    z0: float,
) -> tuple[Floats, Floats]:
    """Returns the ends of Fieller's interval of the ratio above / below: all t with (above - t below)^2 <= z0^2 of its
    variance.

    NaN if the interval is unbounded.
    """
    square = z0**2
    curve = below**2 - square * below_variance
    middle = above * below - square * covariance
    root = middle**2 - curve * (above**2 - square * above_variance)
    bounded = (curve > 0) & (root >= 0)
    curve, root = np.where(bounded, curve, np.nan), np.sqrt(np.where(bounded, root, np.nan))
    return (middle - root) / curve, (middle + root) / curve


NUMBERS = ("n", "share", "low", "high", "corrected", "corrected_low", "corrected_high")


def analyse_controls(counter: CachedCounter, verdict: Verdict | None = None) -> Controls:
    """Returns the estimate of the control item, and each answer's share with and without correction for random answers,
    as far as the `verdict` allows.

    `words` tests the words of crosswise questions in two versions, `drawn` the choices of drawn questions.
    """
    design = counter.design
    verdict = verdict or Verdict(design)
    words, drawn = tuple(word_preference_tests(counter, verdict)), tuple(dropout_tests(counter, verdict))
    # A plain one first, if there is one.
    controls = sorted(control_items(design), key=lambda item: bool(counter.laws.sensitive[item[0]]))
    if controls:
        return replace(_analyse_control(counter, controls[0], verdict), words=words, drawn=drawn)
    if words or drawn:
        return Controls(words=words, drawn=drawn)
    raise InputError("known", _("the design has no control item: give a yes/no question a known share"))


def _analyse_control(counter: CachedCounter, control: Item, verdict: Verdict) -> Controls:
    design = counter.design
    if not verdict.allows([control]):
        return Controls(item_name(design, control), known_share(design, control), withheld=True)
    items = [
        item
        for item in reported_sensitive_answers(counter)
        if item[0] != control[0]
        and not design.questions[item[0]].asked_if_shown
        and verdict.allows([control, item])
    ]
    (node,) = nodes_by_answer(Controls, design, [control], **estimate_control(counter, control))
    return replace(
        node, items=nodes_by_answer(Correction, design, items, **_corrected_columns(counter, control, items))
    )


def known_share(design: Design, control: Item) -> float:
    return (design.questions[control[0]].known_parts or 0) / PARTS


def estimate_control(counter: CachedCounter, control: Item) -> ControlColumns:
    """Returns the estimates of a control item; a plain one is counted among the disguised records alone. Refuses too
    few records."""
    counts = AnswerCounts.from_counter(counter.counter, [control])
    is_plain = not counter.laws.sensitive[control[0]]
    records, having = counts.records, counts.having
    records = records[1:] if is_plain else records
    # However few say *yes*, as they should.
    if not has_enough_records(records.T).all():
        raise InputError(
            "records",
            _("too few have %(item)s: at least %(least)s are needed, and %(group)s of each group"),
            item=item_name(counter.design, control),
            least=LEAST_BASE,
            group=LEAST_GROUP,
        )
    share = known_share(counter.design, control)
    if is_plain:
        return estimate_plain_control(records[0], having[1], share)
    return estimate_disguised_control(records, having, counts.law, share)


def _corrected_columns(counter: CachedCounter, control: Item, items: list[Item]) -> dict[str, Floats]:
    """Returns, by answer, the share and the share corrected for random answers, with intervals; NaN if too few people
    were shown both questions."""
    design = counter.design
    numbers = as_item_numbers(counter.numbering, [(control, item) for item in items])
    columns = np.full((len(NUMBERS), len(items)), np.nan)
    choices = np.array([design.questions[index].codes for index, _code in items], np.float64)
    first = np.array([control < item for item in items], np.bool_)
    groups, of_scores, counts = count_for_rules(counter, numbers)
    for group, scores in zip(groups, of_scores, strict=True):
        (split,) = list_splits(group.shape)
        table = EligibleCounts.read_counts(group, counter.laws, scores, counts).contingency_table(split)
        estimable = np.flatnonzero(has_enough_records(table.n.T))
        at = group.rows[estimable]
        if len(at):
            law = answer_laws(design, [items[row] for row in at])
            share = known_share(design, control)
            columns[:, at] = _share_and_corrected(table.take(estimable), first[at], law, share, choices[at])
    return dict(zip(NUMBERS, columns, strict=True))


def _share_and_corrected(
    table: ContingencyTable, first: NDArray[np.bool_], law: AnswerLaw, known: float, choices: Floats
) -> NDArray[np.float64]:
    """Returns seven rows (NUMBERS): number of records, share and corrected share, each share with its interval, among
    people shown both questions.

    `first`: the control item is the antecedent.
    """
    joint = _put_control_first(joint_estimates(table), first)
    having = np.where(
        first, table.at_least[table.cell_of_side(CONSEQUENT)], table.at_least[table.cell_of_side(ANTECEDENT)]
    )
    low, high = share_interval(support_test(answer_table(table.n, having, law)))
    corrected = corrected_shares(joint, known, choices)
    return np.stack([table.records, joint.share, low, high, corrected.share, corrected.low, corrected.high])


def _put_control_first(joint: JointEstimates, first: NDArray[np.bool_]) -> JointEstimates:
    """Returns the estimates with control item and answer swapped where `first` is False, since the answer stands first
    in the design there."""
    share, control = np.where(first, (joint.share, joint.control), (joint.control, joint.share))
    variance, control_variance = np.where(
        first, (joint.variance, joint.control_variance), (joint.control_variance, joint.variance)
    )
    return JointEstimates(share, control, variance, control_variance, joint.covariance)
