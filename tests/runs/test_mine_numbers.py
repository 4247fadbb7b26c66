"""manage.py mine on records with numbers."""

from pathlib import Path
from typing import Any

import pytest

from tests.mining.close import assert_close
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    WORK,
    plain,
    question,
    sensitive,
    classes,
    window,
    written,
)
from tests.runs.commanded import Done, Folder

pytestmark = pytest.mark.page
DEBT = classes("debt", "0.5", 0, 5, 10, **IF_EMPLOYED)
DESIGN = written(plain(WORK), sensitive("0.5", question("theft", *HALF)), DEBT, window("pay", 7, 1))
HEADER = "group,work,theft,debt,pay"
RECORDS = [
    HEADER,
    *["disguised,employed,yes,>=5,3"] * 60,
    *["disguised,employed,no,<5,0"] * 40,
    *["disguised,employed,yes,>=10,6"] * 40,
    *["disguised,employed,no,<10,3"] * 60,
    *["disguised,not,no,-,2"] * 100,
]
# Of the employed 70 % have 5 or more, 30 % have 10 (or more).
TRUTH = [
    HEADER,
    *["disguised,employed,no,3,3"] * 60,
    *["disguised,employed,yes,7,3"] * 80,
    *["disguised,employed,yes,10,3"] * 60,
    *["disguised,not,no,4,3"] * 100,
]
ASKED = ("--min-support", ".05", "--min-confidence", ".1")


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path, capsys).write_all(design=DESIGN, records=RECORDS, truth=TRUTH)


def mine(folder: Folder, *arguments: str) -> Done:
    return folder.run("mine", "design.json", "records.csv", *ASKED, *arguments)


def itemset(done: Done, *items: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in done.said["itemsets"] if one["items"] == list(items))
    return found


def test_thresholds_are_items_among_those_to_whom_the_number_applies(folder: Folder) -> None:
    done = mine(folder)
    assert "a number that a rule hides are of those to whom it applies" in done.err
    # A hundred were asked about each threshold; (60 - 25) / 50 and (40 - 25) / 50.
    five, ten = itemset(done, "debt=>=5"), itemset(done, "debt=>=10")
    assert (five["base"], five["observed"], five["support"]) == (100, 0.6, pytest.approx(0.7))
    assert (ten["base"], ten["observed"], ten["support"]) == (100, 0.4, pytest.approx(0.3))
    assert (five["shown"], five["share_shown"]) == (100, pytest.approx(0.7))


def test_thresholds_stand_in_rules_and_never_two_of_one_number(folder: Folder) -> None:
    found = mine(folder, "--absences").said
    itemsets = [one["items"] for one in found["itemsets"]]
    assert ["theft=yes", "debt=>=5"] in itemsets
    assert not any(sum(item.startswith("debt") for item in items) > 1 for items in itemsets)
    # Only the employed are asked, and a window has no items.
    assert not any(item.startswith("pay") for items in itemsets for item in items)
    assert ["work=employed", "debt=>=5"] not in itemsets
    rule = next(
        one
        for one in found["rules"]
        if (one["antecedent"], one["consequent"]) == (["debt=>=5"], ["theft=yes"])
    )
    assert rule["eligible"] == 100


def test_below_is_an_absence(folder: Folder) -> None:
    assert not any("debt=<5" in one["items"] for one in mine(folder).said["itemsets"])
    assert itemset(mine(folder, "--absences"), "debt=<5")["support"] == pytest.approx(0.3)


def test_both_engines_say_the_same(folder: Folder) -> None:
    ours = mine(folder, "--exact", "--absences", "--truth", "truth.csv").said
    theirs = mine(folder, "--exact", "--absences", "--truth", "truth.csv", "--engine", "mlxtend").said
    assert (ours.pop("engine"), theirs.pop("engine")) == ("bitmap", "mlxtend")
    assert_close(ours, theirs)


def test_the_truth_of_a_threshold_is_of_those_to_whom_the_number_applies(folder: Folder) -> None:
    done = mine(folder, "--truth", "truth.csv")
    assert "moved" not in done.err
    assert itemset(done, "debt=>=5")["w"] == pytest.approx(0)
    assert itemset(done, "debt=>=10")["w"] == pytest.approx(0)
    # Who steals has 5 or more: 70 % of those with a debt.
    both = itemset(done, "theft=yes", "debt=>=5")
    assert both["w"] == pytest.approx(abs(both["support"] - 0.7))


def test_where_devices_move_the_numbers_so_does_the_truth_the_same_way_each_time(folder: Folder) -> None:
    moved = classes("debt", "0.5", 0, 5, 10, rest=2, **IF_EMPLOYED)
    design = written(plain(WORK), sensitive("0.5", question("theft", *HALF)), moved, window("pay", 7, 1))
    folder.write("design.json", design)
    done = mine(folder, "--truth", "truth.csv")
    assert (
        "True numbers were moved to a threshold by chance, as the devices do; the same way each time."
        in done.err
    )
    assert mine(folder, "--truth", "truth.csv").out == done.out
    # 3 of 0..5 goes up with .6, 7 of 5..10 with .4: in the mean (36 + 140)/200 at 5, and (60 + 32)/200 at 10.
    true_five = 0.7 + itemset(done, "debt=>=5")["w"]
    true_ten = 0.3 + itemset(done, "debt=>=10")["w"]
    assert true_five == pytest.approx(0.88, abs=0.08)
    assert true_ten == pytest.approx(0.46, abs=0.11)


def test_a_design_of_a_window_alone_has_no_itemsets(folder: Folder) -> None:
    folder.write("design.json", written(window("pay", 7, 1)))
    folder.write("records.csv", ["group,pay", *["disguised,3"] * 80, *["open,2"] * 20])
    folder.write("truth.csv", ["group,pay", *["disguised,3"] * 80, *["open,2"] * 20])
    for engine in ("bitmap", "mlxtend"):
        said = mine(folder, "--truth", "truth.csv", "--engine", engine).said
        assert (said["respondents"], said["open"], said["itemsets"], said["rules"]) == (100, 20, [], [])


def test_coherent_supports_of_thresholds_never_rise(folder: Folder) -> None:
    done = mine(folder, "--coherent", "--max-size", "1")
    five, ten = itemset(done, "debt=>=5")["coherent"], itemset(done, "debt=>=10")["coherent"]
    assert 0.1 < ten <= five <= 1


def test_withheld_plain_answers_beside_numbers(folder: Folder) -> None:
    folder.write("records.csv", [*RECORDS, *["open,?,yes,>=5,1"] * 30, *["open,?,no,>=10,1"] * 30])
    done = mine(folder)
    assert itemset(done, "debt=>=5")["base"] == 130
    assert itemset(done, "work=employed")["base"] == 300
