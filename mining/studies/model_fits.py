"""Fits models of the share of a sensitive answer by plain covariates (docs/mathematics.md, Models).

The models need only counts by pattern of plain answers: of the disguised records, or of both arms if the arm is a
covariate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from mining.counting import MinedRecords
from mining.inference.contingency_table import Floats
from mining.inference.intervals import NORMAL_95
from mining.nodes.regression_nodes import Coefficient, ModelFit, ModelResult, Term
from mining.queries_and_counters import Counter, item_name
from mining.studies.answer_counts_by_plain_pattern import PatternCounts, PatternScores
from mining.studies.estimating_equations import (
    LINEAR,
    LOGIT,
    Chosen,
    CoefficientEstimates,
    Link,
    NoMaximum,
    added_columns_test,
    fit_coefficients,
    score_test,
    wald_test,
)
from mining.studies.model_minimum_record_counts import (
    PatternRecords,
    has_enough_records_in_cell,
    product_cells,
    refuse_small_cells,
    too_few_error,
)
from mining.studies.model_request_and_columns import (
    ARM_NAME,
    TIMES,
    Codes,
    ModelColumns,
    ModelRequest,
    model_columns,
    product_columns,
    read_request,
)
from mining.studies.single_answer_score_moments import AnswerLaw, answer_law
from privacy.designs import Design, InputError
from privacy.grammar.input_error import mark_for_translation as _, quote_value

DEPENDENT = 1e-9
"""Largest relative size of a column's part that the others do not explain, if the column counts as collinear."""


@dataclass(frozen=True)
class _ModelData:
    """The data of a model: the patterns that have records (covariate by pattern), their scores and the columns."""

    codes: Codes
    scores: PatternScores
    columns: ModelColumns
    records: PatternRecords
    link: Link


def fit_model(request: ModelRequest, counts: PatternCounts, law: AnswerLaw) -> ModelResult:
    """Returns the fitted regression model; raises `InputError` if it cannot be fitted to the counts.

    `counts` are of `request.item`, `request.questions` and `request.among`.
    """
    data = _model_data(request, counts, law)
    refuse_small_cells(request, data.codes, data.records)
    _check_collinear(data)
    estimates = _fit_coefficients(request, data)
    whom: dict[str, Any] = {
        "item": item_name(request.design, request.item),
        "n": int(data.scores.n),
        "population": request.population,
        "among": tuple(item_name(request.design, item) for item in request.among),
    }
    coefficients = tuple(_coefficients(data, estimates, whom))
    terms = dict.fromkeys(term for term in data.columns.terms if term)
    return ModelResult(
        int(data.scores.n),
        len(data.scores.records),
        coefficients,
        tuple(_term_test(request, data, estimates, coefficients, term, whom) for term in terms),
        _test_products(request, data, estimates),
    )


def check_enough_model_records(request: ModelRequest, counts: PatternCounts, law: AnswerLaw) -> None:
    """Raises `InputError` if a cell of the model has too few records, as `fit_model` does."""
    data = _model_data(request, counts, law)
    refuse_small_cells(request, data.codes, data.records)


def _model_data(request: ModelRequest, counts: PatternCounts, law: AnswerLaw) -> _ModelData:
    scores = counts.scores_by_arm(law) if request.by_arm else counts.disguised_scores(law)
    codes = counts.codes
    plain = np.zeros(len(scores.records))
    if request.by_arm:
        # The direct arm's patterns stand first, and the arm is the last covariate.
        arm = np.repeat([0, 1], codes.shape[1])
        codes, plain = np.vstack([np.tile(codes, 2), arm]), np.where(arm == 0, scores.records, 0.0)
    used = scores.records > 0
    if not used.any():
        raise too_few_error()
    codes = codes[:, used]
    scores = PatternScores(scores.records[used], scores.first[used], scores.second[used])
    records = (scores.records, plain[used])
    return _ModelData(
        codes, scores, model_columns(request, codes), records, LOGIT if request.logit else LINEAR
    )


def _check_collinear(data: _ModelData) -> None:
    columns = np.sqrt(data.scores.records)[:, None] * data.columns.values
    triangle = np.abs(np.diag(np.linalg.qr(columns, mode="r")))
    dependent = triangle <= DEPENDENT * np.linalg.norm(columns, axis=0)[: len(triangle)]
    if len(triangle) < columns.shape[1] or dependent.any():
        index = int(dependent.argmax()) if dependent.any() else len(triangle)
        raise InputError(
            "covariates",
            _("%(name)s follows from the covariates before it: leave one of them out"),
            name=quote_value(data.columns.names[index]),
        )


def _fit_coefficients(request: ModelRequest, data: _ModelData) -> CoefficientEstimates:
    try:
        return fit_coefficients(data.link, data.scores, data.columns.values)
    except NoMaximum as no_maximum:
        chosen = zip(request.covariates, data.codes[:, no_maximum.pattern].tolist(), strict=True)
        pattern = " × ".join(request.choice_name(covariate, code) for covariate, code in chosen)
        raise InputError(
            "model",
            _("cannot be estimated: nearly nobody or everybody with %(pattern)s, so read the linear model"),
            pattern=quote_value(pattern),
        ) from None


