"""candor mine on records with places."""

from pathlib import Path

import pytest

from tests.mining.listed import assert_close
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    WORK,
    place_in_row,
    plain,
    question,
    sensitive,
    written,
)
from tests.runs.test_mine_numbers import ASKED, itemset
from tests.runs.working import Done, Folder

pytestmark = pytest.mark.page


# b = 10 / 15 and |A_j| / |A| = 3 / 5, 2 / 5; c3 and c6 lie outside.
HOME = place_in_row("home", {"north": [0, 1, 2], "south": [4, 5]}, 7, 2, "6", **IF_EMPLOYED)
DESIGN = written(plain(WORK), sensitive("0.5", question("theft", *HALF)), HOME)
HEADER = "group,work,theft,home"
RECORDS = [
    HEADER,
    *["disguised,employed,yes,c0"] * 50,
    *["disguised,employed,yes,c4"] * 10,
    *["disguised,employed,no,c5"] * 10,
    *["disguised,employed,no,c3"] * 20,
    *["disguised,employed,no,c6"] * 10,
    *["disguised,not,no,-"] * 100,
]
# Of the employed half live in the north, 30 % outside.
TRUTH = [
    HEADER,
    *["disguised,employed,yes,c1"] * 50,
    *["disguised,employed,no,c4"] * 20,
    *["disguised,employed,no,c6"] * 30,
    *["disguised,not,no,c0"] * 100,
]


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path, capsys).write_all(design=DESIGN, records=RECORDS, truth=TRUTH)


def mine(folder: Folder, *arguments: str) -> Done:
    return folder.run("mine", "design.json", "records.csv", *ASKED, *arguments)


def test_items_of_places(folder: Folder) -> None:
    # Regions and elsewhere are items among those to whom the place applies.
    done = mine(folder)
    assert "a place that a rule hides are of those to whom it applies" in done.err
    assert "a number that a rule hides" not in done.err
    north, elsewhere = itemset(done, "home=north"), itemset(done, "home=elsewhere")
    assert (north["base"], north["observed"]) == (100, 0.5)
    assert north["support"] == pytest.approx((0.5 - 0.2) * 3 / 2)
    assert (elsewhere["observed"], elsewhere["support"]) == (0.3, pytest.approx(0.45))
    assert ["theft=yes", "home=north"] in [one["items"] for one in done.said["itemsets"]]
    # No cell inside is an item, nor are the cells outside by themselves.
    names = {item for one in done.said["itemsets"] for item in one["items"] if item.startswith("home")}
    assert names <= {"home=north", "home=south", "home=elsewhere"}
    # The truth of a place is of those to whom it applies.
    done = mine(folder, "--truth", "truth.csv")
    north, elsewhere = itemset(done, "home=north"), itemset(done, "home=elsewhere")
    assert north["w"] == pytest.approx(abs(north["support"] - 0.5))
    assert elsewhere["w"] == pytest.approx(abs(elsewhere["support"] - 0.3))
    both = itemset(done, "theft=yes", "home=north")
    assert both["w"] == pytest.approx(abs(both["support"] - 0.5))
    # Both engines say the same of places.
    ours = mine(folder, "--exact", "--absences", "--truth", "truth.csv").said
    theirs = mine(folder, "--exact", "--absences", "--truth", "truth.csv", "--engine", "mlxtend").said
    assert (ours.pop("engine"), theirs.pop("engine")) == ("bitmap", "mlxtend")
    assert_close(ours, theirs)
    # Coherent supports are given.
    done = mine(folder, "--coherent", "--min-support", ".3")
    assert all(0 <= one["coherent"] <= 1 for one in done.said["itemsets"])


OPENLY = [*RECORDS, *["open,?,no,?"] * 40]


@pytest.mark.parametrize("engine", ["bitmap", "mlxtend"])
def test_places_that_open_records_withhold_are_those_of_the_disguised(folder: Folder, engine: str) -> None:
    folder.write_all(records=OPENLY, truth=[*TRUTH, *["open,not,no,c0"] * 40])
    done = mine(folder, "--engine", engine, "--truth", "truth.csv")
    assert "Open records withhold their plain answers and places" in done.err
    assert done.said["open"] == 40
    north, both = itemset(done, "home=north"), itemset(done, "theft=yes", "home=north")
    assert (north["base"], north["observed"], both["base"]) == (100, 0.5, 100)
    assert itemset(done, "theft=yes")["base"] == 240
    estimated = folder.run("estimate", "design.json", "records.csv", "--question", "home").said
    assert estimated["base"] == 100


def test_an_open_record_withholds_its_place_with_its_plain_answers_or_neither(folder: Folder) -> None:
    folder.write_all(records=[*RECORDS, "open,?,no,c0"])
    done = mine(folder)
    assert done.status == 1
    assert "are withheld from records without disguise, and then all of them" in done.err
