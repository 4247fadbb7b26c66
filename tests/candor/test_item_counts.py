"""List experiments and sample sizes, beside printed numbers and by simulation."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import candor
from tests.privacy.questionnaires import refusal

pytestmark = pytest.mark.page
# Blair and Imai (2012), Political Analysis 20, Table 1: the 1991 National Race and Politics Survey.
CONTROL, TREATED = (8, 132, 222, 227), (19, 123, 229, 219, 34)


def count_table(control: Sequence[int], treated: Sequence[int]) -> pd.DataFrame:
    rows = [(y, t) for t, side in enumerate((control, treated)) for y, n in enumerate(side) for _ in range(n)]
    return pd.DataFrame(rows, columns=["y", "treat"])


RACE = count_table(CONTROL, TREATED)


def test_race_survey_gives_the_share_blair_and_imai_print() -> None:
    """list's ictreg prints .0678, with .04962 where it divides by the n - 1 of each group."""
    found = candor.item_count(RACE, count="y", treated="treat", items=3)
    (row,) = found.to_frame().to_dict("records")
    assert round(row["b"], 4) == 0.0678
    assert row["se"] == pytest.approx(0.04962, abs=5e-5)
    assert "no guarantee of this kind" in str(found)


def test_list_that_changes_other_answers_is_detected() -> None:
    """Of one item: .4 count none without the sensitive item, .6 with it, which is 2.887 errors below 0."""
    found = candor.item_count(count_table((40, 60), (60, 30, 10)), count="y", treated="treat", items=1)
    assert float(found.notes[0].split()[5].rstrip(".")) == pytest.approx(2 * 0.00194, abs=0.002)
    assert "the estimate may mislead" in found.notes[0]
    honest = count_table((40, 60), (30, 50, 20))
    assert candor.item_count(honest, count="y", treated="treat", items=1).notes[0].endswith("1.0000.")
    # -.0169 in 2.0 errors, of three that may be 0; list drops the other two and prints .0443.
    assert "effect: 0.14" in candor.item_count(RACE, count="y", treated="treat", items=3).notes[0]


def test_item_count_is_regressed_on_covariates() -> None:
    """In each group the difference of its own means."""
    frame = pd.concat([RACE.assign(south=1.0), RACE[RACE["y"] < 3].assign(south=0.0)])
    found = candor.item_count(frame, count="y", treated="treat", items=3, on="south").to_frame()
    means = frame.groupby(["south", "treat"])["y"].mean()
    north, south = (means[region, 1] - means[region, 0] for region in (0, 1))
    assert found["of"].tolist() == ["Intercept", "south"]
    assert found["b"].tolist() == pytest.approx([north, south - north])


def test_an_impossible_list_is_refused() -> None:
    for frame, words in ((RACE, "from 0 to 2"), (RACE.assign(treat=1), "two rows at least")):
        assert words in refusal(candor.item_count, frame, count="y", treated="treat", items=2)


@pytest.mark.parametrize(
    "compared",
    [
        {"share": 0.1, "than": 0.2},
        {"share": 0.1, "difference": 0.12, "part": 0.4},
        {"share": 0.2, "coefficient": 0.15},
        {"share": 0.2, "coefficient": 0.9, "family": "logit", "part": 0.4},
    ],
)
def test_power_equals_how_often_a_test_detects(compared: dict[str, Any]) -> None:
    """Among 400 surveys with the number of people that is said to have a power of .8."""
    law, rng = candor.warner(0.85), np.random.default_rng(5)
    n = candor.sample_size(law, **compared)
    at = candor.power(law, [n - 1, n], **compared)
    assert at["power"][0] < 0.8 <= at["power"][1]
    part, share = compared.get("part", 0.5), compared["share"]
    second = share + compared.get("difference", compared.get("coefficient", 0))
    if "family" in compared:
        second = 1 / (1 + np.exp(-compared["coefficient"]) * 4)
    first, others = n - round(part * n), round(part * n)
    said = [rng.binomial(of, law.chance + law.keep * s, 400) for of, s in ((first, share), (others, second))]
    if "than" in compared:
        ends = candor.count_shares(rng.binomial(n, law.chance + law.keep * share, 400), n, law)
        found = (ends["high"] < 0.2) | (ends["low"] > 0.2)
    else:
        found = candor.compare_shares(said[0], first, said[1], others, law)["p"] < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.06)


def test_invalid_power_question_is_refused() -> None:
    law = candor.warner(0.8)
    assert "needs one of" in refusal(lambda: candor.power(law, 100, share=0.1))
    assert "from 0 to 1" in refusal(lambda: candor.power(law, 100, share=0.9, difference=0.2))
    assert "by no number" in refusal(lambda: candor.sample_size(law, share=0.1, than=0.1))
