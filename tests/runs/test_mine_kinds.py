"""candor mine on records with numbers, with places, with arms, crosswise and drawn questions."""

import json
import random
from typing import Any

import pytest

from privacy.designs import parse_design
from tests.mining.listed import assert_close
from tests.privacy import questionnaires as q
from tests.runs.sealed import Done, Folder

pytestmark = pytest.mark.page
ASKED = ("--min-support", ".05", "--min-confidence", ".1")
STEAL = q.sensitive("0.5", q.question("theft", *q.HALF))


def mine(folder: Folder, *arguments: str) -> Done:
    return folder.run("mine", "design.json", "records.csv", *ASKED, *arguments)


# --- numbers ---

DEBT = q.classes("debt", "0.5", 0, 5, 10, **q.IF_EMPLOYED)
RECORDS = [
    "group,work,theft,debt,pay",
    *["disguised,employed,yes,>=5,3"] * 60,
    *["disguised,employed,no,<5,0"] * 40,
    *["disguised,employed,yes,>=10,6"] * 40,
    *["disguised,employed,no,<10,3"] * 60,
    *["disguised,not,no,-,2"] * 100,
]
# Who steals has 5 or more.
TRUTH = [
    RECORDS[0],
    *["disguised,employed,no,3,3"] * 60,
    *["disguised,employed,yes,7,3"] * 80,
    *["disguised,employed,yes,10,3"] * 60,
    *["disguised,not,no,4,3"] * 100,
]
# By interval the scores of x >= 5 are -5/3, 2/3, 7/3, 2/3, those of x >= 10 1/3, -4/3, 1/3, 8/3 (vectors/ordered.json).
FIVE = (60 * 7 / 3 - 40 * 5 / 3 + 40 * 2 / 3 + 60 * 2 / 3) / 200
TEN = (60 * 1 / 3 + 40 * 1 / 3 + 40 * 8 / 3 - 60 * 4 / 3) / 200


@pytest.fixture
def numbers_folder(folder: Folder) -> Folder:
    design = q.make_design(q.plain(q.WORK), STEAL, DEBT, q.window("pay", 7, 1))
    return folder.write_all(design=design, records=RECORDS, truth=TRUTH)


def test_items_of_numbers_in_itemsets_and_rules(numbers_folder: Folder) -> None:
    # Items of a number are among those to whom it applies; below is an absence.
    done = mine(numbers_folder)
    assert "a number that a rule hides are of those to whom it applies" in done.err
    five, ten = done.itemset("debt=>=5"), done.itemset("debt=>=10")
    assert (five["base"], five["support"], five["pooled"]) == (200, pytest.approx(FIVE), pytest.approx(FIVE))
    assert (ten["base"], ten["support"]) == (200, pytest.approx(TEN))
    assert done.itemset("debt=>=5 <10")["support"] == pytest.approx(FIVE - TEN)
    assert (five["shown"], five["share_shown"]) == (200, pytest.approx(FIVE))
    assert not any("debt=<5" in one["items"] for one in done.output["itemsets"])
    # A number stands in rules and never twice; only the employed are asked, and a window has no items.
    done = mine(numbers_folder, "--absences")
    assert done.itemset("debt=<5")["support"] == pytest.approx(1 - FIVE)
    itemsets = [one["items"] for one in done.output["itemsets"]]
    assert ["theft=yes", "debt=>=5"] in itemsets
    assert not any(sum(item.startswith("debt") for item in items) > 1 for items in itemsets)
    assert not any(item.startswith("pay") for items in itemsets for item in items)
    assert ["work=employed", "debt=>=5"] not in itemsets
    sides = (["debt=>=5"], ["theft=yes"])
    rule = next(one for one in done.output["rules"] if (one["antecedent"], one["consequent"]) == sides)
    assert rule["eligible"] == 200
    # Coherent supports leave a number as it is.
    five = mine(numbers_folder, "--coherent", "--max-size", "1").itemset("debt=>=5")
    assert five["coherent"] == pytest.approx(five["support"])
    # Withheld plain answers leave a number to everybody else.
    numbers_folder.write(
        "records.csv", [*RECORDS, *["open,?,yes,>=5 <10,1"] * 30, *["open,?,no,>=10,1"] * 30]
    )
    done = mine(numbers_folder)
    assert [done.itemset(item)["base"] for item in ("debt=>=5", "work=employed")] == [260, 300]


