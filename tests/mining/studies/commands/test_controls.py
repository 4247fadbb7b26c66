"""candor controls."""

import pytest

from tests.privacy.questionnaires import HALF, crosswise, drawn, plain, question, sensitive, written
from tests.runs.working import Folder

pytestmark = pytest.mark.proof
MOON = {"name": "moon", "choices": ["no", "yes"], "known": "0.0000"}
THEFT = question("theft", *HALF)
PLAIN_CONTROL = written(plain(MOON), sensitive("0.5", THEFT))


def repeated(**rows: int) -> list[str]:
    return [row.replace("_", ",") for row, times in rows.items() for _ in range(times)]


def test_a_plain_control_item_is_of_the_disguised_alone(folder: Folder) -> None:
    """20 of 400 say yes where nobody can: L = .05 / .5 = .1. Received .4, so .3, corrected (.3 - .05) / .9."""
    disguised = repeated(disguised_yes_yes=8, disguised_yes_no=12, disguised_no_yes=152, disguised_no_no=228)
    folder.write_all(
        design=PLAIN_CONTROL, records=["group,moon,theft", *repeated(open_yes_yes=100), *disguised]
    )
    found = folder.run("controls", "design.json", "records.csv").said
    assert list(found) == ["item", "known", "seen", "low", "high", "p", "careless", "items"]
    assert (found["item"], found["known"]) == ("moon=yes", 0)
    assert (found["seen"], found["careless"]) == pytest.approx((0.05, 0.1))
    assert 0.03 < found["low"] < 0.05 < found["high"] < 0.08
    assert found["p"] < 1e-9
    (theft,) = found["items"]
    assert list(theft) == [
        "item",
        "n",
        "share",
        "low",
        "high",
        "corrected",
        "corrected_low",
        "corrected_high",
    ]
    assert (theft["item"], theft["n"]) == ("theft=yes", 400)
    assert (theft["share"], theft["corrected"]) == pytest.approx((0.3, 0.25 / 0.9))
    assert theft["low"] < 0.3 < theft["high"]
    assert theft["corrected_low"] < theft["corrected"] < theft["corrected_high"]


@pytest.mark.parametrize("first", [True, False])
def test_a_control_item_in_a_section_before_or_behind_the_answer(folder: Folder, first: bool) -> None:
    """Received: moon .3, so .1 and L = .2; theft .4, so .3, corrected (.3 - .1) / .8 = .25."""
    moon = question("moon", *HALF, known="0.0000")
    sections = [sensitive("0.5", moon), sensitive("0.5", THEFT)]
    design = written(*(sections if first else reversed(sections)))
    cells = repeated(disguised_yes_yes=48, disguised_yes_no=72, disguised_no_yes=112, disguised_no_no=168)
    header = "group,moon,theft" if first else "group,theft,moon"
    swapped = [",".join([row.split(",")[0], *row.split(",")[:0:-1]]) for row in cells]
    folder.write_all(design=design, records=[header, *(cells if first else swapped)])
    found = folder.run("controls", "design.json", "records.csv").said
    assert (found["seen"], found["careless"]) == pytest.approx((0.1, 0.2))
    (theft,) = found["items"]
    assert (theft["share"], theft["corrected"]) == pytest.approx((0.3, 0.25))


def test_a_plain_control_item_comes_first(folder: Folder) -> None:
    secret = question("secret", *HALF, known="1.0000")
    design = written(sensitive("0.5", secret, THEFT), plain(MOON))
    records = ["group,secret,theft,moon", *["disguised,yes,no,no"] * 100]
    found = folder.write_all(design=design, records=records).run("controls", "design.json", "records.csv")
    assert found.said["item"] == "moon=yes"


def test_of_a_direct_arm_nothing_is_counted(folder: Folder) -> None:
    design = PLAIN_CONTROL | {"open_answers": False, "direct": "0.5"}
    records = [
        "group,moon,theft",
        *repeated(direct_yes_yes=100),
        *repeated(disguised_no_yes=160, disguised_no_no=240),
    ]
    found = (
        folder.write_all(design=design, records=records).run("controls", "design.json", "records.csv").said
    )
    assert (found["seen"], found["careless"], found["items"][0]["n"]) == (0, 0, 400)


def test_a_question_of_three_choices_is_corrected_by_a_third(folder: Folder) -> None:
    """L = .1: a choice received with .4, noise .2: (.4 - .1) / .5 = .6, corrected (.6 - .1 / 3) / .9."""
    design = written(plain(MOON), sensitive("0.5", question("drink", "0.2", "0.5", "0.3")))
    rows = ["disguised,yes,choice 1"] * 5 + ["disguised,no,choice 1"] * 55 + ["disguised,no,choice 0"] * 40
    folder.write_all(design=design, records=["group,moon,drink", *rows])
    found = folder.run("controls", "design.json", "records.csv").said
    never = next(entry for entry in found["items"] if entry["item"] == "drink=choice 0")
    assert (never["share"], never["corrected"]) == pytest.approx((0.6, (0.6 - 0.1 / 3) / 0.9))


def test_a_preferred_word_of_crosswise_answers_is_found(folder: Folder) -> None:
    """Without a control item the two versions alone are read: .2 and .5 of them recorded as yes, keep .5."""
    design = written(
        plain(drawn("version", *HALF)), crosswise("tax", "0.25", turned_by="version"), open_answers=False
    )
    records = [
        "group,version,tax",
        *repeated(disguised_a_yes=20, disguised_a_no=80, disguised_b_yes=50, disguised_b_no=50),
    ]
    found = (
        folder.write_all(design=design, records=records).run("controls", "design.json", "records.csv").said
    )
    assert list(found) == ["words", "drawn"]
    (tax,) = found["words"]
    assert (tax["item"], tax["difference"]) == ("tax=yes", pytest.approx(-0.6))
    # z = -.6 / (sqrt(.35 .65 .02) / .5)
    assert tax["z"] == pytest.approx(-0.3 / (0.35 * 0.65 * 0.02) ** 0.5)
    assert found["drawn"] == [{"question": "version", "records": {"a": 100, "b": 100}, "p": 1.0}]


def test_a_version_that_made_people_leave_is_found(folder: Folder) -> None:
    design = written(plain(drawn("version", "0.25", "0.75")), sensitive("0.5", THEFT))
    records = ["group,version,theft", *["open,a,no"] * 40, *["disguised,b,no"] * 60]
    found = (
        folder.write_all(design=design, records=records).run("controls", "design.json", "records.csv").said
    )
    (version,) = found["drawn"]
    # (40 - 25)^2 / 25 + (60 - 75)^2 / 75 = 12
    assert version["p"] == pytest.approx(0.000532, abs=1e-6)


def test_too_few_with_the_control_item_and_a_design_without_one_are_refused(folder: Folder) -> None:
    folder.write_all(design=PLAIN_CONTROL, records=["group,moon,theft", *["disguised,no,no"] * 49])
    refusal = folder.run("controls", "design.json", "records.csv").refusal
    assert "records: too few have moon=yes: at least 50 are needed" in refusal
    folder.write_all(design=written(sensitive("0.5", THEFT)), records=["group,theft", "disguised,yes"])
    refusal = folder.run("controls", "design.json", "records.csv").refusal
    assert "known: the design has no control item" in refusal
