"""Models by names and the coefficients of shares: vectors, other people's methods, floors, refusals, coverage."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

from bench.coverage.models import ModelSetting, age_test_size, model_cell, model_settings, no_end_rate
from mining.studies.answer_counts_by_plain_pattern import PatternCounts, PatternScores
from mining.studies.estimating_equations import (
    LINEAR,
    LOGIT,
    NoMaximum,
    added_columns_test,
    fit_coefficients,
    score_test,
    wald_test,
)
from mining.studies.model_fits import fit_model
from mining.studies.model_request_and_columns import ModelRequest, model_columns, read_request
from mining.studies.single_answer_score_moments import UNDISGUISED, AnswerLaw
from tests.mining.strategies import LAW, STUDY, pattern_scores, reference_settings, vectors
from tests.privacy.questionnaires import HALF, design, plain, question, refusal, sensitive

Cells = Sequence[tuple[int, int]]
"""By pattern the records without and with the answer."""


def request(*on: str, **more: Any) -> ModelRequest:
    return read_request(STUDY, "theft=yes", on, **more)


def pattern_counts_of(of: ModelRequest, cells: Cells, *, direct: Cells | None = None) -> PatternCounts:
    """`cells`: by pattern the records without and with the answer."""
    counts = PatternCounts.zeros(of.design, of.item, of.questions, of.among)
    counts.counts[:, 1, :2] = cells
    if direct:
        counts.counts[:, 0, :2] = direct
    return counts


EVEN = [(150, 60), (140, 90), (160, 80), (150, 100), (130, 90), (140, 110)]
"""Age by sex."""


def test_coefficients_are_named_after_their_items() -> None:
    of = request("age", "sex", products=["sex*age"])
    codes = PatternCounts.zeros(STUDY, of.item, of.questions).codes
    columns = model_columns(of, codes)
    assert columns.names == ("1", "age=40-59", "age=60+", "sex=m", "age=40-59*sex=m", "age=60+*sex=m")
    assert columns.values[:, [2, 5]].T.tolist() == [[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 1]]
    columns = model_columns(request("age", "sex", numbers=["age"], products=["age*sex"]), codes)
    assert columns.names == ("1", "age", "sex=m", "age*sex=m")
    assert columns.values[:, 3].tolist() == [0, 0, 0, 1, 0, 2]


def test_model_vectors_match_by_name() -> None:
    for formula, p_of_age in (("linear", 0.000456087), ("logit", 0.000536476)):
        (vector,) = vectors(f"3.8 models {formula}")
        of, expected = request("age", "sex", logit=formula == "logit"), vector["expected"]
        yes_of = zip(vector["inputs"]["n"], vector["inputs"]["yes"], strict=True)
        found = fit_model(of, pattern_counts_of(of, [(n - yes, yes) for n, yes in yes_of]), LAW)
        assert [one.of for one in found.coefficients] == ["1", "age=40-59", "age=60+", "sex=m"]
        assert [one.b for one in found.coefficients] == pytest.approx(expected["b"], abs=2e-8)
        assert [one.se for one in found.coefficients] == pytest.approx(expected["se"], abs=2e-8)
        assert (found.n, found.patterns) == (1_000, 6)
        age, sex = found.terms
        assert (age.of, age.df, sex.of, sex.df) == ("age", 2, "sex", 1)
        assert age.p == pytest.approx(p_of_age, abs=2e-9)
        assert sex.p == pytest.approx(found.coefficients[3].p)
        for one in found.coefficients:
            assert (one.low, one.high) == pytest.approx((one.b - 1.96 * one.se, one.b + 1.96 * one.se))


def test_fit_is_tested_with_all_products_above_the_floors() -> None:
    of, every = request("age", "sex"), request("age", "sex", products=["age*sex"])
    found = fit_model(of, pattern_counts_of(of, EVEN), LAW).fit
    assert found
    assert (found.df, found.products, found.left_out) == (2, ("age*sex",), ())
    assert fit_model(of, pattern_counts_of(of, [*EVEN[:5], (20, 20)]), LAW).fit is None
    assert fit_model(every, pattern_counts_of(every, EVEN), LAW).fit is None
    # A model with a product that matters does not fit without it.
    crossed = [(900, 100), (100, 900)] * 2 + [(100, 900), (900, 100)]
    found = fit_model(of, pattern_counts_of(of, crossed), LAW).fit
    assert found
    assert found.p < 1e-6


def test_arm_is_a_covariate_of_both_arms() -> None:
    of = request("sex", by_arm=True)
    direct, disguised = [(90, 10), (80, 20)], [(60, 40), (70, 130)]
    found = fit_model(of, pattern_counts_of(of, disguised, direct=direct), LAW)
    assert [one.of for one in found.coefficients] == ["1", "sex=m", "arm"]
    assert (found.n, found.patterns) == (500, 4)
    # Without the covariate sex the coefficient is the difference of the arms' mean scores.
    of = request(by_arm=True)
    alone = fit_model(of, pattern_counts_of(of, [(130, 170)], direct=[(170, 30)]), LAW)
    mean = (170 / 300 - 0.15385) / 0.6923
    assert alone.coefficients[1].b == pytest.approx(mean - 0.15)
    # The disguised arm alone, where the arm is no covariate.
    assert (
        fit_model(request("sex"), pattern_counts_of(request("sex"), disguised, direct=direct), LAW).n == 300
    )


def model_refusal(of: ModelRequest, cells: Cells, **more: Any) -> str:
    words = refusal(fit_model, of, pattern_counts_of(of, cells, **more), LAW)
    assert "\n" not in words
    return words


def test_choice_below_the_floor_is_refused_with_what_to_merge() -> None:
    of = request("age", "sex")
    few = [*EVEN[:4], (10, 20), (10, 9)]
    fifty = "covariates: 'age=60+' has fewer than 50 records"
    assert model_refusal(of, few) == f"{fifty}: merge 'age=60+' with 'age=40-59', or leave it out"
    # The first choice is what is left without the coefficients.
    assert "'age=18-39' has fewer than 50 records" in model_refusal(of, [(10, 9), (15, 15), *EVEN[2:]])
    assert fit_model(of, pattern_counts_of(of, [(10, 9), (15, 16), *EVEN[2:]]), LAW).n
    # Every combination of a product needs its records.
    few = [*EVEN[:4], (25, 24), EVEN[5]]
    crossed = request("age", "sex", products=["age*sex"])
    assert "'age=60+ × sex=f' has fewer than 50 records" in model_refusal(crossed, few)
    assert fit_model(of, pattern_counts_of(of, few), LAW).n
    # Of a number all but each choice: a few others would stand alone behind the slope.
    lonely = [(900, 90), (140, 90), (10, 9), (10, 10), (2, 3), (2, 3)]
    number = request("age", "sex", numbers=["age"])
    assert "'age≠18-39' has fewer than 50 records" in model_refusal(number, lonely)
    assert fit_model(number, pattern_counts_of(number, [*lonely[:3], (10, 11), *lonely[4:]]), LAW).n


def test_direct_answers_need_more_than_nineteen_records() -> None:
    of, disguised = request("sex", by_arm=True), [(60, 40), (70, 130)]
    assert "'sex=m' has fewer than 20 direct records" in model_refusal(
        of, disguised, direct=[(90, 10), (10, 9)]
    )
    # A choice that nobody of the direct arm has shows nobody's direct answer.
    for direct in ([(90, 10), (10, 10)], [(90, 10), (0, 0)]):
        assert fit_model(of, pattern_counts_of(of, disguised, direct=direct), LAW).n


def test_unfittable_model_is_refused() -> None:
    constant = "covariates: 'sex' is constant: all records have 'sex=m', so leave it out"
    assert model_refusal(request("age", "sex"), [(0, 0), (90, 60)] * 3) == constant
    # Employed are exactly the men: work says what sex says.
    collinear = "covariates: 'work=not' follows from the covariates before it: leave one of them out"
    assert model_refusal(request("sex", "work"), [(0, 0), (90, 60), (80, 50), (0, 0)]) == collinear
    nothing = "model: fewer than 50 records answer the item and all covariates: choose others"
    assert model_refusal(request("sex"), [(0, 0), (0, 0)]) == nothing
    # Before a constant covariate is named, which would say what few people answered.
    assert model_refusal(request("sex"), [(0, 0), (20, 29)]) == nothing
    # A logit without end names the pattern and offers the linear model.
    rare = [(250, 40), (250, 45), *EVEN[2:]]
    reason = model_refusal(request("age", "sex", logit=True), rare)
    assert reason.startswith("model: cannot be estimated: nearly nobody or everybody with 'age=18-39 × sex=")
    assert reason.endswith("so read the linear model")
    assert fit_model(request("age", "sex"), pattern_counts_of(request("age", "sex"), rare), LAW).n


def test_wrong_model_is_refused_in_one_line() -> None:
    """12 questions of two choices are 4,096 patterns, with 13 coefficients."""
    cases: list[tuple[str, str, dict[str, Any], str]] = [
        ("theft=yes", "theft", {}, "covariates: 'theft' is sensitive: use a question that is not disguised"),
        ("theft=yes", "income", {}, "covariates: the design has no question 'income'"),
        ("theft=yes", "age age", {}, "covariates: a covariate appears twice"),
        ("theft=maybe", "age", {}, "item: the design has no answer 'theft=maybe': write it as theft=yes"),
        ("sex=m", "age", {}, "item: 'sex=m' is not disguised"),
        ("theft=yes", "age", {"among": ["drugs=yes"]}, "among: 'drugs=yes' is sensitive"),
        ("theft=yes", "age", {"numbers": ["sex"]}, "number: 'sex' is not among the covariates"),
        ("theft=yes", "sex", {"numbers": ["sex"]}, "number: 'sex' is no scale"),
        ("theft=yes", "age sex", {"products": ["age"]}, "product: 'age' is no product of two covariates"),
        ("theft=yes", "age sex", {"products": ["age*age"]}, "product: 'age*age' is no product"),
        ("theft=yes", "age", {"products": ["age*sex"]}, "product: 'age*sex' is no product"),
    ]
    for item, on, more, reason in cases:
        said = refusal(read_request, STUDY, item, on.split(), **more)
        assert said.startswith(reason), (item, on)
        assert "\n" not in said

    def read(questions: int, choices: int, asked: int) -> ModelRequest:
        names = [f"q{place}" for place in range(questions)]
        coded = [f"c{code}" for code in range(choices)]
        covariates = plain(*({"name": name, "choices": coded} for name in names))
        of = design(covariates, sensitive("0.5", question("theft", *HALF)))
        return read_request(of, "theft=yes", names[:asked])

    assert read(13, 2, 12).covariates
    assert read(1, 20, 1).covariates
    assert "have 8,192 combinations of choices, above 4,096" in refusal(read, 13, 2, 13)
    assert "make 21 coefficients, above 20" in refusal(read, 1, 21, 1)


def test_simulated_truth_is_the_models_and_a_direct_model_gives_shares() -> None:
    odds = 3 / 7
    # Who has the answer is disguised 4/7 as often: the odds, and not the slopes, are other ones.
    for of, truth in (
        (ModelSetting("linear", 0.9, 1_000, 0.1, 0.2, False), [0.1, 0.1, 0.2, 0.05]),
        (ModelSetting("logit", 0.9, 1_000, 0.3, 0.8, False), [np.log(odds), 0.4, 0.8, 0.2]),
        (ModelSetting("logit", 0.9, 1_000, 0.3, 0.8, True), [np.log(odds * 4 / 7), 0.4, 0.8, 0.2]),
    ):
        assert of.truth == pytest.approx(truth)
    found = fit_model(request("sex"), pattern_counts_of(request("sex"), [(60, 40), (70, 130)]), UNDISGUISED)
    assert [one.b for one in found.coefficients] == pytest.approx([0.4, 0.25])


@pytest.mark.proof
def test_linear_coefficients_cover_and_their_test_keeps_its_level() -> None:
    # 43 has no divisor in common with the 72.
    for number, of in enumerate(list(model_settings("linear"))[::43]):
        found = model_cell(of, 1_500, np.random.default_rng((11, number)))
        assert all(0.93 <= covered <= 0.96 for covered in found.covered), found
    of = ModelSetting("linear", 0.6923, 1_000, 0.3, 0.0, False)
    assert 0.04 <= age_test_size(of, 2_000, np.random.default_rng(12)) <= 0.06
    # Where the answer is rare the logit often has no end.
    assert no_end_rate(0.05, 0.36, 1_000, 200, np.random.default_rng(15)) > 0.5
    assert no_end_rate(0.25, 0.36, 1_000, 200, np.random.default_rng(16)) < 0.02


@pytest.mark.night
@pytest.mark.proof
def test_logit_covers_also_where_openness_depends_on_the_answer() -> None:
    for number, keep in enumerate((0.9, 0.6923)):
        of = ModelSetting("logit", keep, 4_000, 0.3, 0.8, True)
        found = model_cell(of, 2_500, np.random.default_rng((13, number)))
        assert all(0.93 <= covered <= 0.97 for covered in found.covered), found
    of = ModelSetting("logit", 0.6923, 1_000, 0.3, 0.0, False)
    assert 0.04 <= age_test_size(of, 4_000, np.random.default_rng(14)) <= 0.06


AGE, SEX = np.divmod(np.arange(6), 2)
COLUMNS = np.stack([np.ones(6), AGE == 1, AGE == 2, SEX == 1], axis=1).astype(float)
OF_AGE = np.array([False, True, True, False])


def scores_of(formula: str) -> PatternScores:
    of = vectors(formula)[0]["inputs"]
    return pattern_scores(of["n"], of["yes"], AnswerLaw(of["keep"], (1 - of["keep"]) * of["theta"]))


def test_maximum_likelihood_logit_matches_the_vectors() -> None:
    for method, name, within in ((LINEAR, "linear", 2e-9), (LOGIT, "logit", 2e-8)):
        expected = vectors(f"3.8 models {name}")[0]["expected"]
        found = fit_coefficients(method, scores_of(f"3.8 models {name}"), COLUMNS)
        assert found.b == pytest.approx(expected["b"], abs=within)
        assert found.se == pytest.approx(expected["se"], abs=within)
        if "p_age" in expected:
            assert wald_test(found, OF_AGE).p == pytest.approx(expected["p_age"], abs=2e-9)
    expected = vectors("3.8 models logit score test of age")[0]["expected"]
    scored = scores_of("3.8 models logit score test of age")
    full = fit_coefficients(LOGIT, scored, COLUMNS)
    # Which does not depend on its start.
    for start in (full.approximate_fit_without(OF_AGE), np.zeros(2)):
        tested = score_test(LOGIT, scored, COLUMNS, OF_AGE, start)
        stated = expected["statistic"], expected["df"]
        assert (tested.statistic, tested.df) == pytest.approx(stated, abs=2e-8)
        assert tested.p == pytest.approx(expected["p"], abs=2e-9)
    # Within a fifth of an error of the maximum of the likelihood that RRlog of the R package RRreg takes.
    for of in reference_settings():
        law = AnswerLaw(of["keep"], (1 - of["keep"]) * of["theta"])
        found = fit_coefficients(LOGIT, pattern_scores(of["n"], of["yes"], law), COLUMNS)
        theirs, errors = np.array(of["logit"]["b"]), np.array(of["logit"]["se"])
        assert (abs(found.b - theirs) < errors / 5).all(), of
        assert found.se == pytest.approx(errors, rel=0.05), of


def test_linear_coefficients_match_records_written_out() -> None:
    n, yes = [30, 20, 25, 40, 15, 50], [12, 9, 8, 30, 5, 20]
    scored = pattern_scores(n, yes, AnswerLaw(0.5, 0.25))
    has = np.concatenate([np.repeat([1.0, 0.0], [some, of - some]) for of, some in zip(n, yes, strict=True)])
    z, rows = (has - 0.25) / 0.5, np.repeat(COLUMNS, n, axis=0)
    b, *_rest = np.linalg.lstsq(rows, z, rcond=None)
    residual = z - rows @ b
    bread = np.linalg.inv(rows.T @ rows)
    variance = bread @ (rows.T @ (residual[:, None] ** 2 * rows)) @ bread * 180 / 176
    found = fit_coefficients(LINEAR, scored, COLUMNS)
    assert found.b == pytest.approx(b)
    assert found.variance == pytest.approx(variance)
    statistic = b[1:3] @ np.linalg.inv(variance[1:3, 1:3]) @ b[1:3]
    assert wald_test(found, OF_AGE).statistic == pytest.approx(statistic)
    # A saturated model gives each cell its share.
    full = np.concatenate([COLUMNS, COLUMNS[:, 1:3] * COLUMNS[:, 3:]], axis=1)
    assert fit_coefficients(LINEAR, scored, full).mean == pytest.approx(scored.first / scored.records)


def test_products_are_tested_without_fitting_them() -> None:
    """With robust variances of the restricted fit; for plain normal equations the statistic by hand."""
    scored = pattern_scores([300, 200, 250, 400, 150, 500], [120, 90, 80, 300, 50, 200], AnswerLaw(0.5, 0.25))
    of = fit_coefficients(LINEAR, scored, COLUMNS)
    products = COLUMNS[:, 1:3] * COLUMNS[:, 3:]
    found = added_columns_test(LINEAR, scored, COLUMNS, of.mean, products)
    full = np.concatenate([COLUMNS, products], axis=1)
    same = score_test(LINEAR, scored, full, np.array([False] * 4 + [True] * 2), np.zeros(4))
    assert found == same
    assert found.df == 2
    # Frisch and Waugh: the products without what the other columns say of them.
    n = scored.records[:, None]
    left = products - COLUMNS @ np.linalg.solve(COLUMNS.T @ (n * COLUMNS), COLUMNS.T @ (n * products))
    u = left.T @ (scored.first - scored.records * of.mean)
    squares = scored.second - 2 * of.mean * scored.first + of.mean**2 * scored.records
    assert found.statistic == pytest.approx(u @ np.linalg.solve(left.T @ (squares[:, None] * left), u))


def test_product_equal_to_another_is_not_tested_twice() -> None:
    """Of those with a = yes b and c are the same, so a*b and a*c are one column."""
    binary = [{"name": name, "choices": ["no", "yes"]} for name in "abc"]
    of = read_request(
        design(plain(*binary), sensitive("0.6923", question("theft", *HALF))), "theft=yes", ["a", "b", "c"]
    )
    cells = [
        (0, 0) if a and b != c else (200, 150 + 10 * a + 5 * b) for a, b, c in product(range(2), repeat=3)
    ]
    found = fit_model(of, pattern_counts_of(of, cells), LAW).fit
    assert found
    assert (found.df, found.products) == (2, ("a*b", "a*c", "b*c"))


def test_unbounded_likelihood_is_refused() -> None:
    # Of 60 records of the last age fewer say yes than noise alone would: the score's mean is below 0.
    scored = pattern_scores([300, 300, 300, 300, 60, 60], [150, 150, 150, 150, 5, 6], AnswerLaw(0.5, 0.25))
    with pytest.raises(NoMaximum) as refused:
        fit_coefficients(LOGIT, scored, COLUMNS)
    assert refused.value.pattern in (4, 5)
    assert np.isfinite(fit_coefficients(LINEAR, scored, COLUMNS).b).all()
    # Everybody says yes; columns that hardly differ.
    with pytest.raises(NoMaximum):
        fit_coefficients(LOGIT, pattern_scores([50, 50], [50, 20], UNDISGUISED), np.array([[1.0, 0], [1, 1]]))
    columns = np.array([[1.0, 0, 0], [1, 1, 1], [1, 0, 1e-7]])
    with pytest.raises(NoMaximum):
        fit_coefficients(LOGIT, pattern_scores([100, 100, 100], [40, 50, 60], UNDISGUISED), columns)


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(5))
def test_direct_answers_give_statsmodels_logit(seed: int) -> None:
    """Coefficients, robust errors (HC1) and the linear model, record by record."""
    import statsmodels.api as sm  # late for cost

    rng = np.random.default_rng(100 + seed)
    records = rng.integers(40, 400, 6)
    having = rng.binomial(records, 1 / (1 + np.exp(-(COLUMNS @ rng.normal(0, 0.7, 4)))))
    rows = np.repeat(COLUMNS, records, axis=0)
    of = zip(records, having, strict=True)
    answers = np.concatenate([np.repeat([1.0, 0.0], [yes, n - yes]) for n, yes in of])
    scored = pattern_scores(records.tolist(), having.tolist(), UNDISGUISED)
    logit = sm.Logit(answers, rows).fit(disp=0, tol=1e-12, cov_type="HC0")
    ours, factor = fit_coefficients(LOGIT, scored, COLUMNS), np.sqrt(len(rows) / (len(rows) - 4))
    assert ours.b == pytest.approx(logit.params, abs=1e-6)
    assert ours.se == pytest.approx(logit.bse * factor, abs=1e-6)
    linear = sm.OLS(answers, rows).fit(cov_type="HC1")
    flat = fit_coefficients(LINEAR, scored, COLUMNS)
    assert flat.b == pytest.approx(linear.params, abs=1e-9)
    assert flat.se == pytest.approx(linear.bse, abs=1e-9)
    without = fit_coefficients(LOGIT, scored, COLUMNS[:, ~OF_AGE])
    test = score_test(LOGIT, scored, COLUMNS, OF_AGE, without.b)
    null = sm.Logit(answers, rows[:, ~OF_AGE]).fit(disp=0, tol=1e-12)
    residual = (answers - null.predict())[:, None]
    u, weight = (rows * residual).sum(axis=0), (null.predict() * (1 - null.predict()))[:, None]
    hessian, squares = rows.T @ (weight * rows), (rows * residual).T @ (rows * residual)
    others = -hessian[OF_AGE][:, ~OF_AGE] @ np.linalg.inv(hessian[~OF_AGE][:, ~OF_AGE])
    through = np.concatenate([others, np.eye(2)], axis=1)
    order = np.concatenate([np.flatnonzero(~OF_AGE), np.flatnonzero(OF_AGE)])
    variance = through @ squares[np.ix_(order, order)] @ through.T
    expected = u[OF_AGE] @ np.linalg.solve(variance, u[OF_AGE])
    assert test.statistic == pytest.approx(expected, rel=1e-6)
