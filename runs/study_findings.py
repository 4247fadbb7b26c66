"""What a run says of a study, from the counts that it has: `run.findings["arms"]`, `["controls"]`, `["plan"]` and
`["understanding"]`, where the design has arms, control items, a plan or a check of understanding.

The first three are the JSON of the commands `arms`, `controls` and `plan`. The arms are compared once the survey is
finished: before that no direct record is handed out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isfinite
from typing import TypeVar

from mining.disclosure.verdict import Verdict
from mining.document.codec import brief
from mining.document.study import ArmDifference, Controls, PlanResult, UnderstandingDifference
from mining.reconstruction import CachedCounter
from mining.studies.arms import arms_of
from mining.studies.control_items import controls_of
from mining.studies.statements import Statements
from mining.studies.understanding import understanding_of
from privacy.designs import InputError
from privacy.designs.plan import Plan
from runs.findings import Json

ARMS, CONTROLS, PLAN, UNDERSTANDING = "arms", "controls", "plan", "understanding"
Compared = TypeVar("Compared", ArmDifference, UnderstandingDifference)
NO_CONTROL = "known"
"""The place in the refusal of a design without control items."""


def findings(
    known: CachedCounter,
    plan: Plan | None,
    planned: PlanResult | None,
    verdict: Verdict,
    statements: Statements,
    many: Mapping[str, int],
) -> dict[str, Json]:
    """As far as the verdict lets them be told; `many` statements by family, the pairs' included."""
    results: dict[str, Json] = {}
    if known.design.has_arms and known.whole.n[0]:
        arms = arms_of(known.whole, verdict, statements.arm_levels(many))
        # A planned difference has Holm's p of the plan.
        holm = {one.name: one.holm for one in planned.hypotheses} if planned else {}
        names = statements.planned_arms
        items = (replace(one, holm=holm[names[one.item]]) if one.item in names else one for one in arms.items)
        results[ARMS] = brief(
            replace(arms, items=with_difference(items), controls=with_difference(arms.controls))
        )
    try:
        results[CONTROLS] = brief(controls_of(known, verdict))
    except InputError as refusal:
        if refusal.path != NO_CONTROL:
            # Too few records for the control item.
            results[CONTROLS] = brief(Controls(too_few=True))
    if known.design.understanding:
        checked = understanding_of(known, verdict, statements.understanding_levels(many))
        results[UNDERSTANDING] = brief(replace(checked, items=with_difference(checked.items)))
    if plan and planned:
        results[PLAN] = brief(replace(planned, plan=plan.as_json()))
    return results


def with_difference(compared: Iterable[Compared]) -> tuple[Compared, ...]:
    """Without what too few records would tell."""
    return tuple(one for one in compared if one.difference is not None and isfinite(one.difference))
