"""Coefficients of shares: vectors, records written out, another way to fit, simulations."""

import numpy as np
import pytest

from mining.studies.answer_counts_by_plain_pattern import PatternScores
from mining.studies.estimating_equations import (
    LINEAR,
    LOGIT,
    NoMaximum,
    added_columns_test,
    fit_coefficients,
    score_test,
    wald_test,
)
from mining.studies.single_answer_estimates import UNDISGUISED, AnswerLaw
from tests.mining.studies.patterned import reference_settings, scores, vectors

AGE, SEX = np.divmod(np.arange(6), 2)
COLUMNS = np.stack([np.ones(6), AGE == 1, AGE == 2, SEX == 1], axis=1).astype(float)
OF_AGE = np.array([False, True, True, False])


def scores_of(formula: str) -> PatternScores:
    of = vectors(formula)[0]["inputs"]
    return scores(of["n"], of["yes"], AnswerLaw(of["keep"], (1 - of["keep"]) * of["theta"]))


def test_the_linear_vector() -> None:
    expected = vectors("3.8 models linear")[0]["expected"]
    found = fit_coefficients(LINEAR, scores_of("3.8 models linear"), COLUMNS)
    assert found.b == pytest.approx(expected["b"], abs=2e-9)
    assert found.se == pytest.approx(expected["se"], abs=2e-9)
    assert wald_test(found, OF_AGE).p == pytest.approx(expected["p_age"], abs=2e-9)


def test_the_logit_vector() -> None:
    expected = vectors("3.8 models logit")[0]["expected"]
    found = fit_coefficients(LOGIT, scores_of("3.8 models logit"), COLUMNS)
    assert found.b == pytest.approx(expected["b"], abs=2e-8)
    assert found.se == pytest.approx(expected["se"], abs=2e-8)


def test_disguised_answers_give_the_logit_of_maximum_likelihood(subtests: pytest.Subtests) -> None:
    """Within a fifth of an error of the maximum of the likelihood that RRlog of the R package RRreg takes."""
    for of in reference_settings():
        with subtests.test(f"{of!r:.60}"):
            law = AnswerLaw(of["keep"], (1 - of["keep"]) * of["theta"])
            found = fit_coefficients(LOGIT, scores(of["n"], of["yes"], law), COLUMNS)
            theirs, errors = np.array(of["logit"]["b"]), np.array(of["logit"]["se"])
            assert (abs(found.b - theirs) < errors / 5).all()
            assert found.se == pytest.approx(errors, rel=0.05)


def test_the_score_test_vector() -> None:
    expected = vectors("3.8 models logit score test of age")[0]["expected"]
    scored = scores_of("3.8 models logit score test of age")
    full = fit_coefficients(LOGIT, scored, COLUMNS)
    found = score_test(LOGIT, scored, COLUMNS, OF_AGE, full.estimates_without(OF_AGE))
    assert found.statistic == pytest.approx(expected["statistic"], abs=2e-8)
    assert found.df == expected["df"]
    assert found.p == pytest.approx(expected["p"], abs=2e-9)


def test_linear_coefficients_of_records_written_out() -> None:
    scored = scores([30, 20, 25, 40, 15, 50], [12, 9, 8, 30, 5, 20], AnswerLaw(0.5, 0.25))
    n, yes = [30, 20, 25, 40, 15, 50], [12, 9, 8, 30, 5, 20]
    has = np.concatenate([np.repeat([1.0, 0.0], [some, of - some]) for of, some in zip(n, yes, strict=True)])
    z, rows = (has - 0.25) / 0.5, np.repeat(COLUMNS, n, axis=0)
    b, *_rest = np.linalg.lstsq(rows, z, rcond=None)
    residual = z - rows @ b
    bread = np.linalg.inv(rows.T @ rows)
    variance = bread @ (rows.T @ (residual[:, None] ** 2 * rows)) @ bread * 180 / 176
    found = fit_coefficients(LINEAR, scored, COLUMNS)
    assert found.b == pytest.approx(b)
    assert found.variance == pytest.approx(variance)
    assert wald_test(found, OF_AGE).statistic == pytest.approx(
        b[1:3] @ np.linalg.inv(variance[1:3, 1:3]) @ b[1:3]
    )


