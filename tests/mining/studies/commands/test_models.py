"""candor model."""

import pytest

from tests.mining.studies.commands.conftest import AGE, HEADER, SEX, SURVEY, cell, shares
from tests.privacy.questionnaires import plain
from tests.runs.working import Folder

pytestmark = pytest.mark.proof


# (.4 - .25) / .5 = .3, (.5 - .25) / .5 = .5, and so on: women .3 and .5, men .1 and .3.
RECORDS = shares(f1=0.4, f2=0.5, m1=0.3, m2=0.4)
MODEL = ("model", "design.json", "records.csv", "--item", "theft=yes")
ARMS = {**SURVEY, "open_answers": False, "direct": "0.5"}
WITHOUT_60 = {
    **SURVEY,
    "sections": [plain({**AGE, "choices": AGE["choices"][:2]}, SEX), SURVEY["sections"][1]],
}


def test_the_linear_model_by_hand(folder: Folder) -> None:
    """Two thirds of the effects are exact: age adds .2, being a man takes .2 away."""
    found = (
        folder.write_all(design=WITHOUT_60, records=RECORDS).run(*MODEL, "--on", "age", "--on", "sex").said
    )
    assert list(found) == ["n", "patterns", "coefficients", "terms", "fit"]
    assert (found["n"], found["patterns"]) == (800, 4)
    assert [list(of) for of in found["coefficients"]] == [
        ["of", "b", "se", "low", "high", "p", "item", "n", "population"]
    ] * 3
    assert {of["of"]: of["b"] for of in found["coefficients"]} == pytest.approx(
        {"1": 0.3, "age=40-59": 0.2, "sex=m": -0.2}
    )
    for of in found["coefficients"]:
        assert of["low"] == pytest.approx(of["b"] - 1.96 * of["se"])
        assert of["high"] == pytest.approx(of["b"] + 1.96 * of["se"])
    assert [(term["of"], term["df"]) for term in found["terms"]] == [("age", 1), ("sex", 1)]
    assert (found["fit"]["products"], found["fit"]["df"]) == (["age*sex"], 1)
    assert found["fit"]["p"] == pytest.approx(1)


def test_products_numbers_filters_and_logits_are_asked_for(folder: Folder) -> None:
    folder.write_all(design=WITHOUT_60, records=RECORDS)
    names = [
        of["of"]
        for of in folder.run(*MODEL, "--on", "age", "--on", "sex", "--product", "age*sex", "--logit").said[
            "coefficients"
        ]
    ]
    assert names == ["1", "age=40-59", "sex=m", "age=40-59*sex=m"]
    by_number = folder.run(*MODEL, "--on", "age", "--number", "age", "--among", "sex=f").said
    assert {of["of"]: of["b"] for of in by_number["coefficients"]} == pytest.approx({"1": 0.3, "age": 0.2})
    assert by_number["n"] == 400
    for one in (*by_number["coefficients"], *by_number["terms"]):
        assert (one["item"], one["n"], one["population"]) == ("theft=yes", 400, "disguised")
        assert one["among"] == ["sex=f"]


def test_open_records_enter_no_model(folder: Folder) -> None:
    more = [*RECORDS, *cell("open", "18-39", "f", 1.0, 300)]
    folder.write_all(design=WITHOUT_60, records=RECORDS, more=more)
    asked = ("--item", "theft=yes", "--on", "sex")
    alone, beside = (
        folder.run("model", "design.json", f"{name}.csv", *asked).said for name in ("records", "more")
    )
    assert alone == beside


def test_the_arm_is_a_covariate_only_if_asked_for(folder: Folder) -> None:
    """Direct: women .1; so the disguised arm adds .2 to women."""
    direct = [*cell("direct", "18-39", "f", 0.1, 100), *cell("direct", "18-39", "m", 0.1, 100)]
    both = [
        HEADER,
        *direct,
        *cell("disguised", "18-39", "f", 0.4, 200),
        *cell("disguised", "18-39", "m", 0.4, 200),
    ]
    folder.write_all(design=ARMS, records=both)
    alone = folder.run(*MODEL, "--on", "sex").said
    assert (alone["n"], alone["coefficients"][0]["population"]) == (400, "disguised arm")
    found = folder.run(*MODEL, "--on", "arm").said
    assert (found["n"], found["terms"][0]["population"]) == (600, "both arms")
    assert {of["of"]: of["b"] for of in found["coefficients"]} == pytest.approx({"1": 0.1, "arm": 0.2})


def test_the_arm_needs_the_plain_answers_of_direct_records(folder: Folder) -> None:
    withheld = [HEADER, "direct,?,?,no", *RECORDS[1:]]
    refusal = folder.write_all(design=ARMS, records=withheld).run(*MODEL, "--on", "arm").refusal
    assert (
        "covariates: the file withholds what direct records say without disguise: leave the arm out"
        in refusal
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--on", "arm"), "covariates: the design has no question 'arm'"),
        (("--on", "age", "--among", "age=18-39"), "covariates: 'age' is constant"),
    ],
)
def test_what_is_no_model_is_refused(folder: Folder, asked: tuple[str, ...], said: str) -> None:
    assert said in folder.write_all(design=WITHOUT_60, records=RECORDS).run(*MODEL, *asked).refusal
