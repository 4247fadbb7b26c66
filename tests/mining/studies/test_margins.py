"""Reading known margins: what is read, and one line for each thing that is wrong."""

from io import BytesIO

import numpy as np
import pytest

from mining.studies.answer_counts_by_plain_pattern import PatternCounts
from mining.studies.population_margins_csv import PopulationMargin, margin_cells, read_margins
from privacy.designs import InputError
from tests.mining.studies.patterned import STUDY

RAKING = """\
age,sex,share
18-39,,0.4
40-59,,0.35
60+,,0.25
,f,0.5
,m,0.5
"""
CROSSED = """\
sex,work,share
f,employed,.2
f,not,.3
m,employed,.4
m,not,.1
"""


def read(text: str) -> tuple[PopulationMargin, ...]:
    return read_margins(BytesIO(text.encode()), "margins.csv", STUDY)


def test_each_block_of_rows_is_a_margin() -> None:
    ages, sexes = read(RAKING)
    assert (ages[0], sexes[0]) == ((0,), (1,))
    assert ages[1] == {(0,): 0.4, (1,): 0.35, (2,): 0.25}
    (crossed,) = read(CROSSED)
    questions, shares = crossed
    assert questions == (1, 2)
    assert shares[(1, 0)] == 0.4


def test_cells_by_pattern() -> None:
    (crossed,) = read(CROSSED)
    counts = PatternCounts.zeros(STUDY, (4, 1), (0, 1, 2))
    found = margin_cells(crossed, STUDY, counts.questions, counts.codes)
    assert found.cell.tolist() == [0, 1, 2, 3] * 3
    assert found.share == pytest.approx([0.2, 0.3, 0.4, 0.1])
    assert found.names[1] == "sex=f × work=not"


def test_what_is_wrong_is_refused_in_one_line(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("", "margins.csv:1: the columns are one or more questions, then 'share'"),
        ("age,part\n", "margins.csv:1: the columns are one or more questions, then 'share'"),
        ("share\n", "margins.csv:1: the columns are"),
        ("income,share\n", "margins.csv:1: the design has no question 'income'"),
        ("theft,share\n", "margins.csv:1: 'theft' is sensitive: use a question that is not disguised"),
        ("years,share\n", "margins.csv:1: 'years' is not shown to everybody"),
        ("sex,sex,share\n", "margins.csv:1: the column 'sex' appears twice"),
        ("sex,share\n", "margins.csv: holds no margin"),
        ("sex,share\nf,.5\nx,.5\n", "margins.csv:3: 'sex' has no choice 'x'"),
        ("sex,share\nf,.5\nf,.5\n", "margins.csv:3: appears twice"),
        ("sex,share\nf,.5\n,.5\n", "margins.csv:3: names no choice"),
        ("sex,share\nf,.5\nm,half\n", "margins.csv:3: the share 'half' is no number from 0 to 1"),
        ("sex,share\nf,.5\nm,nan\n", "margins.csv:3: the share 'nan' is no number from 0 to 1"),
        ("sex,share\nf,1.5\nm,-.5\n", "margins.csv:2: the share '1.5' is no number from 0 to 1"),
        ("sex,share\nf,.5\n", "margins.csv: a row is missing: 'sex=m'"),
        ("sex,work,share\nf,not,.5\nm,not,.5\n", "margins.csv: a row is missing: 'sex=f × work=employed'"),
        ("sex,share\nf,.5\nm,.50001\n", "margins.csv: the shares of 'sex' sum to 1.000010, not to 1"),
    ]
    for text, reason in cases:
        with subtests.test(f"{text!r:.60} {reason!r:.60}"):
            with pytest.raises(InputError) as refused:
                read(text)
            assert str(refused.value).startswith(reason)
            assert "\n" not in str(refused.value)


def test_sums_may_be_off_by_rounding() -> None:
    (margin,) = read("sex,share\nf,.5\nm,.5000005\n")
    found = margin_cells(margin, STUDY, (1,), np.array([[0, 1]]))
    assert found.share.sum() == pytest.approx(1, abs=1e-12)
