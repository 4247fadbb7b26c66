"""A whole survey by classes against a second implementation in exact fractions (vectors/ordered.json)."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mining.inference.contingency_table import Floats
from mining.kinds.number.classes import estimate_mean, item_shares, quantile_statement, score_test
from mining.kinds.number.floors import Counts
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
        assert TABLE.of_items[row["code"], :4] == pytest.approx(row["scores_at_least"], abs=1e-9)


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
    starts = (LAW["low"], *LAW["limits"])
    rest_keep = Fraction(LAW["keep_rest"], 10_000)
    found, stated = (
        estimate_mean(TABLE, GROUPS[group], starts, LAW["high"], LAW["span"], rest_keep),
        SURVEY[group],
    )
    assert found is not None
    for name, key in (("value", "mean"), ("se", "se"), ("low", "low"), ("high", "high")):
        assert getattr(found, name) == pytest.approx(stated["mean"][key], rel=1e-9)


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
