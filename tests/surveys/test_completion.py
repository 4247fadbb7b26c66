"""The completion as researchers set it: the same for everybody, once, and promised on the start page."""

import re
from datetime import UTC, datetime

import pytest
from django.test import Client

from accounts.models import Person
from surveys.lifecycle import completion_code, opening
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import InputRefused
from tests.cast import As
from tests.surveys import drafts

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
CODE = "THANKS-4711"
PROMISE = drafts.said("You get a code for your panel.")


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


def test_one_code_or_one_plain_https_address_is_taken() -> None:
    assert [given for given in TAKEN if list(completion_code.completion_problems(given))] == []


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


def test_anything_personal_is_refused_with_the_reason(subtests: pytest.Subtests) -> None:
    for given, reason in PERSONAL:
        with subtests.test(given):
            (problem,) = completion_code.completion_problems(given)
            assert problem.path == "completion"
            assert reason in problem.reason


def test_what_is_taken_fits_the_answer_of_the_endpoint_without_an_escape() -> None:
    assert not set('"\\<') & {
        sign for sign in map(chr, range(128)) if not list(completion_code.completion_problems(f"abc{sign}"))
    }


@pytest.mark.django_db
class TestSetting:
    def sent(self, client: Client, draft: Survey, given: str) -> dict[str, str]:
        found = re.search(r'name="base" value="(\w+)"', client.get(f"/app/surveys/{draft.pk}/settings").text)
        assert found
        settings = {"closes": "", "cap": "", "destroy_on": "2099-12-31", "least": "100", "invited": "no"}
        return settings | {"completion": given, "base": found[1]}

    def test_a_code_is_set_in_the_settings_of_a_draft(
        self, draft: Survey, owner: Person, signed_in_as: As
    ) -> None:
        client, path = signed_in_as(owner), f"/app/surveys/{draft.pk}/settings"
        assert client.post(path, self.sent(client, draft, CODE)).status_code == 302
        draft.refresh_from_db()
        assert draft.completion == CODE
        assert f'value="{CODE}"' in client.get(path).text

    def test_a_personal_link_is_refused_at_its_field_with_the_way_out(
        self, draft: Survey, owner: Person, signed_in_as: As
    ) -> None:
        client, path = signed_in_as(owner), f"/app/surveys/{draft.pk}/settings"
        response = client.post(path, self.sent(client, draft, "https://panel.example.org/?pid=7"))
        (error,) = response.context["form"].errors["completion"]
        assert error.startswith("Must have no parameters")
        assert "Give the address without it" in error
        draft.refresh_from_db()
        assert draft.completion is None

    def test_an_opened_survey_does_not_offer_it(
        self, opened: Survey, owner: Person, signed_in_as: As
    ) -> None:
        assert 'name="completion"' not in signed_in_as(owner).get(f"/app/surveys/{opened.pk}/settings").text


@pytest.mark.django_db
class TestOpening:
    def survey(self, owner: Person, given: str | None, **other: object) -> Survey:
        return Survey.objects.create(owner=owner, draft=drafts.complete(**other), completion=given)

    def test_with_a_promise_and_a_completion(self, owner: Person) -> None:
        survey = self.survey(owner, CODE, panel=PROMISE)
        opening.open_survey_now(survey, owner, NOW)
        assert survey.design is not None
        assert survey.design.content.panel.as_json() == PROMISE
        assert "completion_title" in dict(survey.design.content.phrases)

    def test_a_promise_without_a_completion_is_refused(self, owner: Person) -> None:
        with pytest.raises(InputRefused) as refused:
            opening.open_survey_now(self.survey(owner, None, panel=PROMISE), owner, NOW)
        assert [problem.path for problem in refused.value.problems] == ["completion"]

    def test_a_completion_without_a_promise_is_refused(self, owner: Person) -> None:
        with pytest.raises(InputRefused) as refused:
            opening.open_survey_now(self.survey(owner, CODE), owner, NOW)
        assert [problem.path for problem in refused.value.problems] == ["panel"]

    def test_a_rehearsal_opens_with_the_promise_alone(self, owner: Person) -> None:
        survey = self.survey(owner, None, panel=PROMISE, rehearsal=True)
        opening.open_survey_now(survey, owner, NOW)
        assert survey.design is not None

    def test_without_both_the_design_has_neither(self, owner: Person) -> None:
        survey = self.survey(owner, None)
        opening.open_survey_now(survey, owner, NOW)
        assert survey.design is not None
        assert not {"panel", "completion"} & survey.design.content.as_json().keys()
        assert not [key for key, _ in survey.design.content.phrases if key.startswith("completion")]


def test_without_a_script_the_panels_parameter_is_left_out() -> None:
    for link, without in {
        "https://p.example/done?id={panel}": "https://p.example/done",
        "https://p.example/done?cc=C1&id={panel}": "https://p.example/done?cc=C1",
        "https://p.example/done?id={panel}&cc=C1": "https://p.example/done?cc=C1",
        "https://p.example/done?a=1&id={panel}&cc=C1": "https://p.example/done?a=1&cc=C1",
        "https://p.example/done": "https://p.example/done",
        CODE: CODE,
    }.items():
        assert completion_code.address_without_panel_parameter(link) == without
