import re
import sys
from hashlib import sha256
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import History, Person
from importing import candor_format, xlsform
from importing.import_result import MOST_BYTES
from privacy.designs import parse_design
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import opening
from surveys.models import Survey
from tests.cast import As
from tests.importing.flow.made_files import form
from tests.surveys import drafts
from tests.surveys.conftest import NOW
from tests.surveys.drafts import normalize_draft

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("read_here")]
EXPORTS = ["export", "export/questionnaire.json", "export/questionnaire.xlsx"]


def upload(client: Client, data: bytes, name: str = "questionnaire.json") -> Any:
    return client.post("/app/surveys/import", {"file": SimpleUploadedFile(name, data)})


def accept(client: Client, read_through: Any, **ticks: Any) -> Any:
    """Accept what an upload showed."""
    return client.post("/app/surveys/import/accept", {"ticket": read_through.context["ticket"], **ticks})


def bring_in(client: Client, data: bytes, name: str = "questionnaire.json", **ticks: Any) -> Any:
    return accept(client, upload(client, data, name), **ticks)


# --- import


def test_only_people_who_may_begin_surveys_import_questionnaires(
    judging: Client, reading: Client, owner: Person
) -> None:
    data = candor_format.write(normalize_draft(drafts.complete()))
    assert Client().get("/app/surveys/import").status_code == 302
    assert upload(Client(), b"{}").status_code == 302
    assert judging.get("/app/surveys/import").status_code == 403
    assert upload(judging, data).status_code == 403
    assert reading.put("/app/surveys/import").status_code == 405
    # An upload needs its token.
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert upload(client, data).status_code == 403
    assert not Survey.objects.exists()


@pytest.mark.parametrize("kind", ["json", "xlsx"])
def test_imported_questionnaire_is_ones_own_draft(owner: Person, kind: str, reading: Client) -> None:
    draft = normalize_draft(drafts.bilingual())
    data = candor_format.write(draft) if kind == "json" else xlsform.write(read_questionnaire(draft))
    read_through = upload(reading, data, f"q.{kind}")
    assert read_through.status_code == 200
    assert not Survey.objects.exists()
    answer = accept(reading, read_through)
    survey = Survey.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/app/surveys/{survey.pk}/edit")
    assert (survey.owner, survey.state, survey.design) == (owner, "draft", None)
    assert survey.draft == draft
    assert [entry.what for entry in History.objects.about(survey)] == ["surveys.imported"]


def number_form() -> bytes:
    header = ["type", "name", "label", "constraint"]
    return form(["integer", "debt", "Debt?", ". >= 0 and . <= 24999999"], header=header)


def test_limits_follow_the_entered_ends_where_they_fit(reading: Client) -> None:
    page = upload(reading, number_form(), "q.xlsx").text
    assert 'name="low-0" value="0"' in page
    assert 'name="high-0" value="24999999"' in page
    usual, cases = [10_000, 100_000, 1_000_000, 10_000_000], list[tuple[dict[str, str], list[int]]]()
    cases += [({}, usual), ({"low-0": "0", "high-0": "5000"}, [1000, 2000, 3000, 4000])]
    cases += [({"low-0": "0", "high-0": "0"}, usual), ({"low-0": "x", "high-0": ""}, usual)]
    for ends, limits in cases:
        answer = bring_in(reading, number_form(), "q.xlsx", **ends)
        [question] = Survey.objects.latest("pk").draft["sections"][0]["questions"]
        assert question["limits"] == limits, ends
        page = reading.get(answer["Location"]).text
        assert ("do not fit" in page) == (len(ends) > 0 and limits == usual), ends


def endless_form() -> bytes:
    rows = [["integer", "debt", "Debt?", ". >= 100"], ["integer", "years", "Years?", ""]]
    return form(*rows, header=["type", "name", "label", "constraint"])


