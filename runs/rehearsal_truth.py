"""Compares the results of a rehearsal's run with the true answers of its simulated respondents: itemsets and models.

A rehearsal keeps counts of itemsets and no rows, so true coefficients are known only for models of two covariates,
where itemsets of three answers were counted.
"""

from collections.abc import Mapping

import numpy as np
from django.db.models import QuerySet

from intake.rehearsal import true_counts as surveys_truth
from mining.findings.result_row_conversion import item_numbers
from mining.json_codec import node_from_json
from mining.nodes.regression_nodes import ModelResult
from mining.queries_and_counters import pad_rows
from mining.studies import comparison_with_truth
from mining.studies.answer_counts_by_plain_pattern import WITH, WITHOUT, PatternCounts
from mining.studies.comparison_with_truth import RehearsalTruth
from mining.studies.model_fits import fit_model
from mining.studies.model_request_and_columns import ModelRequest
from mining.studies.single_answer_score_moments import UNDISGUISED
from privacy.designs import Design, InputError
from privacy.records.record import DISGUISED
from runs.models import Itemset, Model, Run
from runs.regression_job import parse_request


def read_truth(run: Run) -> comparison_with_truth.RehearsalTruth | None:
    """Returns the true answers of all simulated respondents, also of records not sealed yet; None if nobody was
    simulated.

    In a survey with arms these are the answers of the disguised arm, with those of the direct arm beside them.
    """
    design = run.mined_design
    true_counts = surveys_truth.read_true_counts(run.survey) if design.rehearsal else None
    if true_counts is None or not true_counts.everybody.n:
        return None
    everybody = comparison_with_truth.PopulationTruth(
        design, true_counts.everybody.n, true_counts.everybody.counts
    )
    disguised = comparison_with_truth.PopulationTruth(
        design, true_counts.disguised.n, true_counts.disguised.counts
    )
    if design.has_arms:
        # Estimates are of the disguised arm alone.
        return comparison_with_truth.RehearsalTruth(
            disguised, disguised, _direct_arm_truth(everybody, disguised)
        )
    return comparison_with_truth.RehearsalTruth(everybody if run.n_open else disguised, disguised)


def _direct_arm_truth(
    everybody: comparison_with_truth.PopulationTruth, disguised: comparison_with_truth.PopulationTruth
) -> comparison_with_truth.PopulationTruth:
    """Returns the truth of the direct arm: everybody without the disguised arm."""
    counts: dict[comparison_with_truth.Itemset, int] = {
        itemset: n - disguised.counts[itemset] for itemset, n in everybody.counts.items() if len(itemset) == 1
    }
    return comparison_with_truth.PopulationTruth(everybody.design, everybody.n - disguised.n, counts)


def compare_with_truth(
    run: Run, itemsets: QuerySet[Itemset] | None = None
) -> comparison_with_truth.TruthComparison | None:
    """Compares the itemsets of a finished run, or the given ones, with the truth; None if nobody was simulated."""
    true = read_truth(run)
    if true is None:
        return None
    chosen = run.itemsets.all() if itemsets is None else itemsets
    rows = list(chosen.order_by("place").values_list("items", "support"))
    rows_of_items = pad_rows([item_numbers(items) for items, _support in rows])
    support = np.array([support for _items, support in rows], np.float64)
    return comparison_with_truth.compare_with_truth(
        rows_of_items, support, true, run.search_parameters, run.stored_verdict
    )


def add_true_coefficients(model: Model, design: Design, rehearsal: RehearsalTruth | None) -> ModelResult:
    """Returns the fitted model with the true coefficients, if known; `design`: the mined one."""
    truths = true_coefficients(parse_request(design, model.specification), rehearsal)
    return node_from_json(ModelResult, model.numbers).with_truth(truths)


def true_coefficients(request: ModelRequest, rehearsal: RehearsalTruth | None) -> Mapping[str, float]:
    """Returns the true coefficients by name; empty if they are unknown, or the model cannot be fitted to the truth."""
    counts = true_patterns(request, rehearsal) if rehearsal and not request.by_arm else None
    if counts is None:
        return {}
    try:
        model = fit_model(request, counts, UNDISGUISED)
    except InputError:
        return {}
    return {coefficient.of: coefficient.b for coefficient in model.coefficients}


def true_patterns(request: ModelRequest, rehearsal: RehearsalTruth | None) -> PatternCounts | None:
    """Returns the true counts of a model's patterns in the disguised group; None if its answers were not counted
    together."""
    questions = {request.item[0], *request.questions, *(index for index, _code in request.among)}
    if rehearsal is None or len(questions) > rehearsal.max_itemset_size:
        return None
    patterns = PatternCounts.zeros(request.design, request.item, request.questions, request.among)
    for row, codes in zip(patterns.counts, patterns.codes.T.tolist(), strict=True):
        given = frozenset({*zip(request.questions, codes, strict=True), *request.among})
        if len({index for index, _code in given}) == len(given):
            having, shown = rehearsal.for_population(disguised_only=True).count_with_item_and_applicable(
                request.item, tuple(given)
            )
            row[DISGUISED, WITH], row[DISGUISED, WITHOUT] = having, shown - having
    return patterns