def test_the_comparison_engine_and_the_truth_of_numbers(numbers_folder: Folder) -> None:
    # The engine says the same of all but the number, whose places in a list, and so its intervals there, differ.
    ours = mine(numbers_folder, "--exact", "--truth", "truth.csv").output
    theirs = mine(numbers_folder, "--exact", "--truth", "truth.csv", "--engine", "mlxtend").output
    assert not any("debt" in item for one in theirs["itemsets"] for item in one["items"])
    counted = [one for one in ours["itemsets"] if not any("debt" in item for item in one["items"])]
    for one in (*counted, *theirs["itemsets"]):
        one.pop("low_listed"), one.pop("high_listed")
    assert_close(counted, theirs["itemsets"])
    # The truth of an item is of those to whom the number applies; who steals has 5 or more: 70 % of those with a debt.
    done = mine(numbers_folder, "--truth", "truth.csv")
    for items, truth in ((["debt=>=5"], 0.7), (["debt=>=10"], 0.3), (["debt=>=5 <10"], 0.4)):
        found = done.itemset(*items)
        assert found["w"] == pytest.approx(abs(found["support"] - truth)), items
    both = done.itemset("theft=yes", "debt=>=5")
    assert both["w"] == pytest.approx(abs(both["support"] - 0.7))
    # A design of a window alone has no itemsets.
    numbers_folder.write("design.json", q.make_design(q.window("pay", 7, 1)))
    for name in ("records.csv", "truth.csv"):
        numbers_folder.write(name, ["group,pay", *["disguised,3"] * 80, *["open,2"] * 20])
    for engine in ("bitmap", "mlxtend"):
        said = mine(numbers_folder, "--truth", "truth.csv", "--engine", engine).output
        assert (said["respondents"], said["open"], said["itemsets"], said["rules"]) == (100, 20, [], [])


# --- places ---

# b = 10 / 15 and |A_j| / |A| = 3 / 5, 2 / 5; c3 and c6 lie outside.
HOME = q.place_in_row("home", {"north": [0, 1, 2], "south": [4, 5]}, 7, 2, "6", **q.IF_EMPLOYED)
HOMES = [
    "group,work,theft,home",
    *["disguised,employed,yes,c0"] * 50,
    *["disguised,employed,yes,c4"] * 10,
    *["disguised,employed,no,c5"] * 10,
    *["disguised,employed,no,c3"] * 20,
    *["disguised,employed,no,c6"] * 10,
    *["disguised,not,no,-"] * 100,
]
# Of the employed half live in the north, 30 % outside.
TRUE_HOMES = [
    HOMES[0],
    *["disguised,employed,yes,c1"] * 50,
    *["disguised,employed,no,c4"] * 20,
    *["disguised,employed,no,c6"] * 30,
    *["disguised,not,no,c0"] * 100,
]


@pytest.fixture
def places_folder(folder: Folder) -> Folder:
    design = q.make_design(q.plain(q.WORK), STEAL, HOME)
    return folder.write_all(design=design, records=HOMES, truth=TRUE_HOMES)


