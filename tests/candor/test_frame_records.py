"""Records from data frames and files of other tools."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import candor
from tests.privacy.questionnaires import HALF, make_design, plain, question, refusal, sensitive

pytestmark = pytest.mark.page
SEX = {"name": "sex", "choices": [{"name": "f", "label": "Woman"}, {"name": "m", "label": "Man"}]}
SECTIONS = plain(SEX), sensitive("0.5", question("theft", *HALF))
DESIGN = candor.read_design(json.dumps(make_design(*SECTIONS)))
ARMS = candor.read_design(json.dumps(make_design(*SECTIONS, open_answers=False, direct="0.4", least=200)))
FRAME = pd.DataFrame({"sex": ["f"] * 50 + ["m"] * 50, "theft": ["yes"] * 36 + ["no"] * 64})
EXPECTED = [0.5, 0.5, 1 - (0.36 - 0.25) / 0.5, (0.36 - 0.25) / 0.5]


def support(records: candor.Records) -> list[float]:
    return [float(share) for share in candor.shares(records)["support"]]


@pytest.mark.parametrize(
    "frame",
    [
        FRAME.assign(id=range(100), group="Disguised"),
        FRAME.rename(columns=str.upper).replace({"yes": "YES", "f": "F"}),
        FRAME.replace({"f": "woman", "m": "MAN"}).assign(theft=FRAME["theft"] == "yes"),
        FRAME.assign(theft=(FRAME["theft"] == "yes") * 1.0),
    ],
)
def test_records_of_other_tools_are_read(frame: pd.DataFrame, tmp_path: Path) -> None:
    """Other columns, no group, names in another case, labels, and numbers; from a file as from a frame."""
    frame.to_csv(tmp_path / "export.csv", index=False)
    for records in (candor.records(frame, DESIGN), candor.read_records(tmp_path / "export.csv", DESIGN)):
        assert (len(records), records.n) == (100, (0, 100))
        assert support(records) == pytest.approx(EXPECTED)


def test_columns_and_codes_may_have_other_names() -> None:
    frame = pd.DataFrame({"q1": FRAME["sex"].map({"f": 2, "m": 1}), "q2": FRAME["theft"]})
    codes = {"sex": {2: "f", 1: "m"}}
    records = candor.records(frame, DESIGN, {"sex": "q1", "theft": "q2"}, codes)
    assert support(records) == pytest.approx(EXPECTED)
    assert "no column for 'sex'" in refusal(candor.records, frame, DESIGN)
    assert "sex: '2' is no answer" in refusal(candor.records, frame, DESIGN, {"sex": "q1", "theft": "q2"})


def test_rows_without_an_answer_are_dropped_and_counted() -> None:
    missing = pd.concat([FRAME, FRAME[:3].assign(theft=None), FRAME[:2].assign(sex=np.nan, theft="NA")])
    records = candor.records(missing, DESIGN)
    assert records.left_out == {"no theft": 3, "no sex, theft": 2}
    assert support(records) == pytest.approx(EXPECTED)
    words = "<records of 2 questions: 100, 3 left out for no theft, 2 left out for no sex, theft>"
    assert sorted(repr(records)) == sorted(words)
    assert "an answer to every question" in refusal(candor.records, missing[100:], DESIGN)


def test_group_of_a_design_with_arms_is_a_column() -> None:
    assert "no column for group" in refusal(candor.records, FRAME, ARMS)
    frame = FRAME.assign(how=["DIRECT"] * 40 + ["disguised"] * 60)
    assert candor.records(frame, ARMS, {"group": "how"}).n == (40, 60)
    withheld = frame.assign(sex=["?"] * 40 + ["f"] * 60)
    assert len(candor.records(withheld, ARMS, {"group": "how"})) == 100