def test_number_is_imported_with_entered_ends_or_left_out(reading: Client) -> None:
    debt, years = {"low-0": "100", "high-0": "600"}, {"low-1": "0", "high-1": "60"}
    cases: list[tuple[dict[str, str], list[str]]] = [
        (debt | years, ["debt", "years"]),
        (debt | {"low-1": "", "high-1": ""}, ["debt"]),
        ({"low-0": "100", "high-0": ""} | years, ["years"]),
        ({"low-0": "100", "high-0": "50"} | years, ["years"]),
        ({}, []),
    ]
    page = upload(reading, endless_form(), "q.xlsx").text
    fields = re.findall(r'name="((?:low|high)-[01])" value="(.*?)"', page)
    assert fields == [("low-0", "100"), ("high-0", ""), ("low-1", ""), ("high-1", "")]
    assert page.count("without them this question is left out") == 2
    ranges = {"debt": (100, 600, [200, 300, 400, 500]), "years": (0, 60, [10, 20, 30, 40, 50])}
    for ends, came in cases:
        answer = bring_in(reading, endless_form(), "q.xlsx", **ends)
        draft = Survey.objects.latest("pk").draft
        asked = [question for of in draft["sections"] for question in of["questions"]]
        assert [question["name"] for question in asked] == came, ends
        for question in asked:
            low, high, limits = ranges[question["name"]]
            assert (question["low"], question["high"]) == (low, high)
            assert question["limits"] == limits
        assert ("are missing or do not fit" in reading.get(answer["Location"]).text) == (len(came) < 2), ends


def test_rule_on_a_left_out_number_is_dropped_and_reported(reading: Client) -> None:
    rows = [["integer", "kids", "How many?", ""], ["select_one yes_no", "work", "Work?", "${kids} > 2"]]
    data = form(*rows, header=["type", "name", "label", "relevant"])
    answer = bring_in(reading, data, "q.xlsx", plain=["0", "1"])
    [section] = Survey.objects.latest("pk").draft["sections"]
    assert [(question["name"], question.get("show_if", {})) for question in section["questions"]] == [
        ("work", {})
    ]
    assert "now asked of everybody: work" in reading.get(answer["Location"]).text


def test_missing_settings_of_a_file_are_those_of_a_new_draft(reading: Client) -> None:
    bring_in(reading, b'{"format": "candor-design/1", "retention": "2020-01-01", "sections": []}')
    draft = Survey.objects.get().draft
    assert (draft["least"], draft["minutes"], draft["expected"], draft["rehearsal"]) == (100, 5, 1000, False)
    assert draft["retention"] > "2026-01-01"


def test_preticked_number_stays_plain_with_entered_ends(reading: Client) -> None:
    imports = reading.get("/app/surveys/import").text
    for column in ("limits", "mean", "quantiles", "step", "unit", "window", "uniform"):
        assert f"<code>candor_{column}</code>" in imports
    page = upload(reading, number_form(), "q.xlsx")
    assert re.search(r'name="plain" value="0" checked', page.text)
    assert "Deselect those that are sensitive" in page.text
    assert "bands that are only proposed: debt (" in page.text
    bring_in(reading, number_form(), "q.xlsx", **{"plain": "0", "low-0": "0", "high-0": "500"})
    (section,) = Survey.objects.get().draft["sections"]
    assert section["kind"] == "plain"
    assert section["questions"][0]["number"]["limits"] == [100, 200, 300, 400]


def test_refused_file_names_place_and_reason_and_stores_nothing(reading: Client) -> None:
    answer = upload(reading, form(["text", "why", "Why?"], ["image", "face", "You?"]), "form.xlsx")
    page = answer.text
    assert answer.status_code == 422
    assert "sheet survey, row 2" in page
    assert "no disguise can hide" in page
    assert "sheet survey, row 3" in page
    assert "form.xlsx" in page
    assert not Survey.objects.exists()