def test_place_items_are_mined(places_folder: Folder) -> None:
    # Regions and elsewhere are items among those to whom the place applies; no cell is an item.
    done = mine(places_folder, "--truth", "truth.csv")
    assert "a place that a rule hides are of those to whom it applies" in done.err
    assert "a number that a rule hides" not in done.err
    north, elsewhere = done.itemset("home=north"), done.itemset("home=elsewhere")
    assert (north["base"], north["observed"]) == (100, 0.5)
    assert north["support"] == pytest.approx((0.5 - 0.2) * 3 / 2)
    assert (elsewhere["observed"], elsewhere["support"]) == (0.3, pytest.approx(0.45))
    names = {item for one in done.output["itemsets"] for item in one["items"] if item.startswith("home")}
    assert names <= {"home=north", "home=south", "home=elsewhere"}
    # The truth of a place is of those to whom it applies.
    assert north["w"] == pytest.approx(abs(north["support"] - 0.5))
    assert elsewhere["w"] == pytest.approx(abs(elsewhere["support"] - 0.3))
    both = done.itemset("theft=yes", "home=north")
    assert both["w"] == pytest.approx(abs(both["support"] - 0.5))
    # Both engines say the same of places.
    asked = ("--exact", "--absences", "--truth", "truth.csv")
    ours, theirs = (
        mine(places_folder, *asked).output,
        mine(places_folder, *asked, "--engine", "mlxtend").output,
    )
    assert (ours.pop("engine"), theirs.pop("engine")) == ("bitmap", "mlxtend")
    assert_close(ours, theirs)
    # Coherent supports are given.
    done = mine(places_folder, "--coherent", "--min-support", ".3")
    assert all(0 <= one["coherent"] <= 1 for one in done.output["itemsets"])


def test_places_that_open_records_withhold_are_those_of_the_disguised(places_folder: Folder) -> None:
    records, truth = [*HOMES, *["open,?,no,?"] * 40], [*TRUE_HOMES, *["open,not,no,c0"] * 40]
    places_folder.write_all(records=records, truth=truth)
    for engine in ("bitmap", "mlxtend"):
        done = mine(places_folder, "--engine", engine, "--truth", "truth.csv")
        assert "Open records withhold their plain answers and places" in done.err
        assert done.output["open"] == 40
        north, both = done.itemset("home=north"), done.itemset("theft=yes", "home=north")
        assert (north["base"], north["observed"], both["base"]) == (100, 0.5, 100), engine
        assert done.itemset("theft=yes")["base"] == 240, engine
    assert (
        places_folder.run("estimate", "design.json", "records.csv", "--question", "home").output["base"]
        == 100
    )
    # An open record withholds its place with its plain answers, or neither.
    places_folder.write_all(records=[*HOMES, "open,?,no,c0"])
    done = mine(places_folder)
    assert done.status == 1
    assert "are withheld from records without disguise, and then all of them" in done.err


# --- studies ---

AGE: dict[str, Any] = {"name": "age", "choices": ["young", "old"]}
THEFT = q.sensitive("0.5", q.question("theft", "0.4", "0.6"))
TAX = q.crosswise("tax", "0.2466")
ARMS = q.make_design(q.plain(AGE), TAX, THEFT, open_answers=False, direct="0.25")


def records(n: int, group: str = "open") -> list[str]:
    """Any records with `age`, `tax` and `theft`, of which a quarter are of group 0."""
    rng = random.Random(16)
    groups = [group if not i % 4 else "disguised" for i in range(n)]
    choices = [["young", "old"], ["no", "yes"], ["no", "yes"]]
    return ["group,age,tax,theft", *(",".join([one, *map(rng.choice, choices)]) for one in groups)]


@pytest.mark.parametrize("share", ["0.2466", "0.7534"])
def test_a_crosswise_question_is_mined_like_a_section(folder: Folder, share: str) -> None:
    """By hand: |1 - 2 * .2466| = .5068."""
    same_section = q.sensitive("0.5068", q.question("tax", *q.HALF))
    folder.write_all(
        crossed=q.make_design(q.plain(AGE), q.crosswise("tax", share), THEFT),
        grouped=q.make_design(q.plain(AGE), same_section, THEFT),
        records=records(800),
    )
    crossed, grouped = (
        folder.run("mine", f"{name}.json", "records.csv", *ASKED).output for name in ("crossed", "grouped")
    )
    assert crossed == grouped
    assert ["tax=yes"] in [entry["items"] for entry in crossed["itemsets"]]
    assert crossed["rules"]


