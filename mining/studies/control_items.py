"""Control items and shares corrected by them; whether a drawn version or a word of crosswise answers was favoured.

docs/mathematics.md, Control items, Crosswise, Who left.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counts import Item, Query, item_name
from mining.finite_numbers import finite
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
    control_items,
    law_of,
    one_law,
    read_study,
    rows,
)
from mining.studies.answer_scores import AnswerLaw, answer_table
from mining.studies.controls import (
    ControlFound,
    JointEstimates,
    corrected_shares,
    disguised_control,
    joint_estimates,
    plain_control,
    word_preference,
)
from mining.studies.dropout import drawn_dropout
from privacy.designs import Design, Refusal
from privacy.grammar.node import PARTS
from privacy.grammar.refusal import marked as _

CONTROL_NUMBERS = ("known", "seen", "low", "high", "p", "careless")
VERSIONS = 2
ANSWER_NUMBERS = ("n", "share", "low", "high", "corrected", "corrected_low", "corrected_high")


def controls_found(known: CachedCounter) -> dict[str, Any]:
    """As JSON: the control item, and each answer's share beside the corrected one.

    `words` and `drawn` stand there only if the design has crosswise questions in two versions, or drawn questions.
    """
    design = known.design
    words, versions = list(_words(known)), list(_drawn(known))
    # A plain one first, if there is one.
    controls = sorted(control_items(design), key=lambda item: bool(known.laws.sensitive[item[0]]))
    if not (controls or words or versions):
        raise Refusal("known", _("the design has no control item: give a yes/no question a known share"))
    found: dict[str, Any] = {}
    if controls:
        found = _control(known, controls[0])
    return found | ({"words": words} if words else {}) | ({"drawn": versions} if versions else {})


def _control(known: CachedCounter, control: Item) -> dict[str, Any]:
    design = known.design
    of = control_found(known, control)
    items = [
        item
        for item in sensitive_answers(known)
        if item[0] != control[0] and not design.questions[item[0]].asked_if_shown
    ]
    return {
        "item": item_name(design, control),
        **{name: finite(getattr(of, name)[0]) for name in CONTROL_NUMBERS},
        "items": list(rows(design, items, _corrected(known, control, items))),
    }


def known_share(design: Design, control: Item) -> float:
    return (design.questions[control[0]].known_parts or 0) / PARTS


def control_found(known: CachedCounter, control: Item) -> ControlFound:
    """A plain control item is of the disguised alone."""
    of = AnswerCounts.of(known.counter, [control])
    is_plain = not known.laws.sensitive[control[0]]
    records, having = of.records, of.having
    records = records[1:] if is_plain else records
    # However few say *yes*, as they should.
    if not enough(records.T).all():
        raise Refusal(
            "records",
            _("too few have %(item)s: at least %(least)s are needed, and %(group)s of each group"),
            item=item_name(known.design, control),
            least=LEAST_BASE,
            group=LEAST_GROUP,
        )
    share = known_share(known.design, control)
    if is_plain:
        return plain_control(records[0], having[1], share)
    return disguised_control(records, having, of.law, share)


def _corrected(known: CachedCounter, control: Item, items: list[Item]) -> dict[str, Floats]:
    """By answer; NaN where too few were shown both."""
    design = known.design
    numbers = as_numbers(known.numbering, [(control, item) for item in items])
    found = np.full((len(ANSWER_NUMBERS), len(items)), np.nan)
    choices = np.array([design.questions[place].codes for place, _code in items], np.float64)
    first = np.array([control < item for item in items], np.bool_)
    groups, of_scores, counts = counted_for_rules(known, numbers)
    for group, scores in zip(groups, of_scores, strict=True):
        (split,) = splits(group.shape)
        table = Eligible.read(group, known.laws, scores, counts).table(split)
        estimable = np.flatnonzero(enough(table.n.T))
        at = group.rows[estimable]
        if len(at):
            law = law_of(design, [items[row] for row in at])
            share = known_share(design, control)
            found[:, at] = _beside(table.take(estimable), first[at], law, share, choices[at])
    return dict(zip(ANSWER_NUMBERS, found, strict=True))


def _beside(
    table: ContingencyTable, first: NDArray[np.bool_], law: AnswerLaw, known: float, choices: Floats
) -> NDArray[np.float64]:
    """Share and corrected share among those shown both; `first`: the control item is the antecedent."""
    of = _control_first(joint_estimates(table), first)
    having = np.where(first, table.at_least[table.only(CONSEQUENT)], table.at_least[table.only(ANTECEDENT)])
    low, high = share_interval(support_test(answer_table(table.n, having, law)))
    corrected = corrected_shares(of, known, choices)
    return np.stack([table.records, of.share, low, high, corrected.share, corrected.low, corrected.high])


def _control_first(of: JointEstimates, first: NDArray[np.bool_]) -> JointEstimates:
    """The same, where the answer stands before the control item in the design."""
    share, control = np.where(first, (of.share, of.control), (of.control, of.share))
    variance, control_variance = np.where(
        first, (of.variance, of.control_variance), (of.control_variance, of.variance)
    )
    return JointEstimates(share, control, variance, control_variance, of.covariance)


def _words(known: CachedCounter) -> Iterator[dict[str, Any]]:
    """Each crosswise question with two versions: whether one of its words is preferred."""
    for place, question in enumerate(known.design.questions):
        if question.turned_place is not None:
            turn, yes = question.turned_place, (place, 1)
            versions = [AnswerCounts.of(known.counter, [yes], [(turn, of)]) for of in range(VERSIONS)]
            records, having = ([getattr(of, name)[1] for of in versions] for name in ("records", "having"))
            keep = float(one_law(known.design, yes).keep)
            of = word_preference(np.stack(records), np.stack(having), keep)
            numbers = {name: finite(getattr(of, name)[0]) for name in ("difference", "z", "p")}
            yield {"item": item_name(known.design, yes), **numbers}


def _drawn(known: CachedCounter) -> Iterator[dict[str, Any]]:
    """Each drawn question: how often each choice came back, and p of the stated shares."""
    for place, question in enumerate(known.design.questions):
        if question.share_parts:
            queries = [Query(items=((place, code),)) for code in range(question.codes)]
            counts = known.counter.count(queries).sum(axis=1)
            shares = np.array(question.share_parts) / PARTS
            p = finite(drawn_dropout(counts, shares)) if counts.any() else None
            came = dict(zip(question.code_names, counts.tolist(), strict=True))
            yield {"question": question.name, "records": came, "p": p}


def controls_file(design_file: Path, records_file: Path, cache: Path) -> dict[str, Any]:
    """`cache` is the folder of the compiled counting loop."""
    return controls_found(CachedCounter(read_study(design_file, records_file).counter(cache)))
