"""candor waves."""

from math import hypot
from typing import Any

import pytest

from tests.mining.studies.commands.conftest import HEADER, SEX, SURVEY, cell
from tests.mining.studies.commands.test_arms import wilson
from tests.privacy.questionnaires import HALF, drawn, plain, question, sensitive, written
from tests.runs.working import Folder

pytestmark = pytest.mark.proof
WAVES = ("waves", "before.json", "before.csv", "after.json", "after.csv")
# Asked again with another keep, and without age.
AGAIN = written(plain(SEX), sensitive("0.8", question("theft", *HALF)))
BEFORE = [HEADER, *cell("disguised", "60+", "f", 0.4, 200)]


def after(received: float, n: int, group: str = "disguised") -> list[str]:
    rows = cell(group, "60+", "f", received, n)
    return ["group,sex,theft", *(row.replace("60+,", "") for row in rows)]


def both(folder: Folder, later: list[str], design: dict[str, Any] = AGAIN) -> Folder:
    folder.write("before.json", SURVEY)
    folder.write("before.csv", BEFORE)
    folder.write("after.json", design)
    folder.write("after.csv", later)
    return folder


def test_two_waves_by_hand(folder: Folder) -> None:
    """Earlier (.4 - .25) / .5 = .3, later (.5 - .1) / .8 = .5; the ends are near those that squared distances give."""
    found = both(folder, after(0.5, 400)).run(*WAVES, "--drawn-anew").said
    assert not found["same_people"]
    assert (found["earlier"], found["later"]) == (200, 400)
    theft = next(entry for entry in found["items"] if entry["item"] == "theft=yes")
    assert list(theft) == ["item", "earlier", "later", "difference", "low", "high", "p", "holm"]
    assert (theft["earlier"], theft["later"], theft["difference"]) == pytest.approx((0.3, 0.5, 0.2))
    first = [(end - 0.25) / 0.5 for end in wilson(80, 200)]
    second = [(end - 0.1) / 0.8 for end in wilson(200, 400)]
    assert theft["low"] == pytest.approx(0.2 - hypot(0.5 - second[0], first[1] - 0.3), abs=0.005)
    assert theft["high"] == pytest.approx(0.2 + hypot(second[1] - 0.5, 0.3 - first[0]), abs=0.005)


def test_unless_said_otherwise_the_same_people_may_have_answered_both(folder: Folder) -> None:
    written = both(folder, after(0.5, 400))
    found = [written.run(*WAVES, *more).said for more in ((), ("--drawn-anew",))]
    assert found[0]["same_people"]
    same, anew = (next(one for one in of["items"] if one["item"] == "theft=yes") for of in found)
    assert same["low"] < anew["low"] < anew["high"] < same["high"]
    assert same["p"] > anew["p"]
    # Only questions in the same words are compared, plain ones too.
    assert [entry["item"] for entry in found[0]["items"]] == ["sex=f", "sex=m", "theft=yes"]
    assert found[0]["items"][0]["difference"] == 0


def test_a_wave_with_open_records_uses_both_groups(folder: Folder) -> None:
    """Later: 100 open of whom half steal beside 400 disguised with .5."""
    later = [*after(0.5, 400), *after(0.5, 100, "open")[1:]]
    found = both(folder, later).run(*WAVES).said
    theft = next(entry for entry in found["items"] if entry["item"] == "theft=yes")
    assert theft["later"] == pytest.approx(0.5)
    assert theft["low"] < 0.2 < theft["high"]


def test_of_a_direct_arm_nothing_is_compared(folder: Folder) -> None:
    design = {**AGAIN, "open_answers": False, "direct": "0.5"}
    later = [*after(0.5, 400), *after(1.0, 100, "direct")[1:]]
    found = both(folder, later, design).run(*WAVES).said
    assert found["later"] == 400
    theft = next(entry for entry in found["items"] if entry["item"] == "theft=yes")
    assert theft["later"] == pytest.approx(0.5)


def test_what_devices_drew_is_no_difference_between_waves(folder: Folder) -> None:
    design = written(plain(drawn("version", *HALF)), SURVEY["sections"][1])
    records = ["group,version,theft", *["disguised,a,no"] * 60]
    for wave in ("before", "after"):
        folder.write(f"{wave}.json", design)
        folder.write(f"{wave}.csv", records)
    assert [entry["item"] for entry in folder.run(*WAVES).said["items"]] == ["theft=yes"]


def test_too_few_of_a_wave_say_nothing(folder: Folder) -> None:
    found = both(folder, after(0.5, 49)).run(*WAVES).said
    assert {entry["difference"] for entry in found["items"]} == {None}
