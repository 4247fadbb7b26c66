"""Compares what a rehearsal's run found with the true answers of its simulated respondents: itemsets, and models.

A rehearsal keeps counts of itemsets and no rows, so the true coefficients are known for models of few questions: of two
covariates, where itemsets of three answers were counted.
"""

from collections.abc import Mapping

import numpy as np
from django.db.models import QuerySet

from intake.rehearsal import true_counts as surveys_truth
from mining import truth
from mining.counts import pad_rows
from mining.document.codec import load
from mining.document.models import ModelResult
from mining.studies.answer_scores import UNDISGUISED
from mining.studies.covariates import ModelRequest
from mining.studies.models import fit_model
from mining.studies.pattern_counts import WITH, WITHOUT, PatternCounts
from mining.truth import RehearsalTruth
from privacy.designs import Design, InputError
from privacy.records.record import DISGUISED
from runs.model_job import request_from
from runs.models import Itemset, Model, Run
from runs.result_rows import item_numbers


def true_shares(run: Run) -> truth.RehearsalTruth | None:
    """The true answers of all simulated respondents, also of those whose records were not sealed when the run started.

    With arms of the disguised arm, the direct one beside it. None: nobody was simulated.
    """
    design = run.mined
    true_counts = surveys_truth.read_truth(run.survey) if design.rehearsal else None
    if true_counts is None or not true_counts.everybody.n:
        return None
    everybody = truth.PopulationTruth(design, true_counts.everybody.n, true_counts.everybody.counts)
    disguised = truth.PopulationTruth(design, true_counts.disguised.n, true_counts.disguised.counts)
    if design.has_arms:
        # Estimates are of the disguised arm alone.
        return truth.RehearsalTruth(disguised, disguised, _direct_arm(everybody, disguised))
    return truth.RehearsalTruth(everybody if run.n_open else disguised, disguised)


def _direct_arm(everybody: truth.PopulationTruth, disguised: truth.PopulationTruth) -> truth.PopulationTruth:
    counts: dict[truth.Itemset, int] = {
        itemset: n - disguised.counts[itemset] for itemset, n in everybody.counts.items() if len(itemset) == 1
    }
    return truth.PopulationTruth(everybody.design, everybody.n - disguised.n, counts)


def compare_itemsets(run: Run, itemsets: QuerySet[Itemset] | None = None) -> truth.TruthComparison | None:
    """Compare the itemsets of a finished run, or these of them, in their order; None: nobody was simulated."""
    true = true_shares(run)
    if true is None:
        return None
    chosen = run.itemsets.all() if itemsets is None else itemsets
    rows = list(chosen.order_by("place").values_list("items", "support"))
    rows_of_items = pad_rows([item_numbers(items) for items, _support in rows])
    support = np.array([support for _items, support in rows], np.float64)
    return truth.compare_with_truth(rows_of_items, support, true, run.wanted, run.stored_verdict)


def result_beside_truth(model: Model, design: Design, known: RehearsalTruth | None) -> ModelResult:
    """The fitted model, its coefficients beside the true ones if these are known; `design`: the mined one."""
    truths = true_coefficients(request_from(design, model.specification), known)
    return load(ModelResult, model.numbers).with_truth(truths)


def true_coefficients(request: ModelRequest, known: RehearsalTruth | None) -> Mapping[str, float]:
    """The true coefficients by name; none if the truth is not known, or the model cannot be fitted to it."""
    counts = true_patterns(request, known) if known and not request.by_arm else None
    if counts is None:
        return {}
    try:
        model = fit_model(request, counts, UNDISGUISED)
    except InputError:
        return {}
    return {coefficient.of: coefficient.b for coefficient in model.coefficients}


def true_patterns(request: ModelRequest, known: RehearsalTruth | None) -> PatternCounts | None:
    """The true counts of a model's patterns among the disguised; None if its answers were not counted together."""
    questions = {request.item[0], *request.questions, *(index for index, _code in request.among)}
    if known is None or len(questions) > known.largest:
        return None
    patterns = PatternCounts.zeros(request.design, request.item, request.questions, request.among)
    for row, codes in zip(patterns.counts, patterns.codes.T.tolist(), strict=True):
        given = frozenset({*zip(request.questions, codes, strict=True), *request.among})
        if len({index for index, _code in given}) == len(given):
            having, shown = known.for_population(disguised_only=True).count_having(request.item, tuple(given))
            row[DISGUISED, WITH], row[DISGUISED, WITHOUT] = having, shown - having
    return patterns