def _term_test(
    request: ModelRequest,
    data: _ModelData,
    estimates: CoefficientEstimates,
    coefficients: Sequence[Coefficient],
    term: tuple[int, ...],
    whom: Mapping[str, Any],
) -> Term:
    chosen = data.columns.in_term(term)
    df = int(chosen.sum())
    # One coefficient has its test already.
    p = coefficients[int(chosen.argmax())].p if df == 1 else _term_p(data, estimates, chosen)
    return Term(TIMES.join(map(request.name, term)), df, p, **whom)


def _term_p(data: _ModelData, estimates: CoefficientEstimates, chosen: Chosen) -> float | None:
    """Returns the p-value of the test that the `chosen` coefficients are 0: Wald's test in a linear model, the score
    test in a logit model.

    In a logit model Wald's test loses power for large coefficients.
    """
    if data.link is LINEAR:
        return wald_test(estimates, chosen).p
    try:
        return score_test(
            data.link, data.scores, data.columns.values, chosen, estimates.approximate_fit_without(chosen)
        ).p
    except NoMaximum:
        return None


def _coefficients(
    data: _ModelData, estimates: CoefficientEstimates, whom: Mapping[str, Any]
) -> list[Coefficient]:
    every = []
    for index, (name, b, se) in enumerate(zip(data.columns.names, estimates.b, estimates.se, strict=True)):
        p = _term_p(data, estimates, np.arange(len(estimates.b)) == index)
        half = NORMAL_95 * se
        every.append(Coefficient(name, float(b), float(se), float(b - half), float(b + half), p, **whom))
    return every


def _test_products(
    request: ModelRequest, data: _ModelData, estimates: CoefficientEstimates
) -> ModelFit | None:
    added: list[Floats] = []
    names: dict[bool, list[str]] = {True: [], False: []}
    for pair in combinations(request.covariates, 2):
        if pair in request.products:
            continue
        held = all(
            has_enough_records_in_cell(data.records, cell)
            for cell in product_cells(request, pair, data.codes)
        )
        names[held].append(TIMES.join(map(request.name, pair)))
        if held:
            added += [values for values, _name, _pair in product_columns(request, pair, data.codes)]
    independent = _independent_columns(data, added)
    if not independent:
        return None
    test = added_columns_test(
        data.link, data.scores, data.columns.values, estimates.mean, np.stack(independent, axis=1)
    )
    return ModelFit(test.df, test.p, tuple(names[True]), tuple(names[False]))


def _independent_columns(data: _ModelData, added: list[Floats]) -> list[Floats]:
    """Returns the `added` columns that are linearly independent of the model's columns and of the added columns before
    them."""
    if not added:
        return []
    root = np.sqrt(data.scores.records)[:, None]
    basis = np.linalg.qr(root * data.columns.values)[0]
    rest = root * np.stack(added, axis=1)
    sizes = np.linalg.norm(rest, axis=0)
    # Twice, since once leaves rounding of the size of what was taken away.
    for _again in range(2):
        rest -= basis @ (basis.T @ rest)
    # The triangle has the lengths and angles of the columns, in as few numbers as there are columns.
    triangle: Floats = np.asarray(np.linalg.qr(rest, mode="r"))
    kept, directions = [], np.zeros((len(triangle), 0))
    for values, column, size in zip(added, triangle.T, sizes, strict=True):
        left = column - directions @ (directions.T @ column)
        left = left - directions @ (directions.T @ left)
        if np.linalg.norm(left) > DEPENDENT * size:
            kept.append(values)
            directions = np.column_stack([directions, left / np.linalg.norm(left)])
    return kept


def read_request_allowing_arm(
    design: Design, item: str, on: Sequence[str], *, among: Sequence[str] = (), **options: Any
) -> ModelRequest:
    """Parses a request for a model as `read_request` does; the covariate `arm` means the arm if the design has arms."""
    by_arm = design.has_arms and ARM_NAME in on
    names = [name for name in on if not (by_arm and name == ARM_NAME)]
    return read_request(design, item, names, among=among, by_arm=by_arm, **options)


def fit_records(records: MinedRecords, request: ModelRequest) -> ModelResult:
    """Fits the model to the disguised records, or to both arms if the arm is a covariate; refuses the arm if direct
    records lack their plain answers."""
    if request.by_arm and records.without_plain:
        raise InputError(
            "covariates", _("the file withholds what direct records say without disguise: leave the arm out")
        )
    if records.is_counted_only:
        return fit_model_from_counter(records.counter(), request)
    counts = PatternCounts.count_records(
        request.design, records.complete, request.item, request.questions, request.among
    )
    return fit_model(request, counts, answer_law(request.design, request.item))


def fit_model_from_counter(counter: Counter, request: ModelRequest) -> ModelResult:
    """Fits the model to the counts of a counter of both groups."""
    counts = PatternCounts.from_counter(counter, request.item, request.questions, request.among)
    return fit_model(request, counts, answer_law(request.design, request.item))
