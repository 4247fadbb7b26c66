"""Files hold the whole words of a question, however long; pages may show less."""

import csv
import io
from zipfile import ZipFile

import numpy as np
import pytest
from django.test import Client
from openpyxl import load_workbook
from pyarrow import parquet

from accounts.models import Person
from mining.parameters import Parameters
from privacy.records import DISGUISED
from privacy.simulation.disguise import disguise
from reports.labels import Labels
from tests.intake import asked
from tests.kept_rows import kept
from tests.mining.disclosure.random_surveys import Study
from tests.wake_ups import broker

__all__ = ["broker"]

pytestmark = [pytest.mark.django_db, pytest.mark.page]

QUESTION = (
    "Thinking of the last twelve months, and of nothing that happened before them: have you ever taken home from your "
    "place of work, without asking anybody, something that did not belong to you and that you did not bring back?"
)
OPTION = "something else that this long list of things to choose from does not name and that you would rather not name"
ASKS = asked.written(
    {
        "kind": "plain",
        "questions": [{"name": "work", "text": {"en": f"Work: {QUESTION}"}, "choices": ["a", "b"]}],
    },
    {
        "kind": "unrelated-question",
        "keep": "0.9",
        "questions": [
            {"name": "took_home", "text": {"en": QUESTION}, "choices": ["no", "yes"]},
            {
                "name": "other",
                "of": "things",
                "form": "many",
                "text": {"en": QUESTION},
                "choices": [{"name": "no"}, {"name": "yes", "label": {"en": OPTION}}],
            },
        ],
    },
    least=20,
)
WORDS = f"{QUESTION} Yes"


@pytest.fixture
def client(reading: Client) -> Client:
    return reading


@pytest.fixture
def number(owner: Person, reviewer: Person) -> int:
    """Of a report: half of 600 people did both, so that there are rules."""

    def make() -> int:
        study, n = Study(owner, reviewer, ASKS), 600
        did = np.arange(n, dtype=np.uint16) % 2
        true = np.stack([did // 2 + (np.arange(n, dtype=np.uint16) // 300), did, did])
        group = np.full(n, DISGUISED, np.uint8)
        study.seal(group, disguise(ASKS, group, true.astype(np.uint16), np.random.default_rng(1)))
        run = study.mine(Parameters(0.05, 0.2))
        study.publish(run)
        assert run.rule_count
        return int(run.pk)

    return kept(("long words",), make, lambda number: number, is_computed=True)


def test_an_answer_in_full_is_its_question_and_its_choice() -> None:
    labels = Labels(ASKS)
    assert labels.in_full(["took_home=yes"]) == WORDS
    assert labels.in_full(["took_home=yes", "other=yes"]) == f"{WORDS} and {QUESTION} {OPTION}"


def test_nothing_is_cut_in_csv(client: Client, number: int) -> None:
    with ZipFile(io.BytesIO(client.get(f"/app/reports/{number}/files/csv").content)) as bundle:
        for name in ("shares", "groups", "itemsets", "rules", "pairs"):
            text = bundle.read(f"{name}.csv").decode()
            assert WORDS in text, name
            assert "…" not in text
        rule = next(csv.DictReader(io.StringIO(bundle.read("rules.csv").decode())))
        questions = bundle.read("questions.csv").decode()
    assert QUESTION in rule["antecedent_in_words"]
    assert OPTION in questions


def test_nothing_is_cut_in_excel_and_parquet(client: Client, number: int) -> None:
    book = load_workbook(io.BytesIO(client.get(f"/app/reports/{number}/files/excel").content))
    cells = [str(cell.value) for sheet in book for row in sheet.iter_rows() for cell in row]
    assert WORDS in cells
    assert not [cell for cell in cells if "…" in cell]
    sheet = book["rules"]
    words = next(cell for cell in sheet[1] if cell.value == "antecedent_in_words")
    # A long text is folded in its cell, so that the columns beside it stay in sight.
    assert sheet.column_dimensions[words.column_letter].width < 70
    assert sheet.column_dimensions[words.column_letter].alignment.wrap_text
    with ZipFile(io.BytesIO(client.get(f"/app/reports/{number}/files/parquet").content)) as bundle:
        table = parquet.read_table(io.BytesIO(bundle.read("shares.parquet")))
    assert WORDS in table["items_in_words"].to_pylist()
