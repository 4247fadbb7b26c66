"""All that is computed of the counts of a run, as far as a verdict lets it be told, without Django."""

from collections.abc import Callable, Mapping, Sequence

from mining.disclosure.verdict import Verdict
from mining.disclosure.withhold import withhold_node
from mining.document.codec import dump
from mining.document.names import Names
from mining.engines.bitmap import Found
from mining.inference.selection import GROUPS, PAIRS, front_part
from mining.kinds.counted import CountedNode
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from mining.studies.plans import PlannedRecords, plan_result
from mining.studies.statements import Statements
from privacy.designs.plan import Plan
from runs import findings, study_findings
from runs.findings import GroupFront, Json


def results(
    wanted: Parameters,
    known: CachedCounter,
    verdict: Verdict,
    plan: Plan | None,
    counted: Mapping[str, Sequence[CountedNode]],
    find: Callable[..., Found],
) -> tuple[Found, dict[str, Json]]:
    """What `find` finds with this `front` of pairs, and `Run.findings`; `counted` are the numbers and places."""
    findings.count_singles(known, wanted)
    statements = Statements(known, plan, verdict)
    found = find(front=statements.pairs())
    family = found.rules.splits.family
    many = {PAIRS: family, **statements.by_family}
    names = Names(known.design)
    planned = plan_result(plan, PlannedRecords.counted(known), verdict) if plan else None
    by_name = {one.name: one for one in planned.hypotheses} if planned else {}
    groups = GroupFront(
        front_part(many, GROUPS),
        {cell: by_name[name] for cell, name in statements.planned_groups.items()},
    )
    return found, {
        "family": family,
        "statements": many,
        **{
            member: [dump(withhold_node(node, names, verdict)) for node in of_member]
            for member, of_member in counted.items()
        },
        **study_findings.findings(known, plan, planned, verdict, statements, many),
        **findings.compute(known, wanted, found.frequent.itemsets, verdict, groups),
    }
