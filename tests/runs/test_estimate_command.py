"""candor estimate, as it is run."""

import pytest

from tests.privacy.questionnaires import IF_EMPLOYED, WORK, classes, make_design, place_in_row, plain, window
from tests.runs.sealed import Done, Folder

DEBT = classes("debt", "0.5", 0, 5, 10, rest=2, **IF_EMPLOYED)
"""N 2, m 1, keep 1/2: the scores of x >= 5 by interval are -5/3, 2/3, 7/3, 2/3 (vectors/ordered.json), of x >= 10 1/3,
-4/3, 1/3, 8/3."""
PAY = window("pay", 7, 1, "0.5", low=100, step=10)
HEADER = "group,work,debt,pay"
RECORDS = [
    HEADER,
    *["disguised,employed,>=5,100"] * 60,
    *["disguised,employed,<5,110"] * 40,
    *["disguised,employed,>=10,150"] * 40,
    *["disguised,employed,<10,160"] * 60,
    *["disguised,employed,rest=1,130"] * 15,
    *["disguised,employed,rest=0,130"] * 5,
    *["disguised,not,-,130"] * 80,
]

HOME = place_in_row("home", {"north": [0, 1, 2], "south": [4, 5]}, 7, 2, "6", **IF_EMPLOYED)


@pytest.fixture
def debts(folder: Folder) -> Folder:
    return folder.write_all(design=make_design(plain(WORK), DEBT, PAY), records=RECORDS)


def estimate(folder: Folder, question: str, *arguments: str) -> Done:
    return folder.run("estimate", "design.json", "records.csv", "--question", question, *arguments)


FIVE = (60 * 7 / 3 - 40 * 5 / 3 + 40 * 2 / 3 + 60 * 2 / 3) / 200
TEN = (60 * 1 / 3 + 40 * 1 / 3 + 40 * 8 / 3 - 60 * 4 / 3) / 200


def test_estimate_command_prints_classes_quantiles_and_windows(debts: Folder) -> None:
    # Classes by hand.
    said = estimate(debts, "debt").output
    assert list(said) == ["base", "shares", "mean", "quantiles", "distribution", "modes"]
    assert (said["base"], said["distribution"], said["modes"]) == (220, None, None)
    assert [list(share) for share in said["shares"]] == [["item", "support", "low", "high"]] * 3
    five, ten, between = said["shares"]
    assert (five["item"], five["support"]) == ("debt=>=5", pytest.approx(FIVE))
    assert (ten["item"], ten["support"]) == ("debt=>=10", pytest.approx(TEN))
    assert (between["item"], between["support"]) == ("debt=>=5 <10", pytest.approx(FIVE - TEN))
    assert 0 < five["low"] < five["support"] < five["high"] <= 1
    # Classes from 0, 5, 10, with D = 4; keep of the rest 1/2, u = (.75 - .25) / .5 = 1.
    assert said["mean"]["value"] == pytest.approx(5 * FIVE + 5 * TEN + 4 * 1)
    assert [quantile["q"] for quantile in said["quantiles"]] == [0.25, 0.5, 0.75]
    # Quantiles that were asked for.
    quantiles = estimate(debts, "debt", "--quantiles", ".05", ".7").output["quantiles"]
    # About 70 % have 5 or more and 30 % have 10.
    assert quantiles == [{"q": 0.05, "at_least": None, "below": 5}, {"q": 0.7, "at_least": 5, "below": None}]
    # A window by value.
    said = estimate(debts, "pay").output
    assert (said["base"], said["shares"], said["mean"], said["quantiles"]) == (300, None, None, None)
    assert [row["value"] for row in said["distribution"]] == [100, 110, 120, 130, 140, 150, 160]
    assert list(said["distribution"][0]) == ["value", "received", "blurred", "low", "high", "illustration"]
    received = [row["received"] for row in said["distribution"]]
    assert received == pytest.approx([60 / 300, 40 / 300, 0, 100 / 300, 0, 40 / 300, 60 / 300], abs=1e-9)
    for name in ("blurred", "illustration"):
        assert sum(row[name] for row in said["distribution"]) == pytest.approx(1, abs=1e-6)
    # Bands need a thousand records.
    assert all((row["low"], row["high"]) == (None, None) for row in said["distribution"])
    # u sin(3 pi m/7) / (3 sin(pi m/7)) = .37, .09, ..: one mode.
    assert said["modes"] == 1


