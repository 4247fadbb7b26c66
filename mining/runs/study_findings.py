"""What a run says of a study, from the counts that it has: `run.findings["arms"]`, `["controls"]` and `["plan"]`, where
the design has arms, control items or a plan.

They are the JSON of the commands `arms`, `controls` and `plan`. Beside it `direct_groups` are the groups of direct
records, which decide whether differences of the arms may be published (`mining.disclosure.open_records`).
"""

from typing import TYPE_CHECKING

from mining.disclosure.open_records import open_groups
from mining.reconstruction import CachedCounter
from mining.runs.findings import Json
from mining.study_results.arms import arms_found
from mining.study_results.controls import controls_found
from mining.study_results.plans import PlannedRecords, plan_json
from privacy.designs import Refusal
from privacy.designs.plan import Plan, check_frozen, parse_plan

if TYPE_CHECKING:
    from surveys.models import Survey

ARMS, CONTROLS, PLAN = "arms", "controls", "plan"
NO_CONTROL = "known"
"""The place in the refusal of a design without control items."""


def frozen_plan(survey: "Survey") -> Plan | None:
    """The plan whose SHA-256 the survey's design holds."""
    row = getattr(survey, "plan", None)
    if row is None or survey.design is None:
        return None
    plan = parse_plan(row.json)
    check_frozen(plan, survey.design.content.plan)
    return plan


def findings(known: CachedCounter, plan: Plan | None) -> dict[str, Json]:
    found: dict[str, Json] = {}
    if known.design.has_arms:
        groups = open_groups(CachedCounter(known.whole, arms=True))
        found[ARMS] = {**arms_found(known.whole).as_json(), "direct_groups": groups}
    try:
        found[CONTROLS] = controls_found(known)
    except Refusal as refusal:
        if refusal.path != NO_CONTROL:
            # Too few records for the control item.
            found[CONTROLS] = None
    if plan:
        found[PLAN] = {"plan": plan.as_json(), **plan_json(plan, PlannedRecords.counted(known))}
    return found
