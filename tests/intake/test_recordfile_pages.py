"""Who downloads record files, and that these are a function of what they may show."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pyreadstat
import pytest
from django.test import Client
from pyarrow import parquet

from accounts.models import History, Person
from intake.models import Inbox
from intake.recordfiles import spss_and_stata_variables
from intake.recordfiles.download import hand_over_file
from privacy.records import RecordRow
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from tests.cast import As
from tests.intake import asked
from tests.releases.conftest import Row, disguised_rows, everybody, open_rows, plain_design, plain_survey
from tests.runs import sealed
from tests.surveys.conftest import ASKS, NOW, Allow

pytestmark = pytest.mark.page
ROWS = [RecordRow(1, (0, 1)), RecordRow(1, (1, 0)), RecordRow(0, (1, 1))] * 10
NONE_YET = "No answers are sealed yet"


@pytest.fixture
def finished_survey(survey: Survey) -> Survey:
    asked.seal_batches(survey, ASKS, ROWS)
    return sealed.finish_survey(survey)


@pytest.fixture
def survey_with_allowed_files(finished_survey: Survey, approve_record_files: Allow) -> Survey:
    """A finished survey of which a reviewer allows the record files."""
    approve_record_files(finished_survey)
    return finished_survey


def page(client: Client, survey: Survey) -> str:
    answer = client.get(f"/app/surveys/{survey.pk}/records")
    assert answer.status_code == 200
    return str(answer.text)


def ask(client: Client, survey: Survey, kind: str = "csv", follow: bool = False) -> Any:
    return client.post(f"/app/surveys/{survey.pk}/records", {"kind": kind}, follow=follow)


def download(client: Client, survey: Survey, kind: str = "csv") -> ZipFile:
    answer = ask(client, survey, kind)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    return ZipFile(io.BytesIO(b"".join(answer.streaming_content)))


def test_editor_downloads_record_files_once_allowed(
    finished_survey: Survey,
    client: Client,
    reviewer: Person,
    approve_record_files: Allow,
    works_on: Callable[..., Person],
    signed_in_as: As,
) -> None:
    # Nothing leaves before a reviewer said yes.
    assert ask(client, finished_survey).status_code == 403
    shown = page(client, finished_survey)
    assert f'href="/app/surveys/{finished_survey.pk}/ask"' in shown
    assert 'name="kind"' not in shown
    approve_record_files(finished_survey)
    shown = page(client, finished_survey)
    words = "Ruth Reviewer approved this on", "single a person out", "<dd>30</dd>"
    assert asked.missing_parts(shown, *words) == []
    for who in (client, signed_in_as(reviewer), signed_in_as(works_on(finished_survey, may_edit=True))):
        assert len(download(who, finished_survey).read("records.csv").splitlines()) == 31
    viewing = signed_in_as(works_on(finished_survey, may_edit=False))
    assert ask(viewing, finished_survey).status_code == 403
    assert 'name="kind"' not in page(viewing, finished_survey)


TELLS = "reveals whether a withheld answer lets the question appear"
TRUE = "They are true from people who chose no disguise"


def test_record_file_page_says_what_open_rows_and_rules_reveal(
    survey: Survey, client: Client, owner: Person, approve_record_files: Allow
) -> None:
    assert "Those who chose none are in it once the survey is finished." in page(client, survey)
    shown = page(client, sealed.finish_survey(survey))
    assert (TRUE in shown, TELLS in shown, "too few were shown" in shown) == (True, False, False)
    approve_record_files(survey)
    assert "too few were shown" in page(client, survey)
    plain, sensitive = ASKS.as_json()["sections"]
    ruled = [{**question, "show_if": {"age": ["40+"]}} for question in sensitive["questions"]]
    for opens in (True, False):
        asks = asked.make_design(plain, {**sensitive, "questions": ruled}, open_answers=opens)
        shown = page(client, sealed.finish_survey(asked.survey(asks, owner=owner)))
        for words in (TELLS, TRUE, "withheld in the rows of people"):
            assert (words in shown) is opens


def test_bundle_is_in_the_downloaders_language(
    survey_with_allowed_files: Survey, client: Client, owner: Person
) -> None:
    Inbox.objects.create(survey=survey_with_allowed_files, record=b"100")
    bundle = download(client, survey_with_allowed_files)
    assert bundle.namelist() == ["codebook.md", "analysis.R", "analysis.py", "design.json", "records.csv"]
    lines = bundle.read("records.csv").decode().splitlines()
    assert sorted(set(lines[1:])) == ["disguised,18-39,yes", "disguised,40+,no", "open,?,yes"]
    assert bundle.read("design.json").decode() == ASKS.canonical
    assert "Records: 30, of which 20 disguised and 10 open" in bundle.read("codebook.md").decode()
    for script in ("analysis.R", "analysis.py"):
        assert bundle.read(script).decode().startswith("# Work & health\n")
    owner.language = "zh-hans"
    owner.save()
    bundle = download(client, survey_with_allowed_files, "parquet")
    assert "工作" in bundle.read("codebook.md").decode().splitlines()[0]
    table = parquet.read_table(io.BytesIO(bundle.read("records.parquet")))
    assert "是" in table.schema.field("theft").metadata[b"candor:labels"].decode()


def test_formats_hold_the_same_records_and_downloads_are_in_the_history(
    survey_with_allowed_files: Survey,
    client: Client,
    owner: Person,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = parquet.read_table(
        io.BytesIO(download(client, survey_with_allowed_files, "parquet").read("records.parquet"))
    )
    assert sorted(table["age"].to_pylist()) == ["18-39"] * 10 + ["40+"] * 10 + ["?"] * 10
    # Too many cells for SPSS are refused with the way out.
    monkeypatch.setattr(spss_and_stata_variables, "MOST_CELLS", 89)
    assert "Take CSV or Parquet" in ask(client, survey_with_allowed_files, "sav", follow=True).text
    monkeypatch.setattr(spss_and_stata_variables, "MOST_CELLS", 90)
    (tmp_path / "records.sav").write_bytes(
        download(client, survey_with_allowed_files, "sav").read("records.sav")
    )
    data, about = pyreadstat.read_sav(tmp_path / "records.sav", output_format="dict")
    assert sorted(data["theft"]) == [0] * 10 + [1] * 20
    assert about.file_label == "Work & health"
    entries = (
        History.objects.about(survey_with_allowed_files)
        .filter(what="intake.records-downloaded")
        .order_by("pk")
    )
    assert [(entry.who, entry.note) for entry in entries] == [(owner, "Parquet"), (owner, "SPSS")]
    assert ask(client, survey_with_allowed_files, "xls").status_code == 422


def test_without_sealed_records_there_is_no_file(
    draft: Survey, survey: Survey, client: Client, owner: Person, approve_record_files: Allow
) -> None:
    assert "once the survey has been opened" in page(client, draft)
    approve_record_files(survey)
    assert re.search(
        rf"{NONE_YET}.* when \d+ have come, or when the survey closes with at least \d+\.",
        page(client, survey),
    )
    assert NONE_YET in ask(client, survey, follow=True).text
    assert not History.objects.about(survey).filter(what="intake.records-downloaded").exists()
    asked.seal_batches(survey, ASKS, ROWS)
    lifecycle.close_survey(survey, owner, NOW)
    lifecycle.destroy_survey(survey, owner, NOW)
    assert "have been deleted" in page(client, survey)
    assert ask(client, survey, follow=True)["Content-Type"].startswith("text/html")


# --- a record file is a function of what it may show

DISGUISED = everybody(12)


def files(owner: Person, opened: list[Row], *, finished: bool, order: int = 0) -> dict[str, list[bytes]]:
    """By name the lines of each file; those of the records sorted, since their order is drawn."""
    rows = DISGUISED + opened
    rows = [rows[place] for place in np.random.default_rng(order).permutation(len(rows))]
    behind = {"name": "theft", "choices": ["no", "yes"], "show_if": {"age": ["young", "grown"]}}
    sections = json.loads(plain_design().canonical)["sections"]
    of = plain_design(sections=[sections[0], {**sections[1], "questions": [behind]}])
    # The old are not shown the sensitive question.
    shown = [(group, age, town, 3 if age == 2 else theft) for group, age, town, theft in rows]
    survey = plain_survey(owner, shown, of=of)
    if finished:
        sealed.finish_survey(survey)
    data = ZipFile(io.BytesIO(b"".join(hand_over_file(survey, owner, "csv", "en", NOW))))
    found = {name: data.read(name).splitlines() for name in data.namelist()}
    return {name: sorted(lines) if name == "records.csv" else lines for name, lines in found.items()}


YOUNG = open_rows(disguised_rows((0, 0, 20)))
ELSEWHERE = open_rows(disguised_rows((1, 2, 20)))
FEW_OLD = open_rows(disguised_rows((2, 1, 4)))


@pytest.mark.django_db
def test_record_file_before_finishing_does_not_depend_on_open_answers(owner: Person) -> None:
    """Afterwards it shows of open ones neither plain answers nor those left out: town and age differ within one
    pattern; four with another pattern are left out with the next group."""
    first = files(owner, YOUNG, finished=False)
    assert first == files(owner, ELSEWHERE, finished=False, order=1)
    assert first == files(owner, [*YOUNG, *FEW_OLD], finished=False, order=2)
    first = files(owner, YOUNG, finished=True)
    assert sum(line.startswith(b"open") for line in first["records.csv"]) == 20
    assert first == files(owner, ELSEWHERE, finished=True, order=1)
    with_few = files(owner, [*YOUNG, *FEW_OLD], finished=True)
    assert with_few == files(owner, [*ELSEWHERE, *FEW_OLD[:3]], finished=True, order=2)
