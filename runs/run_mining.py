"""Searches the records of a run with any counter; all stored results are computed here."""

from collections.abc import Iterable

from intake.disclosure.table_disclosure_decision import decide_disclosable_tables
from mining.counting.number_and_place_counts import CodeCounts
from mining.disclosure.plain_table_counts import Questions, revealed_questions, table_counter
from mining.disclosure.verdict import Decision, Verdict
from mining.disclosure.withheld_cells_outside_regions import counts_outside_regions
from mining.engines import candor_engine
from mining.findings.compute_findings import compute_findings, count_single_answers
from mining.findings.remove_withheld_numbers import find_place_law
from mining.itemsets.answer_names import AnswerNames
from mining.itemsets.frequent import Watch, ignore_progress
from mining.kinds.counted_kind import CountedNode
from mining.kinds.registry import make_nodes
from mining.nodes.place_nodes import PlaceNode
from mining.parameters import Parameters
from mining.queries_and_counters import Counter
from mining.reconstruction import CachedCounter
from mining.studies.front_page_statements import Statements, count_changes
from mining.studies.hypothesis_tests import question_indexes_by_hypothesis
from mining.studies.population_weights import margin_questions
from privacy.designs import Design
from privacy.designs.hypothesis_plan import Plan
from runs.margin_weights import read_stored_margins
from runs.models import Run
from runs.result_storage import RunResult
from surveys.lifecycle.earlier_designs import design_before
from surveys.lifecycle.opening import load_frozen_plan


def search_run(
    run: Run,
    counter: Counter,
    watch: Watch = ignore_progress,
    codes: CodeCounts | None = None,
) -> RunResult:
    """Searches itemsets and rules of a run with this counter, as far as they may be disclosed.

    `codes`: counts of the codes of the run's numbers and places.
    """
    known = CachedCounter(counter, without_plain=True)
    plan = load_frozen_plan(run.survey)
    decision = decide_disclosable_tables(
        run.survey,
        run.mined_design,
        run.through,
        run.population,
        table_counter(known.counter),
        run.search_parameters.max_size,
        question_sets_beyond_itemsets(run, plan),
    )
    earlier = design_before(run.content)
    return result_from_counter(run.search_parameters, known, decision, watch, codes, plan, earlier)


def question_sets_beyond_itemsets(run: Run, plan: Plan | None) -> list[Questions]:
    """Returns the question sets of weighted shares and hypotheses, which may be larger than those of itemsets."""
    design = run.mined_design
    margins = margin_questions(read_stored_margins(run.margins, design)) if run.margins else ()
    weighted = (
        [revealed_questions(design, [index, *margins]) for index in range(len(design.questions))]
        if margins
        else []
    )
    return [*weighted, *(question_indexes_by_hypothesis(plan, design) if plan else [])]


def result_from_counter(
    parameters: Parameters,
    counter: CachedCounter,
    decision: Decision | None = None,
    watch: Watch = ignore_progress,
    codes: CodeCounts | None = None,
    plan: Plan | None = None,
    earlier: Design | None = None,
) -> RunResult:
    """Searches itemsets and rules with a counter, and returns the result to store.

    `decision`: the disclosure verdict; None: everything may be disclosed. `earlier`: the design that this one follows.
    """
    counted = make_nodes(codes) if codes else {}
    decision = decision or Decision(Verdict(counter.design), {})
    decision = add_outside_cell_counts(decision, counter.design, counted.get("places", ()))
    verdict = decision.verdict
    count_single_answers(counter, parameters)
    statements = Statements(
        counter,
        plan,
        verdict,
        changes=count_changes(counter.design, earlier.mined if earlier else None, plan),
    )
    found = candor_engine.mine_rules(
        counter, parameters, watch, heads=True, verdict=verdict, front=statements.pairs()
    )
    findings = compute_findings(parameters, statements, found, plan, counted)
    return RunResult.from_mining(parameters, counter.n, found, findings, decision)


def add_outside_cell_counts(decision: Decision, design: Design, nodes: Iterable[CountedNode]) -> Decision:
    """Returns the disclosure decision with the counts of map cells outside all regions added; it also decides which of
    them to withhold."""
    names = AnswerNames(design)
    counts = {}
    for node in nodes:
        place = names.question_index(node.question)
        law = find_place_law(names, node.question) if isinstance(node, PlaceNode) else None
        if (
            isinstance(node, PlaceNode)
            and law
            and law.cells_outside_regions
            and decision.verdict.may_tell([place])
        ):
            counts[place] = counts_outside_regions(node, law, decision.tables.get((place,)))
    return decision.with_place_cell_verdict(counts)
