"""Estimates from data frames by formulas, by hand and beside statsmodels."""

from math import inf, log, nan
from typing import Literal

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import candor
from tests.privacy.questionnaires import refusal

pytestmark = pytest.mark.page
HALF = candor.unrelated_question(0.5, 0.5)
COUNTS = {("f", 1): 36, ("f", 0): 64, ("m", 1): 60, ("m", 0): 40}
FRAME = pd.DataFrame([key for key, count in COUNTS.items() for _ in range(count)], columns=["sex", "theft"])


@pytest.fixture
def people_in_places() -> pd.DataFrame:
    """300 people in 30 places, with weights, ages and two samples."""
    rng = np.random.default_rng(3)
    columns = {
        "theft": rng.integers(0, 2, 300),
        "sex": rng.choice(["f", "m"], 300),
        "age": rng.uniform(18, 80, 300),
    }
    more = {
        "weight": rng.choice([1.0, 3.0], 300),
        "place": np.arange(300) // 10,
        "sample": np.arange(300) % 2,
    }
    return pd.DataFrame({**columns, **more})


def test_shares_by_group_match_the_counts() -> None:
    found = candor.shares("theft ~ sex", FRAME, HALF)
    table = found.to_frame()
    expected = candor.count_shares([36, 60], 100, HALF)
    assert table["sex"].tolist() == ["f", "m"]
    pd.testing.assert_frame_equal(table[["share", "se", "low", "high"]], expected.drop(columns="n"))
    assert repr(found) == "<shares: 2 rows, n 200, level 0.95, left out: none>"
    assert "score intervals within [0, 1], level 0.95" in str(found)
    assert candor.shares("theft ~ 1", FRAME, HALF).to_frame()["share"].item() == pytest.approx(0.46)


def test_turned_law_and_other_words_for_yes_count_the_same() -> None:
    words = FRAME.assign(theft=FRAME["theft"].map({0: "No", 1: "YES"}), other=2 - FRAME["theft"])
    law = candor.warner(0.2)
    expected = candor.count_shares([36, 60], 100, law)["share"].tolist()
    for formula, frame, yes in (("theft ~ sex", words, None), ("other ~ sex", words, 1)):
        found = candor.shares(formula, frame, law, yes=yes).to_frame()
        assert found["share"].tolist() == pytest.approx(expected)
    assert "name the value that is a yes" in refusal(candor.shares, "other ~ sex", words, law)


def test_rows_without_a_value_are_dropped_and_counted() -> None:
    frame = FRAME.assign(age=20.0, lying=1.0)
    frame.loc[:2, "theft"], frame.loc[2:3, "sex"], frame.loc[:9, "lying"] = nan, None, nan
    found = candor.shares("theft + lying ~ sex", frame, {"theft": HALF, "lying": candor.warner(0.9)})
    assert found.left_out == {"no theft": 3, "no sex": 2, "no lying": 10}
    assert (found.n, found.to_frame()["n"].tolist()) == (196, [96, 100, 90, 100])


def test_weights_and_clusters_may_be_columns() -> None:
    """36 of 100 and 60 of 100 with weights 3 and 1: .42 received. Each person twice: the clusters have n - 1."""
    weighted = FRAME.assign(w=np.where(FRAME["sex"] == "f", 3.0, 1.0))
    (row,) = candor.shares("theft ~ 1", weighted, HALF, weights="w").to_frame().to_dict("records")
    assert row["share"] == pytest.approx((0.42 - 0.25) / 0.5)
    # 400^2 / (100 * 9 + 100), as Kish has it.
    assert row["effective"] == pytest.approx(160)
    assert row["low"] < row["share"] < row["high"]
    twice = pd.concat([FRAME.assign(person=range(200))] * 2)
    (row,) = candor.shares("theft ~ 1", twice, HALF, clusters="person").to_frame().to_dict("records")
    assert row["effective"] == pytest.approx(199)
    assert "at least 0" in refusal(candor.shares, "theft ~ 1", weighted.assign(w=-1), HALF, weights="w")


def test_two_samples_give_the_share_of_an_unknown_question() -> None:
    """.7 .2 + .3 .6 and .3 .2 + .7 .6 say yes, where a fifth have the attribute and .6 affirm the other question."""
    counts = {("A", 1): 320, ("A", 0): 680, ("B", 1): 480, ("B", 0): 520}
    frame = pd.DataFrame(
        [key for key, count in counts.items() for _ in range(count)], columns=["sample", "theft"]
    )
    laws = {"A": candor.unrelated_question(0.7), "B": candor.unrelated_question(0.3)}
    (row,) = candor.shares("theft ~ 1", frame, laws, law_by="sample").to_frame().to_dict("records")
    assert row["share"] == pytest.approx(0.2)
    error = ((0.7**2 * 0.32 * 0.68 + 0.3**2 * 0.48 * 0.52) / 1_000) ** 0.5 / 0.4
    assert (row["se"], row["high"]) == (pytest.approx(error), pytest.approx(0.2 + 1.96 * error, abs=1e-3))
    one = {"A": laws["A"], "B": laws["A"]}
    assert "two samples whose p differ" in refusal(candor.shares, "theft ~ 1", frame, one, law_by="sample")
    assert "known for a model" in refusal(candor.regress, "theft ~ 1", frame, laws, law_by="sample")


