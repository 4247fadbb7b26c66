"""A whole survey by classes against a second implementation in exact fractions (vectors/ordered.json)."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from mining.inference.contingency_table import Floats
from mining.inference.intervals import NORMAL_95
from mining.kinds.minimum_record_counts import Counts
from mining.kinds.number.estimates_by_classes import (
    estimate_mean,
    item_shares,
    quantile_statement,
    score_test,
)
from mining.report.number_nodes import MeanEstimate
from privacy.kinds.number.classes.law import intervals
from privacy.kinds.number.classes.scores import score_table

VECTORS = json.loads((Path(__file__).parents[3] / "vectors" / "ordered.json").read_text())
SURVEY, LAW = VECTORS["survey"], VECTORS["device"]["design"]
TABLE = score_table(4, 3, Fraction(5555, 10_000))
CODES = len(intervals(5))


def counts(*, opened: bool) -> Counts:
    found = np.zeros((2, CODES + 2), np.int64)
    for code, many in SURVEY["disguised_counts_by_code"].items():
        found[1, int(code)] = many
    found[1, CODES:] = SURVEY["rest"]["disguised_0"], SURVEY["rest"]["disguised_1"]
    if opened:
        single = [code for code, (a, z) in enumerate(intervals(5)) if z - a == 1]
        found[0, single] = SURVEY["open_counts_by_class"]
        found[0, CODES:] = SURVEY["rest"]["open_0"], SURVEY["rest"]["open_1"]
    return found


GROUPS = {"disguised_alone": counts(opened=False), "both_groups": counts(opened=True)}


def test_the_scores_of_the_survey() -> None:
    for row in SURVEY["scores"]:
        assert TABLE.chance[:, row["code"]] == pytest.approx(row["probability_by_class"], abs=1e-9)
        assert TABLE.scores[row["code"]] == pytest.approx(row["scores_of_classes"], abs=1e-9)
        assert TABLE.scores_by_item[row["code"], :4] == pytest.approx(row["scores_at_least"], abs=1e-9)


@pytest.mark.parametrize("group", GROUPS)
def test_shares_errors_covariances_and_intervals(group: str) -> None:
    found, stated = item_shares(TABLE, GROUPS[group]), SURVEY[group]
    for place, row in enumerate(stated["shares"]):
        assert found.share[place] == pytest.approx(row["P"], abs=1e-9)
        assert found.se[place] == pytest.approx(row["se"], abs=1e-9)
        # Ends are exact to 10^-7.
        assert found.low[place] == pytest.approx(row["low"], abs=1e-7)
        assert found.high[place] == pytest.approx(row["high"], abs=1e-7)
    assert found.covariance[:4, :4] == pytest.approx(np.array(stated["covariance"]), abs=1e-9)
    assert classes_of(found.share) == pytest.approx(stated["classes"], abs=1e-9)


def classes_of(shares: Floats) -> list[float]:
    """The first is x < t_1, the last x >= t_4; between them stand the three inner ones."""
    return [shares[7], *shares[4:7], shares[3]]


@pytest.mark.parametrize("group", GROUPS)
def test_the_test_of_one_half(group: str) -> None:
    test, _products = score_test(TABLE, GROUPS[group][None, :, :CODES].astype(np.float64))
    z = test.z(np.full(len(test), 0.5))
    for place, row in enumerate(SURVEY[group]["shares"]):
        assert z[place] == pytest.approx(row["test_at_half"]["z"], abs=1e-7)


@pytest.mark.parametrize("group", GROUPS)
def test_the_mean(group: str) -> None:
    found, stated = mean_of(GROUPS[group]), SURVEY[group]["mean"]
    assert found is not None
    assert found.value == pytest.approx(stated["mean"], rel=1e-9)
    low, high = (searched_end(GROUPS[group], stated, level) for level in (NORMAL_95, -NORMAL_95))
    # The search over both groups' shares is less exact than the ends.
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-4)
    _z, se = searched_test(GROUPS[group], stated, stated["mean"])
    assert found.se == pytest.approx(se, rel=1e-4)


def test_nobody_above_the_start_of_a_class_is_no_certainty() -> None:
    """Of 15 bits none is 1, as of .46 of such surveys at gamma 19; Wald's interval of the rest has no width."""
    counts = GROUPS["disguised_alone"].copy()
    counts[:, CODES:] = [[0, 0], [15, 0]]
    found = mean_of(counts, Fraction(9, 10))
    assert found is not None
    # 1.96 standard errors of a chance of .05 among 15 bits, and those of the classes.
    of_classes = mean_of(counts, Fraction(9, 10), span=0)
    assert of_classes is not None
    least = 5_000**2 * 0.05 * 0.95 / 15 / 0.9**2
    assert found.high - found.value > 1.96 * (of_classes.se**2 + least) ** 0.5


