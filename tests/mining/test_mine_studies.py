"""manage.py mine and disguise on records with arms, crosswise and drawn questions."""

import random
from pathlib import Path
from typing import Any

import pytest

from tests.mining.commanded import Folder
from tests.privacy.questionnaires import HALF, crosswise, drawn, plain, question, sensitive, written

AGE: dict[str, Any] = {"name": "age", "choices": ["young", "old"]}
THEFT = sensitive("0.5", question("theft", "0.4", "0.6"))
ASKED = ("--min-support", ".05", "--min-confidence", ".05")


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path, capsys)


def records(n: int, group: str = "open") -> list[str]:
    """Any records with `age`, `tax` and `theft`, of which a quarter are of group 0."""
    rng = random.Random(16)
    rows = [
        f"{rng.choice(['young', 'old'])},{rng.choice(['no', 'yes'])},{rng.choice(['no', 'yes'])}"
        for _ in range(n)
    ]
    return [
        "group,age,tax,theft",
        *(f"{group if not i % 4 else 'disguised'},{row}" for i, row in enumerate(rows)),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("share", ["0.2466", "0.7534"])
def test_a_crosswise_question_is_mined_like_a_section_with_its_keep_and_halves(
    folder: Folder, share: str
) -> None:
    """By hand: |1 - 2 * .2466| = .5068."""
    same_section = sensitive("0.5068", question("tax", *HALF))
    folder.write_all(
        crossed=written(plain(AGE), crosswise("tax", share), THEFT),
        grouped=written(plain(AGE), same_section, THEFT),
        records=records(800),
    )
    crossed = folder.run("mine", "crossed.json", "records.csv", *ASKED).said
    grouped = folder.run("mine", "grouped.json", "records.csv", *ASKED).said
    assert crossed == grouped
    assert ["tax=yes"] in [entry["items"] for entry in crossed["itemsets"]]
    assert crossed["rules"]


@pytest.mark.slow
def test_records_of_a_direct_arm_are_read_as_direct_and_never_as_open(folder: Folder) -> None:
    arms = written(plain(AGE), crosswise("tax", "0.2466"), THEFT, open_answers=False, direct="0.25")
    folder.write_all(arms=arms, records=records(400, "direct"), others=records(400))
    assert folder.run("mine", "arms.json", "records.csv", *ASKED).said["open"] == 100
    refusal = folder.run("mine", "arms.json", "others.csv", *ASKED).refusal
    assert "others.csv:2: the group is direct or disguised, not 'open'" in refusal


def test_open_records_are_read_as_open_and_never_as_direct(folder: Folder) -> None:
    folder.write_all(
        design=written(plain(AGE), crosswise("tax", "0.2466"), THEFT), records=records(40, "direct")
    )
    refusal = folder.run("mine", "design.json", "records.csv", *ASKED).refusal
    assert "records.csv:2: the group is open or disguised, not 'direct'" in refusal


def test_what_a_device_drew_must_be_known_to_compare_with_the_truth(folder: Folder) -> None:
    folder.write_all(
        design=written(plain(drawn("version", *HALF)), THEFT),
        records=["group,version,theft", *["disguised,a,no", "disguised,b,yes"] * 30],
        truth=["version,theft", *[",no"] * 60],
    )
    refusal = folder.run("mine", "design.json", "records.csv", *ASKED, "--truth", "truth.csv").refusal
    assert "truth.csv: version: fill in what each device drew, to compare with the true values" in refusal
