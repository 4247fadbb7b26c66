"""candor arms."""

from math import hypot, sqrt

import pytest

from tests.privacy.questionnaires import HALF, plain, question, sensitive, written
from tests.runs.working import Folder

MOON = {"name": "moon", "choices": ["no", "yes"], "known": "0.0000"}
ARMS = written(
    plain(MOON),
    sensitive("0.5", question("theft", *HALF), question("lying", *HALF)),
    open_answers=False,
    direct="0.5",
)
OF_ARMS = ("n_direct", "direct_low", "direct_high", "n_disguised", "disguised_low", "disguised_high")
HEADER = "group,moon,theft,lying"


def rows(group: str, theft: int, lying: int, n: int, moon: str = "no") -> list[str]:
    """n records, the first of them with *yes*."""
    yes_no = ("no", "yes")
    return [f"{group},{moon},{yes_no[place < theft]},{yes_no[place < lying]}" for place in range(n)]


RECORDS = [HEADER, *rows("direct", 20, 20, 200), *rows("disguised", 120, 90, 300)]


def wilson(having: int, n: int) -> tuple[float, float]:
    share, square = having / n, 1.96**2
    middle = share + square / (2 * n)
    half = 1.96 * sqrt(share * (1 - share) / n + square / (4 * n**2))
    return (middle - half) / (1 + square / n), (middle + half) / (1 + square / n)


def test_the_arms_who_left_and_the_control_item_by_hand(folder: Folder) -> None:
    """Direct 20 of 200; disguised 120 of 300 received, so (.4 - .25) / .5 = .3."""
    found = folder.write_all(design=ARMS, records=RECORDS).run("arms", "design.json", "records.csv").said
    assert list(found) == ["direct", "disguised", "share", "completion", "items", "controls"]
    assert (found["direct"], found["disguised"], found["share"]) == (200, 300, 0.5)
    theft, lying = found["items"]
    assert list(theft) == [
        *("item", "direct", "disguised", "difference", "low", "high"),
        *("p", "holm", "smallest_more", "smallest_fewer", "bounds"),
        *OF_ARMS,
    ]
    assert theft["item"] == "theft=yes"
    assert (theft["direct"], theft["disguised"], theft["difference"]) == pytest.approx((0.1, 0.3, 0.2))
    direct = wilson(20, 200)
    disguised = [(end - 0.25) / 0.5 for end in wilson(120, 300)]
    assert theft["low"] == pytest.approx(0.2 - hypot(0.3 - disguised[0], direct[1] - 0.1), abs=0.005)
    assert theft["high"] == pytest.approx(0.2 + hypot(disguised[1] - 0.3, 0.1 - direct[0]), abs=0.005)
    assert (theft["n_direct"], theft["n_disguised"]) == (200, 300)
    assert (theft["direct_low"], theft["direct_high"]) == pytest.approx(direct, abs=0.005)
    assert (theft["disguised_low"], theft["disguised_high"]) == pytest.approx(disguised, abs=0.005)
    # Lying: 90 of 300 received are .1 of them, as in the direct arm.
    assert (lying["difference"], lying["p"], lying["holm"]) == pytest.approx((0.0, 1.0, 1.0))
    assert theft["holm"] == pytest.approx(2 * theft["p"])
    assert theft["p"] < 0.01
    # Who left: 200 of 500 are direct where half were drawn: q = 2/3, so at most a third of the direct arm left for it.
    left = found["completion"]
    assert list(left) == ["completion", "low", "high", "p"]
    assert left["completion"] == pytest.approx(2 / 3)
    assert left["low"] < 2 / 3 < left["high"] < 1
    assert left["p"] < 0.001
    # (.3 - 1/3) / (2/3) is below 0; .3 / (2/3) = .45.
    assert found["items"][0]["bounds"] == pytest.approx([-0.1, 0.35])
    # Control items stand beside the differences.
    (moon,) = found["controls"]
    assert list(moon) == ["item", "direct", "disguised", "difference", "low", "high", "p", *OF_ARMS]
    assert (moon["item"], moon["difference"]) == ("moon=yes", 0)
    # Clopper and Pearson of none among 200, and among 300.
    assert [moon[name] for name in OF_ARMS] == pytest.approx(
        [200, 0, 1 - 0.025 ** (1 / 200), 300, 0, 1 - 0.025 ** (1 / 300)]
    )


def test_direct_records_that_withhold_plain_answers_are_compared_too(folder: Folder) -> None:
    withheld = [row.replace("direct,no", "direct,?") for row in RECORDS]
    assert "direct,?,yes,yes" in withheld
    folder.write_all(design=ARMS, records=RECORDS, withheld=withheld)
    whole, without = (
        folder.run("arms", "design.json", f"{name}.csv").said for name in ("records", "withheld")
    )
    assert without["items"] == whole["items"]
    assert without["completion"] == whole["completion"]
    assert without["controls"][0]["difference"] is None


def test_too_few_of_an_arm_are_not_compared(folder: Folder) -> None:
    records = [HEADER, *rows("direct", 2, 2, 9), *rows("disguised", 120, 90, 300)]
    found = folder.write_all(design=ARMS, records=records).run("arms", "design.json", "records.csv").said
    for entry in found["items"]:
        assert {name: value for name, value in entry.items() if value is not None} == {
            "item": entry["item"],
            "bounds": [None, None],
        }


def test_what_cannot_be_compared_is_refused(folder: Folder) -> None:
    without = {key: value for key, value in ARMS.items() if key != "direct"}
    for design, records, said in (
        (ARMS, [], "holds no record"),
        (
            without,
            ["disguised,no,no,no"],
            "direct: the design has no direct arm, so there is nothing to compare",
        ),
        (ARMS, ["open,no,no,no"], "records.csv:2: the group is direct or disguised, not 'open'"),
    ):
        folder.write_all(design=design, records=[HEADER, *records])
        assert said in folder.run("arms", "design.json", "records.csv").refusal