def test_hostile_file_name_is_only_shown_and_other_files_refused(reading: Client) -> None:
    assert "<b>.json" not in upload(reading, b"[]", "<b>.json").text
    old = upload(reading, b"\xd0\xcf\x11\xe0" + bytes(600), "old.xls")
    assert "save it as .xlsx" in old.text
    assert reading.post("/app/surveys/import").status_code == 422
    assert upload(reading, b"").status_code == 422


def test_too_large_file_is_refused_unread(reading: Client) -> None:
    answer = upload(reading, bytes(MOST_BYTES + 20_000))
    assert answer.status_code == 413
    assert "That is too large" in answer.text
    # A request that lies about its length is refused, too.
    for length in ("many", "²", "9" * 5000):
        kind = "multipart/form-data; boundary=x"
        answer = reading.generic("POST", "/app/surveys/import", b"", kind, CONTENT_LENGTH=length)
        assert answer.status_code == 413, length[:10]


# --- export


def test_questions_are_exported_by_people_who_see_the_survey_only(
    draft: Survey, viewer: Person, reviewer: Person, stranger: Person, signed_in_as: As, reading: Client
) -> None:
    for place in EXPORTS:
        address = f"/app/surveys/{draft.pk}/{place}"
        assert Client().get(address).status_code == 302, place
        assert signed_in_as(stranger).get(address).status_code == 404, place
        assert reading.post(address).status_code == 405, place
        for person in (viewer, reviewer):
            assert signed_in_as(person).get(address).status_code == 200, place
    for kind in ("csv", "xls", "JSON"):
        assert reading.get(f"/app/surveys/{draft.pk}/export/questionnaire.{kind}").status_code == 404, kind


def test_exported_draft_is_the_future_design_and_can_be_imported(
    draft: Survey, owner: Person, reading: Client
) -> None:
    address = f"/app/surveys/{draft.pk}/export/questionnaire"
    answer = reading.get(f"{address}.json")
    assert answer["Content-Disposition"] == 'attachment; filename="work-and-health.json"'
    assert parse_design(answer.content) == parse_design(candor_format.write(draft.draft))
    bring_in(reading, reading.get(f"{address}.xlsx").content, "q.xlsx")
    copy = Survey.objects.exclude(pk=draft.pk).get()
    assert copy.draft == normalize_draft(draft.draft)
    # An opened survey leaves as its design to the byte.
    opening.open_survey_now(draft, owner, NOW)
    assert sha256(reading.get(f"{address}.json").content).hexdigest() == draft.design_id


def test_page_of_exports_loads_no_library_for_workbooks(
    draft: Survey, reading: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """openpyxl takes 10 MB of each web process."""
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert reading.get(f"/app/surveys/{draft.pk}/export").status_code == 200


def test_page_says_what_a_spreadsheet_cannot_hold(draft: Survey, reading: Client) -> None:
    Survey.objects.filter(pk=draft.pk).update(
        draft=drafts.complete(title=drafts.bilingual_text("x" * 40_000))
    )
    assert "Title: is longer than a cell" in reading.get(f"/app/surveys/{draft.pk}/export").text
    answer = reading.get(f"/app/surveys/{draft.pk}/export/questionnaire.xlsx")
    assert (answer.status_code, answer["Location"]) == (302, f"/app/surveys/{draft.pk}/export")
    # A destroyed draft leaves nothing.
    Survey.objects.filter(pk=draft.pk).update(draft={}, state="destroyed")
    assert "Nothing is left of this draft" in reading.get(f"/app/surveys/{draft.pk}/export").text
    assert reading.get(f"/app/surveys/{draft.pk}/export/questionnaire.json").status_code == 404


def test_list_links_to_the_import_and_overview_to_the_export(draft: Survey, reading: Client) -> None:
    assert 'href="/app/surveys/import"' in reading.get("/app/surveys/").text
    assert f'href="/app/surveys/{draft.pk}/export"' in reading.get(f"/app/surveys/{draft.pk}/").text