def test_with_arms_everything_is_of_the_disguised_arm_alone(folder: Folder) -> None:
    """Itemsets of plain answers too: the same records without those of the direct arm give the same."""
    rows = records(800, "direct")
    folder.write_all(design=ARMS, records=rows, without=[row for row in rows if not row.startswith("direct")])
    for engine in ("bitmap", "mlxtend"):
        whole = mine(folder, "--engine", engine)
        alone = folder.run("mine", "design.json", "without.csv", *ASKED, "--engine", engine).output
        said = whole.output
        assert (said["respondents"], said["direct"], said["k"]) == (800, 200, 0.25)
        assert whole.err.splitlines()[1:] == [
            "Itemsets and rules are of the disguised arm alone; the command arms compares it with the direct arm."
        ]
        for part in ("itemsets", "rules"):
            assert said[part] == alone[part] != [], engine
        assert "alike" not in said
        assert {entry["base"] for entry in said["itemsets"]} == {600}
        assert not any("among" in entry for entry in (*said["itemsets"], *said["rules"]))


def test_with_arms_the_truth_is_that_of_the_disguised_arm(folder: Folder) -> None:
    """Half of the direct arm steals, and nobody of the disguised."""
    direct, disguised = ["direct,no", "direct,yes"] * 50, ["disguised,no"] * 75 + ["disguised,yes"] * 25
    folder.write_all(
        design=q.make_design(STEAL, open_answers=False, direct="0.5"),
        records=["group,theft", *direct, *disguised],
        truth=["group,theft", *direct, *["disguised,no"] * 100],
    )
    asked = ("--min-support", "0.5", "--min-confidence", ".5", "--absences")
    found = folder.run("mine", "design.json", "records.csv", *asked, "--truth", "truth.csv").output
    # (75 - 25) / .5 of 100 do not steal.
    (no,) = found["itemsets"]
    assert (no["items"], no["support"], no["w"]) == (["theft=no"], pytest.approx(1.0), pytest.approx(0.0))


def test_a_number_is_estimated_from_the_disguised_arm_alone(folder: Folder) -> None:
    design = q.make_design(q.classes("debt", "0.8", 0, 10, 20), open_answers=False, direct="0.5")
    asked = parse_design(json.dumps(design)).questions[0]
    cells = [name for code, name in enumerate(asked.code_names) if code not in asked.codes_never_sent(False)]
    disguised = [f"disguised,{cells[place % len(cells)]}" for place in range(400)]
    header, direct = "group,debt", [f"direct,{cells[0]}"] * 300
    folder.write_all(design=design, records=[header, *direct, *disguised], without=[header, *disguised])
    whole, alone = (
        folder.run("estimate", "design.json", f"{name}.csv", "--question", "debt").output
        for name in ("records", "without")
    )
    assert whole == alone
    assert whole["base"] == 400


def test_groups_and_answers_not_of_the_design_are_refused(folder: Folder) -> None:
    """Records of a direct arm are never read as open, nor open ones as direct."""
    folder.write_all(design=ARMS, records=records(40), direct=records(40, "direct"))
    assert "records.csv:2: the group is direct or disguised, not 'open'" in mine(folder).refusal
    asked = ("mine", "design.json", "direct.csv", *ASKED)
    refusal = folder.run(*asked, "--estimator", "pooled").refusal
    assert "estimator: a design with a direct arm uses its disguised arm alone" in refusal
    folder.write_all(design=q.make_design(q.plain(AGE), TAX, THEFT))
    assert "direct.csv:2: the group is open or disguised, not 'direct'" in folder.run(*asked).refusal
    # What a device drew must be known to compare with the truth.
    folder.write_all(
        design=q.make_design(q.plain(q.drawn_question("version", *q.HALF)), THEFT),
        records=["group,version,theft", *["disguised,a,no", "disguised,b,yes"] * 30],
        truth=["version,theft", *[",no"] * 60],
    )
    refusal = mine(folder, "--truth", "truth.csv").refusal
    assert "truth.csv: version: fill in what each device drew, to compare with the true values" in refusal
