"""candor mine and disguise on records with arms, crosswise and drawn questions."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from privacy.designs import parse
from tests.privacy.questionnaires import HALF, classes, crosswise, drawn, plain, question, sensitive, written
from tests.runs.working import Folder

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


@pytest.mark.page
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


@pytest.mark.page
def test_records_of_a_direct_arm_are_read_as_direct_and_never_as_open(folder: Folder) -> None:
    arms = written(plain(AGE), crosswise("tax", "0.2466"), THEFT, open_answers=False, direct="0.25")
    folder.write_all(arms=arms, records=records(400, "direct"), others=records(400))
    assert folder.run("mine", "arms.json", "records.csv", *ASKED).said["direct"] == 100
    refusal = folder.run("mine", "arms.json", "others.csv", *ASKED).refusal
    assert "others.csv:2: the group is direct or disguised, not 'open'" in refusal


@pytest.mark.page
@pytest.mark.parametrize("engine", ["bitmap", "mlxtend"])
def test_with_arms_everything_is_of_the_disguised_arm_alone(folder: Folder, engine: str) -> None:
    """Itemsets of plain answers too: the same records without those of the direct arm give the same."""
    rows = records(800, "direct")
    without = [row for row in rows if not row.startswith("direct")]
    arms = written(plain(AGE), crosswise("tax", "0.2466"), THEFT, open_answers=False, direct="0.25")
    folder.write_all(arms=arms, records=rows, without=without)
    whole = folder.run("mine", "arms.json", "records.csv", *ASKED, "--engine", engine)
    alone = folder.run("mine", "arms.json", "without.csv", *ASKED, "--engine", engine).said
    said = whole.said
    assert (said["respondents"], said["direct"], said["k"]) == (800, 200, 0.25)
    assert whole.err.splitlines()[1:] == [
        "Itemsets and rules are of the disguised arm alone; the command arms compares it with the direct arm."
    ]
    for part in ("itemsets", "rules"):
        assert said[part] == alone[part] != []
    assert "alike" not in said
    assert {entry["base"] for entry in said["itemsets"]} == {600}
    assert not any("among" in entry for entry in (*said["itemsets"], *said["rules"]))


@pytest.mark.page
def test_with_arms_the_truth_is_that_of_the_disguised_arm(folder: Folder) -> None:
    """Half of the direct arm steals, and nobody of the disguised."""
    arms = written(sensitive("0.5", question("theft", *HALF)), open_answers=False, direct="0.5")
    direct, disguised = ["direct,no", "direct,yes"] * 50, ["disguised,no"] * 75 + ["disguised,yes"] * 25
    folder.write_all(
        arms=arms,
        records=["group,theft", *direct, *disguised],
        truth=["group,theft", *direct, *["disguised,no"] * 100],
    )
    asked = ("--min-support", "0.5", "--min-confidence", ".5", "--absences")
    found = folder.run("mine", "arms.json", "records.csv", *asked, "--truth", "truth.csv").said
    # (75 - 25) / .5 of 100 do not steal.
    (no,) = found["itemsets"]
    assert (no["items"], no["support"], no["w"]) == (["theft=no"], pytest.approx(1.0), pytest.approx(0.0))


def test_with_arms_no_estimator_is_chosen(folder: Folder) -> None:
    arms = written(plain(AGE), crosswise("tax", "0.2466"), THEFT, open_answers=False, direct="0.25")
    folder.write_all(arms=arms, records=records(40, "direct"))
    refusal = folder.run("mine", "arms.json", "records.csv", *ASKED, "--estimator", "pooled").refusal
    assert "estimator: a design with a direct arm uses its disguised arm alone" in refusal


@pytest.mark.page
def test_a_number_is_estimated_from_the_disguised_arm_alone(folder: Folder) -> None:
    design = written(classes("debt", "0.8", 0, 10, 20), open_answers=False, direct="0.5")
    question = parse(json.dumps(design)).questions[0]
    cells = [
        name for code, name in enumerate(question.code_names) if code not in question.codes_never_sent(False)
    ]
    disguised = [f"disguised,{cells[place % len(cells)]}" for place in range(400)]
    direct = [f"direct,{cells[0]}"] * 300
    folder.write_all(
        design=design, records=["group,debt", *direct, *disguised], without=["group,debt", *disguised]
    )
    asked = ("--question", "debt")
    whole = folder.run("estimate", "design.json", "records.csv", *asked).said
    assert whole == folder.run("estimate", "design.json", "without.csv", *asked).said
    assert whole["base"] == 400


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