def test_a_saturated_model_gives_each_cell_its_share() -> None:
    scored = scores([30, 20, 25, 40, 15, 50], [12, 9, 8, 30, 5, 20], AnswerLaw(0.5, 0.25))
    full = np.concatenate([COLUMNS, COLUMNS[:, 1:3] * COLUMNS[:, 3:]], axis=1)
    assert fit_coefficients(LINEAR, scored, full).mean == pytest.approx(scored.first / scored.records)


def test_products_are_tested_without_fitting_them() -> None:
    """With robust variances of the restricted fit; for plain normal equations the statistic by hand."""
    scored = scores([300, 200, 250, 400, 150, 500], [120, 90, 80, 300, 50, 200], AnswerLaw(0.5, 0.25))
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


def test_a_pattern_that_looks_like_nobody_has_no_end_and_is_named() -> None:
    # Of 60 records of the last age fewer say yes than noise alone would: the score's mean is below 0.
    having = [150, 150, 150, 150, 5, 6]
    scored = scores([300, 300, 300, 300, 60, 60], having, AnswerLaw(0.5, 0.25))
    with pytest.raises(NoMaximum) as refused:
        fit_coefficients(LOGIT, scored, COLUMNS)
    assert refused.value.pattern in (4, 5)
    assert np.isfinite(fit_coefficients(LINEAR, scored, COLUMNS).b).all()


def test_everybody_has_no_end_either() -> None:
    with pytest.raises(NoMaximum):
        fit_coefficients(LOGIT, scores([50, 50], [50, 20], UNDISGUISED), np.array([[1.0, 0], [1, 1]]))


def test_columns_that_hardly_differ_have_no_end() -> None:
    columns = np.array([[1.0, 0, 0], [1, 1, 1], [1, 0, 1e-7]])
    with pytest.raises(NoMaximum):
        fit_coefficients(LOGIT, scores([100, 100, 100], [40, 50, 60], UNDISGUISED), columns)


def test_the_score_test_does_not_depend_on_its_start() -> None:
    scored = scores([300, 200, 250, 400, 150, 500], [120, 90, 80, 300, 50, 200], AnswerLaw(0.5, 0.25))
    full = fit_coefficients(LOGIT, scored, COLUMNS)
    near, far = (
        score_test(LOGIT, scored, COLUMNS, OF_AGE, start)
        for start in (full.estimates_without(OF_AGE), np.zeros(2))
    )
    assert near.statistic == pytest.approx(far.statistic, rel=1e-8)


@pytest.mark.proof
def test_direct_answers_give_the_logit_of_statsmodels(subtests: pytest.Subtests) -> None:
    """Coefficients, robust errors (HC1) and the linear model, record by record."""
    for seed in range(5):
        with subtests.test(f"{seed}"):
            import statsmodels.api as sm  # late for cost

            rng = np.random.default_rng(100 + seed)
            records = rng.integers(40, 400, 6)
            having = rng.binomial(records, 1 / (1 + np.exp(-(COLUMNS @ rng.normal(0, 0.7, 4)))))
            rows = np.repeat(COLUMNS, records, axis=0)
            answers = np.concatenate(
                [np.repeat([1.0, 0.0], [yes, n - yes]) for n, yes in zip(records, having, strict=True)]
            )
            scored = scores(records.tolist(), having.tolist(), UNDISGUISED)
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
            through = np.concatenate(
                [-hessian[OF_AGE][:, ~OF_AGE] @ np.linalg.inv(hessian[~OF_AGE][:, ~OF_AGE]), np.eye(2)],
                axis=1,
            )
            order = np.concatenate([np.flatnonzero(~OF_AGE), np.flatnonzero(OF_AGE)])
            variance = through @ squares[np.ix_(order, order)] @ through.T
            expected = u[OF_AGE] @ np.linalg.solve(variance, u[OF_AGE])
            assert test.statistic == pytest.approx(expected, rel=1e-6)
