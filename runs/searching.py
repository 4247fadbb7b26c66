"""The search of a run with any counter: all results that are stored come from here."""

from collections.abc import Sequence
from dataclasses import dataclass

from mining.counting import MinedRecords, PatternHistogram
from mining.counting.code_counts import CodeCounts
from mining.counts import Counter
from mining.disclosure.open_records import Groups, may_be_used, open_groups
from mining.disclosure.plain_tables import needed, plain_tables
from mining.engines import bitmap
from mining.engines.found import Found
from mining.itemsets.frequent import Watch, frequent, unwatched
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from privacy.designs.plan import Plan
from runs import code_findings, findings, study_findings
from runs.findings import Json
from runs.models import Run
from runs.storing import RunResult


@dataclass(frozen=True)
class SearchOutcome:
    """`histogram` is a new one, to be stored in the cache, with the counts of codes."""

    result: RunResult
    histogram: PatternHistogram | None = None
    codes: CodeCounts | None = None


def of_run(
    run: Run,
    counter: Counter,
    watch: Watch = unwatched,
    records: MinedRecords | None = None,
    codes: CodeCounts | None = None,
) -> RunResult:
    """The result of a run with this counter of its records, and the counts of the codes of their numbers and places."""
    plan = study_findings.frozen_plan(run.survey)
    return search(run.wanted, CachedCounter(counter), watch, records, published_before(run), codes, plan)


def published_before(run: Run) -> list[Groups | None]:
    """The groups of open records that earlier publications used."""
    earlier = Run.objects.filter(pk__in=run.earlier, survey=run.survey_id).exclude(through=run.through)
    used = (one for one in earlier.order_by("pk") if one.n_open and not one.findings["alone"])
    return [one.findings["open_groups"] for one in used]


def search(
    wanted: Parameters,
    known: CachedCounter,
    watch: Watch = unwatched,
    records: MinedRecords | None = None,
    published: Sequence[Groups | None] = (),
    codes: CodeCounts | None = None,
    plan: Plan | None = None,
) -> RunResult:
    """The result that is stored; only the literal engine needs `records`.

    If a publication beside those `published` could reveal the open answers of fewer than ten, sensitive answers are
    estimated from the disguised records alone.
    """
    groups = open_groups(known)
    known.alone = not may_be_used(groups, published)
    findings.count_singles(known, wanted)
    if records and wanted.engine == "mlxtend":
        from mining.engines import literal  # late for cost

        found = literal.find(records, known, wanted, watch, heads=True)
    else:
        itemsets = frequent(known, wanted, watch, heads=True)
        found = Found(itemsets, bitmap.rules_of(known, itemsets, wanted, heads=True))
    itemset_questions = known.numbering.questions_of(found.frequent.itemsets)
    tables = plain_tables(known, needed(known.design, itemset_questions))
    guards: dict[str, Json] = {
        "alone": known.alone,
        "open_groups": groups,
        "family": found.rules.splits.family,
        "plain_tables": [table.as_json() for table in tables],
    }
    if codes:
        guards |= code_findings.findings(codes, alone=known.alone)
    guards |= study_findings.findings(known, plan)
    return RunResult.of(wanted, known.n, found, findings.compute(known, wanted, found) | guards)
