"""candor mine on records with numbers."""

from pathlib import Path
from typing import Any

import pytest

from tests.mining.listed import assert_close
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    WORK,
    classes,
    plain,
    question,
    sensitive,
    window,
    written,
)
from tests.runs.working import Done, Folder

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
# Who steals has 5 or more.
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


# By interval the scores of x >= 5 are -5/3, 2/3, 7/3, 2/3, those of x >= 10 1/3, -4/3, 1/3, 8/3 (vectors/ordered.json).
FIVE = (60 * 7 / 3 - 40 * 5 / 3 + 40 * 2 / 3 + 60 * 2 / 3) / 200
TEN = (60 * 1 / 3 + 40 * 1 / 3 + 40 * 8 / 3 - 60 * 4 / 3) / 200


def test_items_of_numbers_in_itemsets_and_rules(folder: Folder) -> None:
    # Items of a number are among those to whom it applies.
    done = mine(folder)
    assert "a number that a rule hides are of those to whom it applies" in done.err
    five, ten = itemset(done, "debt=>=5"), itemset(done, "debt=>=10")
    assert (five["base"], five["support"], five["pooled"]) == (200, pytest.approx(FIVE), pytest.approx(FIVE))
    assert (ten["base"], ten["support"]) == (200, pytest.approx(TEN))
    assert itemset(done, "debt=>=5 <10")["support"] == pytest.approx(FIVE - TEN)
    assert (five["shown"], five["share_shown"]) == (200, pytest.approx(FIVE))
    # A number stands in rules and never twice.
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
    assert rule["eligible"] == 200
    # Below is an absence.
    assert not any("debt=<5" in one["items"] for one in mine(folder).said["itemsets"])
    below = itemset(mine(folder, "--absences"), "debt=<5")
    assert below["support"] == pytest.approx(1 - FIVE)
    # The comparison engine says the same of all but the number.
    ours = mine(folder, "--exact", "--truth", "truth.csv").said
    theirs = mine(folder, "--exact", "--truth", "truth.csv", "--engine", "mlxtend").said
    assert not any("debt" in item for one in theirs["itemsets"] for item in one["items"])
    counted = [one for one in ours["itemsets"] if not any("debt" in item for item in one["items"])]
    # Their places in a shorter list, and so the intervals there, differ.
    for one in (*counted, *theirs["itemsets"]):
        one.pop("low_listed"), one.pop("high_listed")
    assert_close(counted, theirs["itemsets"])
    # The truth of an item is of those to whom the number applies.
    done = mine(folder, "--truth", "truth.csv")
    for item, truth in (("debt=>=5", 0.7), ("debt=>=10", 0.3), ("debt=>=5 <10", 0.4)):
        found = itemset(done, item)
        assert found["w"] == pytest.approx(abs(found["support"] - truth))
    # Who steals has 5 or more: 70 % of those with a debt.
    both = itemset(done, "theft=yes", "debt=>=5")
    assert both["w"] == pytest.approx(abs(both["support"] - 0.7))


def test_a_design_of_a_window_alone_has_no_itemsets(folder: Folder) -> None:
    folder.write("design.json", written(window("pay", 7, 1)))
    folder.write("records.csv", ["group,pay", *["disguised,3"] * 80, *["open,2"] * 20])
    folder.write("truth.csv", ["group,pay", *["disguised,3"] * 80, *["open,2"] * 20])
    for engine in ("bitmap", "mlxtend"):
        said = mine(folder, "--truth", "truth.csv", "--engine", engine).said
        assert (said["respondents"], said["open"], said["itemsets"], said["rules"]) == (100, 20, [], [])


def test_coherent_supports_leave_a_number_as_it_is(folder: Folder) -> None:
    five = itemset(mine(folder, "--coherent", "--max-size", "1"), "debt=>=5")
    assert five["coherent"] == pytest.approx(five["support"])


def test_withheld_plain_answers_beside_numbers(folder: Folder) -> None:
    folder.write("records.csv", [*RECORDS, *["open,?,yes,>=5 <10,1"] * 30, *["open,?,no,>=10,1"] * 30])
    done = mine(folder)
    assert itemset(done, "debt=>=5")["base"] == 260
    assert itemset(done, "work=employed")["base"] == 300
