"""Questionnaire files by the API: the read-through of the page, and its draft."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import REVIEWERS, History, Person
from importing.import_result import MOST_BYTES
from surveys.models import Survey
from tests.api.conftest import program
from tests.cast import with_role
from tests.importing.flow.made_files import dictionary, field

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("read_here")]
IMPORTS = "/api/1/imports"
DEBT = field("debt", "text", validation="integer", least="100")
DICTIONARY = dictionary(field("sex"), field("drugs"), DEBT, field("note", "notes"))


def post_import(client: Client, content: bytes = DICTIONARY, **choices: Any) -> Any:
    form = {"file": SimpleUploadedFile("q.csv", content), "choices": json.dumps(choices)}
    return client.post(IMPORTS, form)


def questions(survey: Survey) -> dict[str, str]:
    """The kind of the section of each question."""
    return {
        question["name"]: section["kind"]
        for section in survey.draft["sections"]
        for question in section["questions"]
    }


def test_checking_a_file_stores_nothing(client: Client) -> None:
    told = post_import(client)
    assert told.status_code == 200
    read = told.json()
    rows = {tuple(row["questions"]): row for row in read["rows"]}
    assert (read["survey"], read["questions"], read["warnings"]) == (None, 3, [])
    assert rows["drugs",]["unmarked"]
    assert (rows["debt",]["lacks_ends"], rows["sex",]["lacks_ends"]) == (True, False)
    assert "left" in [row["outcome"] for row in read["rows"] if not row["questions"]]
    assert not Survey.objects.exists()


def test_api_check_equals_the_read_through_of_the_page(client: Client, owner: Person) -> None:
    page = Client()
    page.force_login(owner, "django.contrib.auth.backends.ModelBackend")
    shown = page.post("/app/surveys/import", {"file": SimpleUploadedFile("q.csv", DICTIONARY)}).context
    read = post_import(client).json()
    assert read["title"] == shown["title"]
    rows = ((row.line, row.tick is not None) for row in shown["rows"])
    lines = [(line.location, line.words, line.outcome, is_unmarked) for line, is_unmarked in rows]
    assert [(row["place"], row["words"], row["outcome"], row["unmarked"]) for row in read["rows"]] == lines


def test_draft_is_made_with_the_decisions_sent(client: Client, owner: Person) -> None:
    made = post_import(client, draft=True, plain=["sex"], ends={"debt": {"low": 100, "high": 600}})
    survey = Survey.objects.get(owner=owner)
    assert (made.status_code, made["Location"]) == (201, f"/api/1/surveys/{survey.pk}")
    assert made.json()["survey"]["id"] == survey.pk
    kinds = questions(survey)
    assert kinds["sex"] == "plain"
    assert "plain" not in {kinds["drugs"], kinds["debt"]}
    assert History.objects.get(what="surveys.imported").who == owner


def test_undecided_questions_become_sensitive_and_numbers_without_ends_are_left_out(client: Client) -> None:
    made = post_import(client, draft=True)
    kinds = questions(Survey.objects.get())
    assert (set(kinds), "plain" in kinds.values()) == ({"sex", "drugs"}, False)
    assert "debt" in made.json()["warnings"][0]


@pytest.mark.parametrize(
    ("choices", "place"),
    [
        ({"plain": ["nobody"]}, "choices.plain.nobody"),
        ({"ends": {"sex": {"low": 1, "high": 2}}}, "choices.ends.sex"),
        ({"ends": {"debt": {"low": 1}}}, "choices.ends.debt.high"),
        ({"drft": True}, "choices.drft"),
    ],
)
def test_decision_about_nothing_is_refused_by_its_place(
    client: Client, choices: dict[str, Any], place: str
) -> None:
    refused = post_import(client, **{"draft": True, **choices})
    assert (refused.status_code, [error["path"] for error in refused.json()["errors"]]) == (422, [place])
    assert not Survey.objects.exists()


def test_other_files_and_overlong_ones_are_refused(client: Client) -> None:
    assert post_import(client, b"%PDF-1.7").status_code == 422
    assert client.post(IMPORTS, {"choices": "{}"}).json()["errors"][0]["path"] == "file"
    assert client.post(IMPORTS, "{}", content_type="application/json").status_code == 415
    assert post_import(client, b" " * (MOST_BYTES + 20_000)).status_code == 413
    assert post_import(program(with_role(REVIEWERS, "judge"))).status_code == 403