def mean_of(
    counts: Counts, rest_keep: Fraction = Fraction(LAW["keep_rest"], 10_000), *, span: int = LAW["span"]
) -> MeanEstimate | None:
    return estimate_mean(TABLE, counts, (LAW["low"], *LAW["limits"]), LAW["high"], span, rest_keep)


def searched_end(counts: Counts, stated: dict[str, float], level: float) -> float:
    apart = 4 * (stated["mean"] - LAW["low"]) * (1 if level < 0 else -1)
    low, high = sorted((stated["mean"], float(np.clip(stated["mean"] + apart, LAW["low"], LAW["high"]))))
    for _halving in range(25):
        middle = (low + high) / 2
        above = searched_test(counts, stated, middle)[0] > level
        low, high = (middle, high) if above else (low, middle)
    return (low + high) / 2


def searched_test(counts: Counts, stated: dict[str, float], t: float) -> tuple[float, float]:
    """z of a mean of t and the standard error there, by a general search for the likeliest shares of the bits."""
    starts = np.array([LAW["low"], *LAW["limits"]], np.float64)
    scores = np.stack([np.where(TABLE.true_class >= 0, starts[TABLE.true_class], 0.0), TABLE.scores @ starts])
    classes, bits = counts[:, :CODES], counts[:, CODES:]
    n = classes.sum()
    variance = ((classes * scores**2).sum() / n - stated["classes_part"] ** 2) / n
    keep = np.array([1.0, LAW["keep_rest"] / 10_000])
    weight = bits.sum(axis=1) / bits.sum()

    def received(shares: Floats) -> Floats:
        return np.clip(keep * shares + (1 - keep) / 2, 1e-12, 1 - 1e-12)

    def unlikeliness(shares: Floats) -> float:
        chance = received(shares)
        of_bits = (bits[:, 1] * np.log(chance) + bits[:, 0] * np.log(1 - chance)).sum()
        from_classes = t - LAW["span"] * float(weight @ shares)
        return float((stated["classes_part"] - from_classes) ** 2 / (2 * variance) - of_bits)

    asked = weight > 0
    bounds = [(0.0, 1.0 if is_asked else 0.0) for is_asked in asked]
    first = np.where(asked, 0.3, 0.0)
    least = minimize(  # type: ignore[no-untyped-call]
        unlikeliness, first, bounds=bounds, method="Nelder-Mead", options=TIGHT
    )
    shares = least.x
    chance = received(shares)
    by = LAW["span"] * weight / keep
    spread = chance * (1 - chance) / np.maximum(bits.sum(axis=1), 1)
    square = float(variance + (by**2 * spread).sum())
    third = float((by**3 * spread * (1 - 2 * chance) / np.maximum(bits.sum(axis=1), 1)).sum())
    zeta, skew = (stated["mean"] - t) / square**0.5, third / square**1.5
    skewed = zeta if abs(skew) < 1e-4 else 6 / skew * (np.cbrt(1 + skew * zeta / 2) - 1) + skew / 6
    return min(zeta, skewed, key=abs), square**0.5


TIGHT = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2_000}


@pytest.mark.parametrize("group", GROUPS)
def test_quantile_statements(group: str) -> None:
    found, limits = item_shares(TABLE, GROUPS[group]), LAW["limits"]
    for q, stated in SURVEY[group]["quantiles"].items():
        said = quantile_statement(float(q), limits, found.low[:4], found.high[:4])
        numbers: dict[str, Any] = {key: None if at is None else limits[at - 1] for key, at in stated.items()}
        assert (said.at_least, said.below) == (numbers["at_least_limit"], numbers["below_limit"])


def test_many_surveys_at_once_are_those_one_by_one() -> None:
    both = np.stack([*GROUPS.values(), np.zeros((2, CODES + 2), np.int64)])
    together = item_shares(TABLE, both)
    for place, one in enumerate(both):
        alone = item_shares(TABLE, one)
        for name in ("share", "se", "low", "high", "covariance"):
            assert getattr(together, name)[place] == pytest.approx(
                getattr(alone, name), nan_ok=True, abs=1e-12
            )
