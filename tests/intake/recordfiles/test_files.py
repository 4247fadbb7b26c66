"""A record file is a function of what it may show: what it hides of a survey changes no byte but the order of rows."""

import io
import json
import zipfile

import numpy as np
import pytest

from accounts.models import Person
from intake.recordfiles.offer import hand_over
from tests.releases import surveyed
from tests.releases.surveyed import Row
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page]
DISGUISED = surveyed.everybody(12)


def files(owner: Person, opened: list[Row], *, finished: bool, order: int = 0) -> dict[str, list[bytes]]:
    """By name the lines of each file; those of the records sorted, since their order is drawn."""
    rows = DISGUISED + opened
    rows = [rows[place] for place in np.random.default_rng(order).permutation(len(rows))]
    behind = {"name": "theft", "choices": ["no", "yes"], "show_if": {"age": ["young", "grown"]}}
    sections = json.loads(surveyed.design().canonical)["sections"]
    of = surveyed.design(sections=[sections[0], {**sections[1], "questions": [behind]}])
    survey = surveyed.survey(owner, [applied(row) for row in rows], of=of)
    if finished:
        sealed.finish(survey)
    data = zipfile.ZipFile(io.BytesIO(b"".join(hand_over(survey, owner, "csv", "en", NOW))))
    found = {name: data.read(name).splitlines() for name in data.namelist()}
    return {name: sorted(lines) if name == "records.csv" else lines for name, lines in found.items()}


def applied(row: Row) -> Row:
    """The old are not shown the sensitive question."""
    group, age, town, theft = row
    return (group, age, town, 3 if age == 2 else theft)


YOUNG = surveyed.opened(surveyed.people((0, 0, 20)))
ELSEWHERE = surveyed.opened(surveyed.people((1, 2, 20)))
FEW_OLD = surveyed.opened(surveyed.people((2, 1, 4)))


def test_before_a_survey_is_finished_its_file_does_not_depend_on_open_answers(owner: Person) -> None:
    first = files(owner, YOUNG, finished=False)
    assert first == files(owner, ELSEWHERE, finished=False, order=1)
    assert first == files(owner, [*YOUNG, *FEW_OLD], finished=False, order=2)


def test_afterwards_it_shows_of_open_ones_neither_plain_answers_nor_those_left_out(owner: Person) -> None:
    """Town and age differ within one pattern; four with another pattern are left out with the next group."""
    first = files(owner, YOUNG, finished=True)
    assert sum(line.startswith(b"open") for line in first["records.csv"]) == 20
    assert first == files(owner, ELSEWHERE, finished=True, order=1)
    with_few = files(owner, [*YOUNG, *FEW_OLD], finished=True)
    assert with_few == files(owner, [*ELSEWHERE, *FEW_OLD[:3]], finished=True, order=2)
