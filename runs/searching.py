"""The search of a run with any counter: all results that are stored come from here."""

from dataclasses import dataclass

from mining.counting import MinedRecords, PatternHistogram
from mining.counting.code_counts import CodeCounts
from mining.counts import Counter
from mining.disclosure.plain_tables import Questions, needed, plain_tables
from mining.document.codec import dump
from mining.engines import bitmap
from mining.engines.bitmap import Found
from mining.itemsets.frequent import Watch, frequent, unwatched
from mining.kinds.registry import nodes
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from mining.studies.weights import margin_questions
from privacy.designs.plan import Plan
from runs import findings, study_findings
from runs.findings import Json
from runs.models import Run
from runs.storing import RunResult
from runs.weighting import margins_of


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
    margins = margin_questions(margins_of(run.margins, run.mined)) if run.margins else ()
    return search(
        run.wanted, CachedCounter(counter, without_plain=True), watch, records, codes, plan, margins
    )


def search(
    wanted: Parameters,
    known: CachedCounter,
    watch: Watch = unwatched,
    records: MinedRecords | None = None,
    codes: CodeCounts | None = None,
    plan: Plan | None = None,
    margins: Questions = (),
) -> RunResult:
    """The result that is stored; only the literal engine needs `records`. `margins`: the questions of the margins."""
    findings.count_singles(known, wanted)
    if records and wanted.engine == "mlxtend":
        from mining.engines import literal  # late for cost

        result = literal.find(records, known, wanted, watch, heads=True)
    else:
        itemsets = frequent(known, wanted, watch, heads=True)
        result = Found(itemsets, bitmap.rules_of(known, itemsets, wanted, heads=True))
    itemset_questions = known.numbering.questions_of(result.frequent.itemsets)
    tables = plain_tables(known, needed(known.design, itemset_questions, margins))
    guards: dict[str, Json] = {
        "family": result.rules.splits.family,
        "plain_tables": [*map(dump, tables)],
    }
    if codes:
        guards |= {member: [*map(dump, member_nodes)] for member, member_nodes in nodes(codes).items()}
    guards |= study_findings.findings(known, plan)
    return RunResult.of(
        wanted, known.n, result, findings.compute(known, wanted, result.frequent.itemsets) | guards
    )