def test_law_by_row_equals_that_of_its_sample() -> None:
    frame = FRAME.assign(sample=FRAME["sex"])
    laws = {"f": HALF, "m": candor.warner(0.9)}
    (row,) = candor.shares("theft ~ 1", frame, laws, law_by="sample").to_frame().to_dict("records")
    assert row["share"] == pytest.approx(((0.36 - 0.25) / 0.5 + (0.6 - 0.1) / 0.8) / 2)
    assert "law: m" in refusal(candor.shares, "theft ~ 1", frame, {"f": HALF}, law_by="sample")


def test_difference_matches_the_counts_with_the_products_interval() -> None:
    found = candor.differences("theft ~ sex", FRAME, HALF).to_frame()
    expected = candor.compare_shares(36, 100, 60, 100, HALF)
    assert found["sex"].tolist() == ["m less f"]
    columns = ["first", "second", "difference", "low", "high", "z", "p"]
    pd.testing.assert_frame_equal(found[columns], expected[columns], atol=2e-7)
    assert "one column of groups" in refusal(candor.differences, "theft ~ 1", FRAME, HALF)


def test_model_of_two_groups_gives_their_shares() -> None:
    """.22 and .7 before the disguise."""
    linear = candor.regress("theft ~ sex", FRAME, HALF).to_frame()["b"]
    logit = candor.regress("theft ~ sex", FRAME, HALF, family="logit").to_frame()["b"]
    assert linear.tolist() == pytest.approx([0.22, 0.48])
    assert logit.tolist() == pytest.approx([log(0.22 / 0.78), log(0.7 / 0.3) - log(0.22 / 0.78)])


@pytest.mark.parametrize("family", ["linear", "logit"])
def test_sandwich_errors_match_statsmodels(
    family: Literal["linear", "logit"], people_in_places: pd.DataFrame
) -> None:
    """Its least squares on scores, with HC1, weights and clusters; of a logit by the sum over rows."""
    law = {0: HALF, 1: candor.forced_response(yes=0.1, no=0.2)}
    z = np.where(
        people_in_places["sample"] == 0,
        (people_in_places["theft"] - 0.25) / 0.5,
        (people_in_places["theft"] - 0.1) / 0.7,
    )
    x = np.stack([np.ones(300), people_in_places["age"], people_in_places["sex"] == "m"], axis=1).astype(
        float
    )
    for weights, clusters in ((None, None), ("weight", None), (None, "place"), ("weight", "place")):
        found = candor.regress(
            "theft ~ age + C(sex)",
            people_in_places,
            law,
            family=family,
            law_by="sample",
            weights=weights,
            clusters=clusters,
        ).to_frame()
        w = people_in_places[weights] if weights else np.ones(300)
        if family == "linear":
            kind = (
                {"cov_type": "cluster", "cov_kwds": {"groups": people_in_places["place"]}}
                if clusters
                else {"cov_type": "HC1"}
            )
            fit = sm.WLS(z, x, w).fit(**kind)
            assert found["b"].tolist() == pytest.approx(fit.params)
            assert found["se"].tolist() == pytest.approx(fit.bse)
            continue
        mu = 1 / (1 + np.exp(-x @ found["b"]))
        u = x * np.asarray(w * (z - mu))[:, None]
        assert u.sum(axis=0) == pytest.approx(0, abs=1e-6)
        sums = pd.DataFrame(u).groupby(people_in_places["place"]).sum().to_numpy() if clusters else u
        bread = np.linalg.inv(x.T @ (x * np.asarray(w * mu * (1 - mu))[:, None]))
        factor = 30 / 29 * 299 / 297 if clusters else 300 / 297
        expected = np.sqrt(np.diag(bread @ sums.T @ sums @ bread) * factor)
        assert found["se"].tolist() == pytest.approx(expected)


def test_result_warns_where_its_intervals_are_too_short(people_in_places: pd.DataFrame) -> None:
    """As the page of coverage has them: few answers of a kind, and few clusters."""
    enough = pd.concat([people_in_places] * 2)
    assert candor.regress("theft ~ age", enough, HALF).notes == ()
    (few,) = candor.regress("theft ~ age", enough.assign(theft=np.arange(600) < 59), HALF).notes
    assert "Fewer than 60 rows say yes, or no" in few
    (clusters,) = candor.shares("theft ~ 1", people_in_places[:290], HALF, clusters="place").notes
    assert "Fewer than 30 clusters" in clusters


def test_unreadable_model_is_refused(people_in_places: pd.DataFrame) -> None:
    for formula, words in (
        ("theft ~ age +* 2", "cannot be read"),
        ("theft ~ height", "no column 'height'"),
        ("theft ~ age + I(2 * age)", "follows from the covariates"),
        ("theft ~ np.log(age - 50)", "without a finite value"),
        ("theft", "as in theft ~ age"),
    ):
        with np.errstate(invalid="ignore"):
            assert words in refusal(candor.regress, formula, people_in_places, HALF)
    everybody = FRAME.assign(theft=1)
    assert "use linear" in refusal(lambda: candor.regress("theft ~ sex", everybody, HALF, family="logit"))
    assert "below 1" in refusal(lambda: candor.shares("theft ~ 1", FRAME, HALF, level=inf))
