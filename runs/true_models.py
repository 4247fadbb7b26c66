"""Models fitted to the true answers of a rehearsal's simulated respondents.

A rehearsal keeps counts of itemsets and no rows, so this is known for models of few questions: of two covariates, where
itemsets of three answers were counted.
"""

from collections.abc import Mapping

from mining.document.codec import load
from mining.document.models import ModelResult
from mining.studies.answer_scores import UNDISGUISED
from mining.studies.covariates import ModelRequest
from mining.studies.models import fit_model
from mining.studies.pattern_counts import WITH, WITHOUT, PatternCounts
from mining.truth import RehearsalTruth
from privacy.designs import Design, InputError
from privacy.records.record import DISGUISED
from runs.modelling import request_of
from runs.models import Model


def result_beside_truth(model: Model, design: Design, known: RehearsalTruth | None) -> ModelResult:
    """What a job found, beside the truth where that is known; `design` is the mined one."""
    truths = true_coefficients(request_of(design, model.specification), known)
    return load(ModelResult, model.numbers).beside(truths)


def true_coefficients(request: ModelRequest, known: RehearsalTruth | None) -> Mapping[str, float]:
    """By the name of a coefficient; empty where it is not known, or the model cannot be fitted to it."""
    counts = true_patterns(request, known) if known and not request.by_arm else None
    if counts is None:
        return {}
    try:
        model = fit_model(request, counts, UNDISGUISED)
    except InputError:
        return {}
    return {one.of: one.b for one in model.coefficients}


def true_patterns(request: ModelRequest, known: RehearsalTruth | None) -> PatternCounts | None:
    """Of the disguised, as the model is; None where so many answers were not counted together."""
    places = {request.item[0], *request.questions, *(index for index, _code in request.among)}
    if known is None or len(places) > known.largest:
        return None
    patterns = PatternCounts.nothing(request.design, request.item, request.questions, request.among)
    for row, codes in zip(patterns.counts, patterns.codes.T.tolist(), strict=True):
        given = frozenset({*zip(request.questions, codes, strict=True), *request.among})
        if len({index for index, _code in given}) == len(given):
            having, shown = known.of(disguised_only=True).having(request.item, tuple(given))
            row[DISGUISED, WITH], row[DISGUISED, WITHOUT] = having, shown - having
    return patterns
