"""candor mine --margins."""

from typing import Any

import pytest

from tests.mining.studies.commands.conftest import HEADER, SURVEY, cell
from tests.runs.working import Folder

pytestmark = pytest.mark.proof


# 100 women of whom (.5 - .25) / .5 = .5 steal, 300 men of whom .1 do.
RECORDS = [HEADER, *cell("disguised", "60+", "f", 0.5, 100), *cell("disguised", "60+", "m", 0.3, 300)]
HALVES = ["sex,share", "f,0.5", "m,0.5"]
ASKED = ("--min-support", ".01", "--min-confidence", ".9", "--margins", "margins.csv")
MINED = ("mine", "design.json", "records.csv", *ASKED)

TELLS_ALL = "Everything is told, small classes too: --told REPORT.json mines what a report may tell."


def weighted(found: dict[str, Any], item: str) -> Any:
    (entry,) = (entry for entry in found["itemsets"] if entry["items"] == [item])
    return entry["weighted"]


def test_a_share_weighted_to_halves_by_hand(folder: Folder) -> None:
    """Unweighted .2; half women and half men: .3."""
    done = folder.write_all(design=SURVEY, records=RECORDS, margins=HALVES).run(*MINED)
    theft = weighted(done.said, "theft=yes")
    assert list(theft) == ["share", "se", "low", "high", "effective", "largest"]
    assert theft["share"] == pytest.approx(0.3)
    assert theft["low"] < 0.3 < theft["high"]
    # Women count twice: .5 / .25.
    assert theft["largest"] == pytest.approx(2)
    # By hand: variances y (1-y) / p^2 of the two classes of weights, a quarter each.
    classes = (0.5 * 0.5 / 100 + 0.3 * 0.7 / 300) / 0.25 / 4
    assert theft["se"] == pytest.approx(classes**0.5)
    assert theft["effective"] == pytest.approx(1 / (0.25 / 100 + 0.25 / 300))
    assert done.err.splitlines() == [TELLS_ALL]


def test_single_answers_alone_are_weighted(folder: Folder) -> None:
    found = folder.write_all(design=SURVEY, records=RECORDS, margins=HALVES).run(*MINED).said
    assert {"weighted" in entry for entry in found["itemsets"] if len(entry["items"]) > 1} == {False}
    assert weighted(found, "sex=f")["share"] == pytest.approx(0.5)
    assert not any("weighted" in rule for rule in found["rules"])


def test_without_margins_nothing_is_weighted(folder: Folder) -> None:
    found = folder.write_all(design=SURVEY, records=RECORDS).run(*MINED[:-2]).said
    assert not any("weighted" in entry for entry in found["itemsets"])


@pytest.mark.parametrize("group", ["open", "direct"])
def test_weighted_shares_are_of_the_disguised_alone(folder: Folder, group: str) -> None:
    design = SURVEY if group == "open" else {**SURVEY, "open_answers": False, "direct": "0.5"}
    more = [*RECORDS, *cell(group, "60+", "f", 1.0, 200)]
    folder.write_all(design=design, records=more, margins=HALVES)
    done = folder.run(*MINED)
    assert weighted(done.said, "theft=yes")["share"] == pytest.approx(0.3)
    whose = "of people who chose disguise" if group == "open" else "of the disguised arm"
    assert f"Weighted shares are {whose}.\n" in done.err


def test_too_few_disguised_records_have_no_weighted_share(folder: Folder) -> None:
    records = [HEADER, *cell("disguised", "60+", "f", 0.5, 20), *cell("open", "60+", "m", 0.5, 60)]
    found = folder.write_all(design=SURVEY, records=records, margins=HALVES).run(*MINED).said
    assert weighted(found, "theft=yes") is None


def test_a_weight_above_five_is_said(folder: Folder) -> None:
    """A tenth of the records for .6 of the people."""
    records = [HEADER, *cell("disguised", "60+", "f", 0.5, 40), *cell("disguised", "60+", "m", 0.3, 360)]
    margins = ["sex,share", "f,0.6", "m,0.4"]
    done = folder.write_all(design=SURVEY, records=records, margins=margins).run(*MINED)
    assert done.err.splitlines() == [
        TELLS_ALL,
        "A weight is 6.0 times the mean: few records represent many people.",
    ]
    assert weighted(done.said, "theft=yes")["largest"] == pytest.approx(6)


def test_margins_that_cannot_be_met_are_refused(folder: Folder) -> None:
    folder.write_all(design=SURVEY, records=RECORDS, margins=["sex,share", "f,1"])
    assert "margins.csv: a row is missing: 'sex=m'" in folder.run(*MINED).refusal
