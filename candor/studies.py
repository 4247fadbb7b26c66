"""Studies of a survey's records: arms, waves, classes, control items, models and plans of hypotheses."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from candor.surveys import Records
from mining.reconstruction import CachedCounter
from privacy.designs import InputError
from privacy.grammar.input_error import mark_for_translation as _

if TYPE_CHECKING:
    import pandas as pd

    from mining.nodes.regression_nodes import ModelResult
    from mining.nodes.study_nodes import Arms, Controls, PlanResult, Waves


def compare_arms(records: Records) -> "Arms":
    """Compares the share of each answer between the direct and the disguised arm."""
    from mining.studies.direct_disguised_arm_comparison import analyse_arms  # late for cost

    return analyse_arms(records.counter.whole)


def compare_waves(earlier: Records, later: Records, *, shared: bool = True) -> "Waves":
    """Compares the share of each answer in two waves, for questions asked in the same words: later less earlier.

    Returns intervals and p as well. `shared`: the same people may have answered both, which widens the intervals.
    """
    from mining.studies.waves import compare_waves as compare  # late for cost

    return compare(earlier.counter, later.counter, shared=shared)


def compare_classes(records: Records, first: str, second: str) -> "pd.DataFrame":
    """Compares the share of each sensitive answer between two classes of disguised people: those with the plain answer
    `first`, and those with `second`.

    Returns the share among people with `second` less that among people with `first`, its 95 % interval, z and p of one
    score test; `holm` is p after Holm over all answers. NaN where a class has fewer than 50 records. Answers with
    scores (numbers and sets of choices) are left out.
    """
    import pandas as pd  # late for cost

    from mining.inference.share_sum_score_test import ReceivedSide  # late for cost
    from mining.reconstruction.shares_by_group import reported_sensitive_answers  # late for cost
    from mining.studies.model_request_and_columns import parse_plain_item  # late for cost
    from mining.studies.waves import compare_sides, version_side  # late for cost

    design = records.mined.design
    items = [
        item for item in reported_sensitive_answers(records.counter) if not design.questions[item[0]].scored
    ]
    names = ("first", "second", "difference", "low", "high", "z", "p", "holm")
    classes = [parse_plain_item(design, name) for name in (first, second)]
    if not items:
        return pd.DataFrame(columns=["item", *names])
    sides = []
    for of_class in classes:
        answers = [version_side(records.counter, item, of_class) for item in items]
        sides.append(ReceivedSide(*(np.concatenate(parts, axis=1) for parts in zip(*answers, strict=True))))
    found = compare_sides(*sides, shared=False)
    return pd.DataFrame(
        {"item": [*map(records.item_name, items)], **{name: getattr(found, name) for name in names}}
    )


def control_items(records: Records) -> "Controls":
    """Estimates how many people answered at random, from the control items of a design, and corrects shares for it."""
    from mining.studies.control_item_correction import analyse_controls  # late for cost

    return analyse_controls(CachedCounter(records.counter.whole))


def fit_model(
    records: Records,
    item: str,
    on: Sequence[str],
    *,
    numbers: Sequence[str] = (),
    products: Sequence[str] = (),
    among: Sequence[str] = (),
    logit: bool = False,
) -> "ModelResult":
    """Models how the share of a sensitive item, such as `theft=yes`, depends on plain questions, linearly or
    as a logit.

    `on`: the plain questions; `numbers`: those used as the number of their choice; `products`: such as
    `age*sex`; `among`: plain items that all records have. Raises `InputError` for too few records in a cell,
    collinear covariates or a logit without a maximum.
    """
    from mining.studies.model_fits import fit_records, read_request_allowing_arm  # late for cost

    design = records.mined.design
    request = read_request_allowing_arm(
        design, item, on, numbers=numbers, products=products, among=among, logit=logit
    )
    return fit_records(records.mined, request)


def plan(file: Path | str, records: Records | None = None, earlier: Records | None = None) -> "PlanResult":
    """Returns the SHA-256 of a plan of hypotheses; with records of its design also the results of the tests.

    `earlier`: records of the survey that the design follows, which hypotheses about a change need.
    """
    from mining.nodes.study_nodes import PlanResult  # late for cost
    from mining.studies.hypothesis_tests import PlannedRecords, plan_result  # late for cost
    from privacy.designs.hypothesis_plan import (  # late for cost
        check_plan,
        check_plan_fingerprint,
        parse_plan_file,
    )

    frozen = parse_plan_file(Path(file))
    if records is None:
        return PlanResult(frozen.fingerprint)
    check_plan_fingerprint(frozen, records.design.plan)
    if earlier is not None and earlier.design.fingerprint != records.design.follows:
        raise InputError("follows", _("the earlier records are not of the design that this one follows"))
    check_plan(frozen, records.design, None if earlier is None else earlier.design)
    before = None if earlier is None else earlier.counter
    return plan_result(frozen, PlannedRecords.from_records(records.mined, before))
