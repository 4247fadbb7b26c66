"""The completion as researchers set it: the same for everybody, once, and promised on the start page."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from surveys.lifecycle import completion_code, opening
from surveys.models import Survey
from tests.surveys import drafts
from tests.surveys.conftest import NOW, design_of, page_text, refused_at, reload, save_settings

CODE = "THANKS-4711"
PROMISE = drafts.bilingual_text("You get a code for your panel.")


TAKEN = [
    "",
    "C4X9",
    "THANKS-4711",
    "a" * 40,
    "https://panel.example.org",
    "https://panel.example.org:8443/complete/4711/",
    "https://app.example.com/submissions/C1A2_x~y.html",
    "https://panel.example.org/done?id={panel}",
    "https://app.example.com:8443/complete?cc=C1A2B3&pid={panel}&lang=",
]

PERSONAL = [
    ("https://panel.example.org/done?pid=7", "must have no parameters"),
    ("https://app.prolific.com/submissions/complete?cc=C1A2B3", "give that code instead"),
    ("https://panel.example.org/?", "must have no parameters"),
    ("https://panel.example.org/done#anna", "must have no #"),
    ("https://anna@panel.example.org/done", "must have no user name"),
    ("https://anna:secret@panel.example.org/done", "must have no user name"),
    ("https://panel.example.org/{{PROLIFIC_PID}}", "looks like a placeholder"),
    ("https://panel.example.org/{panel}", "as the value of a parameter"),
    ("https://panel.example.org/done?{panel}", "as the value of a parameter"),
    ("https://panel.example.org/done?{panel}=1", "as the value of a parameter"),
    ("https://panel.example.org/done?id=x{panel}", "as the value of a parameter"),
    ("https://panel.example.org/done?id={panel}&again={panel}", "as the value of a parameter"),
    ("https://panel.example.org/done?id={panel}&who=%7B", "as the value of a parameter"),
    ("https://panel.example.org/done?id={panel}#x", "as the value of a parameter"),
    ("https://{panel}.example.org/done", "as the value of a parameter"),
    ("http://panel.example.org/done?id={panel}", "as the value of a parameter"),
    ("{panel}", "as the value of a parameter"),
    ("https://panel.example.org/done?id={panel}&x=" + "x" * 130, "must have at most 160"),
    ("https://panel.example.org/%%ID%%", "looks like a placeholder"),
    ("https://panel.example.org/[pid]", "looks like a placeholder"),
    ("https://panel.example.org/done;pid=7", "looks like a placeholder"),
    ("https://panel.example.org/$ID", "looks like a placeholder"),
    ("http://panel.example.org/done", "must begin with https://"),
    ("//panel.example.org/done", "must begin with https://"),
    ("javascript:alert(1)", "must begin with https://"),
    ("anna@example.org", "must begin with https://"),
    ("https://panel", "is no address"),
    ("https://panel.example.org\\@other.example", "must have no user name"),
    ("https://panel.example.org/\N{LATIN SMALL LETTER E WITH ACUTE}", "is no address"),
    ('https://panel.example.org/"', "is no address"),
    ("https://panel.example.org/" + "x" * 200, "must have at most 160"),
    ("{{PID}}", "looks like a placeholder"),
    ("%ID%", "looks like a placeholder"),
    ("ABC", "must be 4 to 40"),
    ("two words", "must be 4 to 40"),
    ("a" * 41, "must be 4 to 40"),
    ("\N{GREEK SMALL LETTER ALPHA}bcdef", "must be 4 to 40"),
]


def test_a_code_or_plain_address_is_taken_and_anything_personal_refused(subtests: pytest.Subtests) -> None:
    assert [given for given in TAKEN if list(completion_code.completion_problems(given))] == []
    for given, reason in PERSONAL:
        with subtests.test(given):
            (problem,) = completion_code.completion_problems(given)
            assert problem.path == "completion"
            assert reason in problem.reason


def test_what_is_taken_fits_the_answer_of_the_endpoint_without_an_escape() -> None:
    assert not set('"\\<') & {
        sign for sign in map(chr, range(128)) if not list(completion_code.completion_problems(f"abc{sign}"))
    }


def test_without_a_script_the_panels_parameter_is_left_out() -> None:
    for given, without in {
        "?id={panel}": "",
        "?cc=C1&id={panel}": "?cc=C1",
        "?id={panel}&cc=C1": "?cc=C1",
        "?a=1&id={panel}&cc=C1": "?a=1&cc=C1",
        "": "",
    }.items():
        link = f"https://p.example/done{given}"
        assert completion_code.address_without_panel_parameter(link) == f"https://p.example/done{without}"
    assert completion_code.address_without_panel_parameter(CODE) == CODE


@pytest.mark.django_db
def test_a_draft_takes_a_code_and_no_personal_link(draft: Survey, owner: Person, client: Client) -> None:
    refused = save_settings(client, draft, completion="https://panel.example.org/?pid=7")
    (error,) = refused.context["form"].errors["completion"]
    assert error.startswith("Must have no parameters")
    assert "Give the address without it" in error
    assert reload(draft).completion is None
    assert save_settings(client, draft, completion=CODE).status_code == 302
    assert draft.completion == CODE
    assert f'value="{CODE}"' in page_text(client, draft, "settings")
    save_settings(client, draft, completion="")
    opening.open_survey_now(draft, owner, NOW)
    assert 'name="completion"' not in page_text(client, draft, "settings")


@pytest.mark.django_db
def test_a_survey_opens_with_a_promise_and_a_completion_or_with_neither(owner: Person) -> None:
    def survey(given: str | None, **other: object) -> Survey:
        return Survey.objects.create(owner=owner, draft=drafts.complete(**other), completion=given)

    def open_with_completion(given: str | None, **other: object) -> Any:
        made = survey(given, **other)
        opening.open_survey_now(made, owner, NOW)
        return design_of(made)

    both, neither = open_with_completion(CODE, panel=PROMISE), open_with_completion(None)
    assert both.panel.as_json() == PROMISE
    assert "completion_title" in dict(both.phrases)
    assert not {"panel", "completion"} & neither.as_json().keys()
    assert not [key for key, _ in neither.phrases if key.startswith("completion")]
    assert open_with_completion(None, panel=PROMISE, rehearsal=True), (
        "a rehearsal opens with the promise alone"
    )
    assert refused_at(opening.open_survey_now, survey(None, panel=PROMISE), owner, NOW) == ["completion"]
    assert refused_at(opening.open_survey_now, survey(CODE), owner, NOW) == ["panel"]
