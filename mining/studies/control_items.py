"""Control items and shares corrected by them; whether a drawn version or a word of crosswise answers was favoured.

docs/mathematics.md, Control items, Crosswise, Who left.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counts import Item, Query, item_name
from mining.disclosure.verdict import Verdict
from mining.document.study import Controls, Correction, DrawTest, WordTest
from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, ContingencyTable, Floats
from mining.inference.intervals import share_interval
from mining.inference.score import support_test
from mining.kinds.number.floors import enough
from mining.reconstruction import CachedCounter
from mining.reconstruction.itemset_groups import as_numbers
from mining.reconstruction.moments import LEAST_BASE, LEAST_GROUP
from mining.reconstruction.shares import sensitive_answers
from mining.rules.sides import Eligible, splits
from mining.rules.table import counted_for_rules
from mining.studies.answer_counts import (
    AnswerCounts,
    by_answer,
    control_items,
    law_of,
    one_law,
    read_study,
)
from mining.studies.answer_scores import AnswerLaw, answer_table
from mining.studies.controls import (
    ControlColumns,
    JointEstimates,
    corrected_shares,
    disguised_control,
    joint_estimates,
    plain_control,
    word_preference,
)
from privacy.designs import Design, InputError
from privacy.grammar.input_error import marked as _
from privacy.grammar.node import PARTS

VERSIONS = 2
NUMBERS = ("n", "share", "low", "high", "corrected", "corrected_low", "corrected_high")


def controls_of(counter: CachedCounter, verdict: Verdict | None = None) -> Controls:
    """The control item, and each answer's share beside the corrected one, as far as the `verdict` lets them be told.

    `words` and `drawn` are of crosswise questions in two versions, and of drawn questions.
    """
    design = counter.design
    verdict = verdict or Verdict(design)
    words, drawn = tuple(_word_tests(counter, verdict)), tuple(_draw_tests(counter, verdict))
    # A plain one first, if there is one.
    controls = sorted(control_items(design), key=lambda item: bool(counter.laws.sensitive[item[0]]))
    if controls:
        return replace(_control(counter, controls[0], verdict), words=words, drawn=drawn)
    if words or drawn:
        return Controls(words=words, drawn=drawn)
    raise InputError("known", _("the design has no control item: give a yes/no question a known share"))


def _control(counter: CachedCounter, control: Item, verdict: Verdict) -> Controls:
    design = counter.design
    if not verdict.allows([control]):
        return Controls(item_name(design, control), known_share(design, control), withheld=True)
    items = [
        item
        for item in sensitive_answers(counter)
        if item[0] != control[0]
        and not design.questions[item[0]].asked_if_shown
        and verdict.allows([control, item])
    ]
    (node,) = by_answer(Controls, design, [control], **control_found(counter, control))
    return replace(node, items=by_answer(Correction, design, items, **_corrected(counter, control, items)))


def known_share(design: Design, control: Item) -> float:
    return (design.questions[control[0]].known_parts or 0) / PARTS


def control_found(counter: CachedCounter, control: Item) -> ControlColumns:
    """A plain control item is of the disguised alone."""
    counts = AnswerCounts.of(counter.counter, [control])
    is_plain = not counter.laws.sensitive[control[0]]
    records, having = counts.records, counts.having
    records = records[1:] if is_plain else records
    # However few say *yes*, as they should.
    if not enough(records.T).all():
        raise InputError(
            "records",
            _("too few have %(item)s: at least %(least)s are needed, and %(group)s of each group"),
            item=item_name(counter.design, control),
            least=LEAST_BASE,
            group=LEAST_GROUP,
        )
    share = known_share(counter.design, control)
    if is_plain:
        return plain_control(records[0], having[1], share)
    return disguised_control(records, having, counts.law, share)


def _corrected(counter: CachedCounter, control: Item, items: list[Item]) -> dict[str, Floats]:
    """By answer; NaN where too few were shown both."""
    design = counter.design
    numbers = as_numbers(counter.numbering, [(control, item) for item in items])
    columns = np.full((len(NUMBERS), len(items)), np.nan)
    choices = np.array([design.questions[index].codes for index, _code in items], np.float64)
    first = np.array([control < item for item in items], np.bool_)
    groups, of_scores, counts = counted_for_rules(counter, numbers)
    for group, scores in zip(groups, of_scores, strict=True):
        (split,) = splits(group.shape)
        table = Eligible.read(group, counter.laws, scores, counts).table(split)
        estimable = np.flatnonzero(enough(table.n.T))
        at = group.rows[estimable]
        if len(at):
            law = law_of(design, [items[row] for row in at])
            share = known_share(design, control)
            columns[:, at] = _beside(table.take(estimable), first[at], law, share, choices[at])
    return dict(zip(NUMBERS, columns, strict=True))


def _beside(
    table: ContingencyTable, first: NDArray[np.bool_], law: AnswerLaw, known: float, choices: Floats
) -> NDArray[np.float64]:
    """Share and corrected share among those shown both; `first`: the control item is the antecedent."""
    joint = _control_first(joint_estimates(table), first)
    having = np.where(first, table.at_least[table.only(CONSEQUENT)], table.at_least[table.only(ANTECEDENT)])
    low, high = share_interval(support_test(answer_table(table.n, having, law)))
    corrected = corrected_shares(joint, known, choices)
    return np.stack([table.records, joint.share, low, high, corrected.share, corrected.low, corrected.high])


def _control_first(joint: JointEstimates, first: NDArray[np.bool_]) -> JointEstimates:
    """The same, where the answer stands before the control item in the design."""
    share, control = np.where(first, (joint.share, joint.control), (joint.control, joint.share))
    variance, control_variance = np.where(
        first, (joint.variance, joint.control_variance), (joint.control_variance, joint.variance)
    )
    return JointEstimates(share, control, variance, control_variance, joint.covariance)


def _word_tests(counter: CachedCounter, verdict: Verdict) -> Iterator[WordTest]:
    """Each crosswise question with two versions: whether one of its words is preferred."""
    for index, question in enumerate(counter.design.questions):
        if question.turned_place is not None:
            turn, yes = question.turned_place, (index, 1)
            if not verdict.allows_classes(turn, [yes]):
                continue
            versions = [
                AnswerCounts.of(counter.counter, [yes], [(turn, version)]) for version in range(VERSIONS)
            ]
            records, having = (
                [getattr(version, name)[1] for version in versions] for name in ("records", "having")
            )
            keep = float(one_law(counter.design, yes).keep)
            difference, z, p = word_preference(np.stack(records), np.stack(having), keep)
            yield from by_answer(WordTest, counter.design, [yes], difference=difference, z=z, p=p)


def _draw_tests(counter: CachedCounter, verdict: Verdict) -> Iterator[DrawTest]:
    """Each drawn question: how often each choice came back, and p of the stated shares."""
    for index, question in enumerate(counter.design.questions):
        if question.share_parts and verdict.allows_classes(index, []):
            queries = [Query(items=((index, code),)) for code in range(question.codes)]
            counts = counter.counter.count(queries).sum(axis=1)
            shares = np.array(question.share_parts) / PARTS
            p = drawn_dropout(counts, shares) if counts.any() else None
            came = dict(zip(question.code_names, counts.tolist(), strict=True))
            yield DrawTest(question.name, came, p)


def drawn_dropout(counts: NDArray[Any], shares: Floats) -> float:
    """p of a chi-square test of the records by drawn choice against the stated shares."""
    from scipy.special import chdtrc  # late for cost

    expected = counts.sum() * np.asarray(shares)
    return float(chdtrc(len(expected) - 1, ((counts - expected) ** 2 / expected).sum()))


def controls_file(design_file: Path, records_file: Path, cache: Path) -> Controls:
    """How many people answered at random, by the control items of a design, and shares corrected by them.

    `cache` is the folder of the compiled counting loop.
    """
    return controls_of(CachedCounter(read_study(design_file, records_file).counter(cache)))
