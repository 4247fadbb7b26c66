"""Models by names: columns, floors, refusals, tests; their coverage in simulations."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from bench.coverage.models import ModelSetting, age_test_size, model_cell, model_settings, no_end_rate
from mining.report.regression_nodes import ModelResult
from mining.studies.answer_counts_by_plain_pattern import PatternCounts
from mining.studies.covariates import ModelRequest, model_columns, read_request
from mining.studies.model_fits import fit_model
from mining.studies.single_answer_estimates import UNDISGUISED
from privacy.designs import InputError
from tests.mining.studies.patterned import LAW, STUDY, vectors
from tests.privacy.questionnaires import HALF, design, plain, question, sensitive

Cells = Sequence[tuple[int, int]]
"""By pattern the records without and with the answer."""


def request(*on: str, **more: Any) -> ModelRequest:
    return read_request(STUDY, "theft=yes", on, **more)


def counted(of: ModelRequest, cells: Cells, *, direct: Cells | None = None) -> PatternCounts:
    """`cells`: by pattern the records without and with the answer."""
    counts = PatternCounts.zeros(of.design, of.item, of.questions, of.among)
    counts.counts[:, 1, :2] = cells
    if direct:
        counts.counts[:, 0, :2] = direct
    return counts


EVEN = [(150, 60), (140, 90), (160, 80), (150, 100), (130, 90), (140, 110)]
"""Age by sex."""


def test_coefficients_have_the_names_of_their_items() -> None:
    of = request("age", "sex", products=["sex*age"])
    columns = model_columns(of, PatternCounts.zeros(STUDY, of.item, of.questions).codes)
    assert columns.names == ("1", "age=40-59", "age=60+", "sex=m", "age=40-59*sex=m", "age=60+*sex=m")
    assert columns.values[:, 2].tolist() == [0, 0, 0, 0, 1, 1]
    assert columns.values[:, 5].tolist() == [0, 0, 0, 0, 0, 1]
    of = request("age", "sex", numbers=["age"], products=["age*sex"])
    columns = model_columns(of, PatternCounts.zeros(STUDY, of.item, of.questions).codes)
    assert columns.names == ("1", "age", "sex=m", "age*sex=m")
    assert columns.values[:, 3].tolist() == [0, 0, 0, 1, 0, 2]


@pytest.mark.parametrize("formula", ["linear", "logit"])
def test_the_vectors_by_names(formula: str) -> None:
    (vector,) = vectors(f"3.8 models {formula}")
    of, expected = request("age", "sex", logit=formula == "logit"), vector["expected"]
    inputs = vector["inputs"]
    cells = [(n - yes, yes) for n, yes in zip(inputs["n"], inputs["yes"], strict=True)]
    found = fit_model(of, counted(of, cells), LAW)
    assert [one.of for one in found.coefficients] == ["1", "age=40-59", "age=60+", "sex=m"]
    assert [one.b for one in found.coefficients] == pytest.approx(expected["b"], abs=2e-8)
    assert [one.se for one in found.coefficients] == pytest.approx(expected["se"], abs=2e-8)
    assert (found.n, found.patterns) == (1_000, 6)
    age, sex = found.terms
    assert (age.of, age.df, sex.of, sex.df) == ("age", 2, "sex", 1)
    p_of_age = {"linear": 0.000456087, "logit": 0.000536476}[formula]
    assert age.p == pytest.approx(p_of_age, abs=2e-9)
    assert sex.p == pytest.approx(found.coefficients[3].p)
    low, high = found.coefficients[1].low, found.coefficients[1].high
    assert (low + high) / 2 == pytest.approx(found.coefficients[1].b)
    assert high - low == pytest.approx(2 * 1.96 * found.coefficients[1].se)


def test_the_fit_is_tested_with_all_products_that_hold_the_floors() -> None:
    of = request("age", "sex")
    found = fit_model(of, counted(of, EVEN), LAW)
    assert found.fit
    assert (found.fit.df, found.fit.products, found.fit.left_out) == (2, ("age*sex",), ())
    few = [(150, 60), (140, 90), (160, 80), (150, 100), (130, 90), (20, 20)]
    assert fit_model(of, counted(of, few), LAW).fit is None
    every = request("age", "sex", products=["age*sex"])
    assert fit_model(every, counted(every, EVEN), LAW).fit is None


def test_a_model_with_a_product_that_matters_does_not_fit_without_it() -> None:
    crossed = [(900, 100), (100, 900)] * 2 + [(100, 900), (900, 100)]
    of = request("age", "sex")
    found = fit_model(of, counted(of, crossed), LAW)
    assert found.fit
    assert found.fit.p < 1e-6


def test_the_arm_is_a_covariate_of_both_arms() -> None:
    of = request("sex", by_arm=True)
    direct, disguised = [(90, 10), (80, 20)], [(60, 40), (70, 130)]
    found = fit_model(of, counted(of, disguised, direct=direct), LAW)
    assert [one.of for one in found.coefficients] == ["1", "sex=m", "arm"]
    assert (found.n, found.patterns) == (500, 4)
    # Without the covariate sex the coefficient is the difference of the arms' mean scores.
    alone = fit_model(
        request(by_arm=True), counted(request(by_arm=True), [(130, 170)], direct=[(170, 30)]), LAW
    )
    mean = (170 / 300 - 0.15385) / 0.6923
    assert alone.coefficients[1].b == pytest.approx(mean - 0.15)
    # The disguised arm alone, where the arm is no covariate.
    assert fit_model(request("sex"), counted(request("sex"), disguised, direct=direct), LAW).n == 300


def refused(of: ModelRequest, cells: Cells, **more: Any) -> str:
    with pytest.raises(InputError) as error:
        fit_model(of, counted(of, cells, **more), LAW)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_choice_below_the_floor_is_refused_with_what_to_merge() -> None:
    few = [(150, 60), (140, 90), (160, 80), (150, 100), (10, 20), (10, 9)]
    expected = (
        "covariates: 'age=60+' has fewer than 50 records: merge 'age=60+' with 'age=40-59', or leave it out"
    )
    assert refused(request("age", "sex"), few) == expected
    # The first choice is what is left without the coefficients.
    first = [(10, 9), (15, 15), (160, 80), (150, 100), (150, 60), (140, 90)]
    assert "'age=18-39' has fewer than 50 records" in refused(request("age", "sex"), first)
    assert fit_model(
        request("age", "sex"), counted(request("age", "sex"), [(10, 9), (15, 16), *first[2:]]), LAW
    ).n


def test_every_combination_of_a_product_needs_its_records() -> None:
    few = [(150, 60), (140, 90), (160, 80), (150, 100), (25, 24), (140, 110)]
    of = request("age", "sex", products=["age*sex"])
    assert "'age=60+ × sex=f' has fewer than 50 records" in refused(of, few)
    assert fit_model(request("age", "sex"), counted(request("age", "sex"), few), LAW).n


def test_of_a_number_all_but_each_choice_need_records() -> None:
    """Nearly everybody in one choice: a few others would stand alone behind the slope."""
    lonely = [(900, 90), (140, 90), (10, 9), (10, 10), (2, 3), (2, 3)]
    of = request("age", "sex", numbers=["age"])
    assert "'age≠18-39' has fewer than 50 records" in refused(of, lonely)
    assert fit_model(of, counted(of, [*lonely[:3], (10, 11), *lonely[4:]]), LAW).n


def test_direct_answers_need_more_than_nineteen() -> None:
    of = request("sex", by_arm=True)
    disguised = [(60, 40), (70, 130)]
    assert "'sex=m' has fewer than 20 direct records" in refused(of, disguised, direct=[(90, 10), (10, 9)])
    assert fit_model(of, counted(of, disguised, direct=[(90, 10), (10, 10)]), LAW).n
    # A choice that nobody of the direct arm has shows nobody's direct answer.
    assert fit_model(of, counted(of, disguised, direct=[(90, 10), (0, 0)]), LAW).n


def test_a_constant_covariate_is_refused() -> None:
    expected = "covariates: 'sex' is constant: all records have 'sex=m', so leave it out"
    assert refused(request("age", "sex"), [(0, 0), (90, 60)] * 3) == expected


def test_a_collinear_covariate_is_refused() -> None:
    # Employed are exactly the men: work says what sex says.
    cells = [(0, 0), (90, 60), (80, 50), (0, 0)]
    of = request("sex", "work")
    assert (
        refused(of, cells)
        == "covariates: 'work=not' follows from the covariates before it: leave one of them out"
    )


def test_without_records_nothing_is_fitted() -> None:
    reason = refused(request("sex"), [(0, 0), (0, 0)])
    assert reason == "model: fewer than 50 records answer the item and all covariates: choose others"
    # Before a constant covariate is named, which would say what few people answered.
    assert refused(request("sex"), [(0, 0), (20, 29)]) == reason


def test_a_logit_without_end_names_the_pattern_and_offers_the_linear_model() -> None:
    rare = [(250, 40), (250, 45), (160, 80), (150, 100), (130, 90), (140, 110)]
    reason = refused(request("age", "sex", logit=True), rare)
    assert reason.startswith("model: cannot be estimated: nearly nobody or everybody with 'age=18-39 × sex=")
    assert reason.endswith("so read the linear model")
    assert fit_model(request("age", "sex"), counted(request("age", "sex"), rare), LAW).n


def test_what_is_wrong_is_refused_in_one_line(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, list[str], dict[str, Any], str]] = [
        (
            "theft=yes",
            ["theft"],
            {},
            "covariates: 'theft' is sensitive: use a question that is not disguised",
        ),
        ("theft=yes", ["income"], {}, "covariates: the design has no question 'income'"),
        ("theft=yes", ["age", "age"], {}, "covariates: a covariate appears twice"),
        ("theft=maybe", ["age"], {}, "item: the design has no answer 'theft=maybe': write it as theft=yes"),
        ("sex=m", ["age"], {}, "item: 'sex=m' is not disguised"),
        ("theft=yes", ["age"], {"among": ["drugs=yes"]}, "among: 'drugs=yes' is sensitive"),
        ("theft=yes", ["age"], {"numbers": ["sex"]}, "number: 'sex' is not among the covariates"),
        ("theft=yes", ["sex"], {"numbers": ["sex"]}, "number: 'sex' is no scale"),
        (
            "theft=yes",
            ["age", "sex"],
            {"products": ["age"]},
            "product: 'age' is no product of two covariates",
        ),
        ("theft=yes", ["age", "sex"], {"products": ["age*age"]}, "product: 'age*age' is no product"),
        ("theft=yes", ["age"], {"products": ["age*sex"]}, "product: 'age*sex' is no product"),
    ]
    for item, on, more, reason in cases:
        with subtests.test(f"{item!r:.60} {on!r:.60}"):
            with pytest.raises(InputError) as error:
                read_request(STUDY, item, on, **more)
            assert str(error.value).startswith(reason)


def wide(questions: int, choices: int) -> Any:
    names = [
        {"name": f"q{place}", "choices": [f"c{code}" for code in range(choices)]}
        for place in range(questions)
    ]
    return design(plain(*names), sensitive("0.5", question("theft", *HALF)))


def test_at_most_twenty_coefficients_and_4096_patterns() -> None:
    """12 questions of two choices are 4,096 patterns, with 13 coefficients."""
    of = wide(13, 2)
    assert read_request(of, "theft=yes", [f"q{place}" for place in range(12)]).covariates
    with pytest.raises(InputError, match="have 8,192 combinations of choices, above 4,096"):
        read_request(of, "theft=yes", [f"q{place}" for place in range(13)])
    assert read_request(wide(1, 20), "theft=yes", ["q0"]).covariates
    with pytest.raises(InputError, match="make 21 coefficients, above 20"):
        read_request(wide(1, 21), "theft=yes", ["q0"])


def test_the_truth_of_the_simulations_is_the_models() -> None:
    of = ModelSetting("linear", 0.9, 1_000, 0.1, 0.2, False)
    assert of.truth == pytest.approx([0.1, 0.1, 0.2, 0.05])
    of = ModelSetting("logit", 0.9, 1_000, 0.3, 0.8, False)
    assert of.truth == pytest.approx([np.log(3 / 7), 0.4, 0.8, 0.2])
    # Who has the answer is disguised 4/7 as often: the odds, and not the slopes, are other ones.
    of = ModelSetting("logit", 0.9, 1_000, 0.3, 0.8, True)
    assert of.truth == pytest.approx([np.log(3 / 7 * 4 / 7), 0.4, 0.8, 0.2])


def as_numbers(found: ModelResult) -> list[float]:
    return [one.b for one in found.coefficients]


def test_a_direct_model_is_that_of_the_shares() -> None:
    of = request("sex")
    assert as_numbers(fit_model(of, counted(of, [(60, 40), (70, 130)]), UNDISGUISED)) == pytest.approx(
        [0.4, 0.25]
    )


@pytest.mark.proof
def test_linear_coefficients_cover_and_their_test_has_its_size() -> None:
    # 43 has no divisor in common with the 72.
    for number, of in enumerate(list(model_settings("linear"))[::43]):
        found = model_cell(of, 1_500, np.random.default_rng((11, number)))
        assert all(0.93 <= covered <= 0.96 for covered in found.covered), found
    of = ModelSetting("linear", 0.6923, 1_000, 0.3, 0.0, False)
    assert 0.04 <= age_test_size(of, 2_000, np.random.default_rng(12)) <= 0.06


@pytest.mark.night
@pytest.mark.proof
def test_the_logit_covers_also_where_openness_depends_on_the_answer() -> None:
    for number, keep in enumerate((0.9, 0.6923)):
        of = ModelSetting("logit", keep, 4_000, 0.3, 0.8, True)
        found = model_cell(of, 2_500, np.random.default_rng((13, number)))
        assert all(0.93 <= covered <= 0.97 for covered in found.covered), found
    of = ModelSetting("logit", 0.6923, 1_000, 0.3, 0.0, False)
    assert 0.04 <= age_test_size(of, 4_000, np.random.default_rng(14)) <= 0.06


@pytest.mark.proof
def test_where_the_answer_is_rare_the_logit_often_has_no_end() -> None:
    assert no_end_rate(0.05, 0.36, 1_000, 200, np.random.default_rng(15)) > 0.5
    assert no_end_rate(0.25, 0.36, 1_000, 200, np.random.default_rng(16)) < 0.02
