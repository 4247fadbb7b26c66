"""Weights and weighted shares: the vector, records written out, refusals, simulated coverage."""

from typing import Any

import numpy as np
import pytest

from bench.studying.weights import WeightSetting, weight_cell, weight_settings
from mining.studies.answer_scores import AnswerLaw
from mining.studies.weights import MarginCells, rake, weighted_share
from privacy.designs import Refusal
from tests.mining.studies.patterned import scores
from tests.mining.studies.vectors import reference_settings, vectors

AGE, SEX = np.divmod(np.arange(6), 2)


def margin(cell: Any, *shares: float) -> MarginCells:
    return MarginCells(
        np.asarray(cell), np.array(shares), tuple(f"cell {place}" for place in range(len(shares)))
    )


def test_the_vector() -> None:
    (vector,) = vectors("3.8 weights")
    of, expected = vector["inputs"], vector["expected"]
    law = AnswerLaw(of["keep"], (1 - of["keep"]) * of["theta"])
    (_, ages), (_, sexes) = of["margins"]
    margins = [margin(AGE, *ages), margin(SEX, *sexes)]
    scored = scores(of["n"], of["yes"], law)
    found = weighted_share(scored, rake(scored.records, margins).weight, margins, law)
    assert (found.share, found.se, found.low, found.high) == pytest.approx(
        (expected["P"], expected["se"], expected["low"], expected["high"]), abs=1e-6
    )
    assert found.effective == pytest.approx(expected["n_prime"], abs=1e-3)
    assert found.rank == expected["k"]


@pytest.mark.parametrize("of", reference_settings(), ids=["vector", "keep .8", "keep .5"])
def test_weighted_shares_are_those_of_r_survey(of: dict[str, Any]) -> None:
    """Its error is of n-1 where ours is of n-k; after raking it stops its residuals a little before the end."""
    law = AnswerLaw(of["keep"], (1 - of["keep"]) * of["theta"])
    scored, total = scores(of["n"], of["yes"], law), sum(of["n"])
    ages, sexes, both = of["age"], of["sex"], np.outer(of["age"], of["sex"]).ravel()
    for name, margins, within in [
        ("raked", [margin(AGE, *ages), margin(SEX, *sexes)], 1e-4),
        ("post_stratified", [margin(range(6), *both)], 1e-8),
    ]:
        found = weighted_share(scored, rake(scored.records, margins).weight, margins, law)
        theirs = of["weighted"][name]
        assert found.share == pytest.approx(theirs["share"], abs=1e-8)
        assert found.se * ((total - found.rank) / (total - 1)) ** 0.5 == pytest.approx(
            theirs["se"], rel=within
        )


def test_all_margins_are_met() -> None:
    records = np.array([10.0, 200, 35, 90, 80, 5])
    margins = [margin(AGE, 0.2, 0.5, 0.3), margin(SEX, 0.6, 0.4)]
    weighted = records * rake(records, margins).weight
    assert weighted.sum() == pytest.approx(records.sum())
    shares = weighted / weighted.sum()
    assert np.bincount(AGE, shares) == pytest.approx([0.2, 0.5, 0.3], abs=2e-8)
    assert np.bincount(SEX, shares) == pytest.approx([0.6, 0.4], abs=2e-8)
    # Raking keeps the odds ratios of the records.
    table = weighted.reshape(3, 2)
    odds = table[0, 0] * table[1, 1] / table[0, 1] / table[1, 0]
    assert odds == pytest.approx(10 * 90 / 200 / 35)


def test_one_margin_of_two_questions_is_post_stratification() -> None:
    records = np.array([10.0, 20, 30, 40, 50, 60])
    shares = [0.1, 0.1, 0.2, 0.2, 0.3, 0.1]
    found = rake(records, [margin(range(6), *shares)])
    assert found.weight == pytest.approx(np.array(shares) * 210 / records)
    assert found.largest == pytest.approx(2.1)
    assert not found.is_large


