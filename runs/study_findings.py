"""What a run says of a study, from the counts that it has: `run.findings["arms"]`, `["controls"]` and `["plan"]`, where
the design has arms, control items or a plan.

They are the JSON of the commands `arms`, `controls` and `plan`. `run.findings["direct"]` decides whether differences of
the arms may be published: the `groups` of direct records (`mining.disclosure.open_records`), and by answer the
`records` of both arms that it is about and, of a plain control item, the direct records by choice (`controls`).
"""

from itertools import compress

from mining.counts import item_name
from mining.disclosure.open_records import open_groups
from mining.reconstruction import CachedCounter
from mining.study_results.answers import AnswerCounts
from mining.study_results.arms import ArmsFound, arms_found
from mining.study_results.controls import controls_found
from mining.study_results.plans import PlannedRecords, plan_json
from privacy.designs import Refusal
from privacy.designs.plan import Plan, check_frozen, parse_plan
from runs.findings import Json
from surveys.models import Plan as PlanRow, Survey

ARMS, CONTROLS, DIRECT, PLAN = "arms", "controls", "direct", "plan"
NO_CONTROL = "known"
"""The place in the refusal of a design without control items."""


def frozen_plan(survey: Survey) -> Plan | None:
    """The plan whose SHA-256 the survey's design holds."""
    row = PlanRow.objects.filter(survey=survey.pk).first()
    if row is None or survey.design is None:
        return None
    plan = parse_plan(row.json)
    check_frozen(plan, survey.design.content.plan)
    return plan


def direct_counts(known: CachedCounter, of: ArmsFound) -> Json:
    counts = AnswerCounts.of(known.whole, [*of.items, *of.controls])
    names = [item_name(known.design, item) for item in counts.items]
    having, asked = counts.having[0].tolist(), counts.records[0].tolist()
    plain = [item in of.controls and not known.laws.sensitive[item[0]] for item in counts.items]
    by_choice = [[most - yes, yes] for yes, most in zip(having, asked, strict=True)]
    return {
        "groups": open_groups(CachedCounter(known.whole, arms=True)),
        "records": dict(zip(names, counts.records.sum(axis=0).tolist(), strict=True)),
        "controls": dict(compress(zip(names, by_choice, strict=True), plain)),
    }


def findings(known: CachedCounter, plan: Plan | None) -> dict[str, Json]:
    found: dict[str, Json] = {}
    if known.design.has_arms:
        compared = arms_found(known.whole)
        found |= {ARMS: compared.as_json(), DIRECT: direct_counts(known, compared)}
    try:
        found[CONTROLS] = controls_found(known)
    except Refusal as refusal:
        if refusal.path != NO_CONTROL:
            # Too few records for the control item.
            found[CONTROLS] = None
    if plan:
        found[PLAN] = {"plan": plan.as_json(), **plan_json(plan, PlannedRecords.counted(known))}
    return found