def test_bands_open_records_and_a_design_without_a_mean(debts: Folder) -> None:
    # A window has bands from a thousand records on.
    debts.write("records.csv", [HEADER, *RECORDS[1:] * 4])
    rows = estimate(debts, "pay").output["distribution"]
    assert all(row["low"] < row["blurred"] < row["high"] for row in rows)
    # Open records count, with their plain answers withheld: one says that it has 10 or more.
    debts.write("records.csv", [*RECORDS, *["open,?,>=10,100"] * 100])
    said = estimate(debts, "debt").output
    assert said["base"] == 320
    assert said["shares"][0]["support"] == pytest.approx((200 * FIVE + 100) / 300)
    # Without a mean in the design there is none.
    debts.write("design.json", make_design(plain(WORK), classes("debt", "0.5", 0, 5, 10, **IF_EMPLOYED), PAY))
    debts.write("records.csv", [row for row in RECORDS if "rest" not in row])
    said = estimate(debts, "debt").output
    assert said["mean"] is None
    assert said["shares"][0]["support"] == pytest.approx(FIVE)


def test_estimate_from_too_few_records_is_missing(debts: Folder) -> None:
    debts.write("records.csv", [HEADER, *["disguised,employed,>=5,100"] * 49])
    for question in ("debt", "pay"):
        said = estimate(debts, question).output
        assert (said["base"], said["mean"], said["distribution"], said["modes"]) == (49, None, None, None)
    said = estimate(debts, "debt").output
    assert [share["support"] for share in said["shares"]] == [None, None, None]
    assert said["quantiles"] == [{"q": q, "at_least": None, "below": None} for q in (0.25, 0.5, 0.75)]
    debts.write("design.json", make_design(plain(WORK), HOME))
    debts.write("records.csv", ["group,work,home", *["disguised,employed,c0"] * 40])
    said = estimate(debts, "home").output
    assert (said["base"], said["distribution"]) == (40, None)
    assert {share["support"] for share in said["shares"]} == {None}


def test_what_cannot_be_estimated_is_refused_in_one_line(debts: Folder) -> None:
    for arguments, reason in (
        (("work",), "question: 'work' is not a sensitive number or place"),
        (("age",), "question: the design has no question 'age'"),
        (("debt", "--quantiles", ".5", "1"), "quantiles: 1 does not lie between 0 and 1"),
        (("debt", "--quantiles", "nan"), "quantiles: nan does not lie between 0 and 1"),
    ):
        assert reason in estimate(debts, *arguments).refusal
    debts.write("records.csv", [*RECORDS[:3], "disguised,employed,>=7,100"])
    assert "records.csv:4: debt" in estimate(debts, "debt").refusal
    done = debts.run("estimate", "design.json", "records.csv")
    assert (done.status, done.out) == (2, "")


def test_estimate_command_matches_a_place_by_hand(folder: Folder) -> None:
    sent = zip(["c0", "c1", "c2", "c3", "c4", "c5", "c6"], (30, 20, 10, 20, 5, 5, 10), strict=True)
    rows = [row for cell, n in sent for row in [f"disguised,employed,{cell}"] * n]
    records = ["group,work,home", *rows, *["disguised,not,-"] * 40]
    said = estimate(folder.write_all(design=make_design(plain(WORK), HOME), records=records), "home").output
    assert list(said) == ["base", "shares", "mean", "quantiles", "distribution", "modes"]
    assert (said["base"], said["mean"], said["quantiles"], said["modes"]) == (100, None, None, None)
    shares = {share["item"]: share["support"] for share in said["shares"]}
    assert shares == pytest.approx({"home=north": 0.6, "home=south": -0.05, "home=c3": 0.3, "home=c6": 0.15})
    assert [row["value"] for row in said["distribution"]] == [f"c{at}" for at in range(7)]
    assert said["distribution"][3]["received"] == 0.2
    assert all(row["blurred"] is row["low"] is row["high"] is None for row in said["distribution"])
    assert sum(row["illustration"] for row in said["distribution"]) == pytest.approx(1)