def test_without_tilt_all_weights_are_one() -> None:
    records = np.array([30.0, 30, 40, 40, 30, 30])
    assert rake(records, [margin(AGE, 0.3, 0.4, 0.3), margin(SEX, 0.5, 0.5)]).weight == pytest.approx(
        np.ones(6)
    )


def test_weighted_share_of_records_written_out() -> None:
    """The residuals of a weighted least squares fit to each record, by the normal equations."""
    law = AnswerLaw(0.5, 0.25)
    n, yes = [30, 20, 25, 40, 15, 50], [12, 9, 8, 30, 5, 20]
    margins = [margin(AGE, 0.5, 0.25, 0.25), margin(SEX, 0.4, 0.6)]
    scored = scores(n, yes, law)
    weight = rake(scored.records, margins).weight
    found = weighted_share(scored, weight, margins, law)
    pattern = np.repeat(np.arange(6), n)
    has = np.concatenate([np.repeat([1.0, 0.0], [some, of - some]) for of, some in zip(n, yes, strict=True)])
    z, w = (has - 0.25) / 0.5, weight[pattern]
    mean = (w * z).sum() / w.sum()
    columns = np.stack(
        [np.ones(180), AGE[pattern] == 1, AGE[pattern] == 2, SEX[pattern] == 1], axis=1
    ).astype(float)
    b = np.linalg.solve(columns.T @ (w[:, None] * columns), columns.T @ (w * z))
    residual = z - columns @ b
    se = np.sqrt((w**2 * residual**2).sum() / w.sum() ** 2 * 180 / 176)
    spread = (w * z**2).sum() / w.sum() - mean**2
    assert (found.share, found.se, found.effective) == pytest.approx((mean, se, spread / se**2))
    # Wilson's interval through the inverse, with n' in place of n.
    for end in (found.low, found.high):
        received = 0.25 + 0.5 * end
        error = np.sqrt(received * (1 - received) / found.effective) / 0.5
        assert abs(mean - end) == pytest.approx(1.96 * error, rel=1e-6)


def test_a_share_without_records_is_refused() -> None:
    with pytest.raises(Refusal, match=r"margins: cell 2 has the share 0\.1, but no disguised record"):
        rake(np.array([10.0, 10, 10, 10, 0, 0]), [margin(AGE, 0.4, 0.5, 0.1)])
    # Nobody of a share of 0 is needed, and whoever is there counts nothing.
    found = rake(np.array([10.0, 10, 10, 10, 5, 0]), [margin(AGE, 0.5, 0.5, 0.0), margin(SEX, 0.5, 0.5)])
    assert found.weight[4] == 0


def test_margins_that_contradict_each_other_are_refused() -> None:
    # Everybody of the first age is f, and the margins want more of the first age than of f.
    records = np.array([50.0, 0, 0, 50, 0, 50])
    margins = [margin(AGE, 0.6, 0.2, 0.2), margin(SEX, 0.3, 0.7)]
    with pytest.raises(Refusal, match="after 200 rounds"):
        rake(records, margins)


def test_large_weights_are_said_and_larger_ones_refused() -> None:
    said = rake(np.array([20.0, 180.0]), [margin([0, 1], 0.6, 0.4)])
    assert said.largest == pytest.approx(6)
    assert said.is_large
    with pytest.raises(Refusal, match=r"a weight is 25\.0 times the mean, above 20"):
        rake(np.array([2.0, 98.0]), [margin([0, 1], 0.5, 0.5)])


@pytest.mark.proof
def test_weighted_shares_cover_and_lose_their_bias() -> None:
    settings = list(weight_settings())
    assert len(settings) == 162
    for number, of in enumerate(settings[4::27]):
        found = weight_cell(of, 1_200, np.random.default_rng((8, number)))
        assert 0.925 <= found.covered <= 0.965, found
    worst = max(settings, key=lambda of: abs(of.bias))
    assert abs(worst.bias) > 0.12
    found = weight_cell(
        WeightSetting(0.9, 4_000, worst.share, worst.tilt, True), 800, np.random.default_rng(9)
    )
    assert abs(found.bias_left) < 0.005
