"""The page before the first question: who reaches it, what it says to any answers, and the draft that it begins."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import History, Person
from builder.editing.save_edit import load_questionnaire
from builder.planning.further_section_effect import FurtherSectionEffect
from builder.planning.precision_forecast import GOALS
from builder.protection.summary import ProtectionSummary
from surveys.models import Survey
from tests.builder.conftest import HTMX
from tests.cast import As, unsaved_person
from tests.surveys.conftest import page_text as page_of, post
from tests.surveys.drafts import classes, not_none, plain, put, question, sensitive

pytestmark = pytest.mark.page
PLAN = "/app/surveys/new/plan"
AGE = plain(question("age"))
TITLED = {"title": "Work", "language": "en"}


def plan_page(client: Client, **given: Any) -> str:
    return one_line(client.get(PLAN, given).text)


def one_line(page: str) -> str:
    return re.sub(r"\s+", " ", page)


def forecast(client: Client, **given: Any) -> str:
    """What a script gets while somebody types."""
    answer = client.get(PLAN, given, headers=HTMX)
    assert answer.status_code == 200
    page = one_line(answer.text)
    assert "<form" not in page
    assert 'id="forecast"' in page
    return page


def test_planner_is_closed_to_people_who_may_not_begin_surveys(
    client: Client, db: None, signed_in_as: As
) -> None:
    assert {getattr(client, method)(PLAN).status_code for method in ("put", "delete", "patch")} == {405}
    nobody, reader = signed_in_as(None), signed_in_as(unsaved_person("reader"))
    for method in ("get", "post"):
        answer = getattr(nobody, method)(PLAN)
        assert answer.status_code == 302
        assert answer["Location"].startswith("/app/account/sign-in")
        assert getattr(reader, method)(PLAN, TITLED).status_code == 403
    assert not Survey.objects.exists()


def test_planner_is_offered_for_a_new_survey_and_works_without_a_script(client: Client) -> None:
    assert f'href="{PLAN}"' in client.get("/app/surveys/new").text
    page = plan_page(client)
    for words in ('href="/app/surveys/new"', "If 10 % of people say yes", "3 sections more"):
        assert words in page
    assert page.count('class="bar"') == 4
    page = plan_page(client, goal="average", low="0", high="40", respondents="3000", preset="stronger")
    for each in ("If all numbers are equally likely, the average is 20", 'value="average"', "plan for about"):
        assert each in page


def test_plan_page_is_chinese_in_chinese(client: Client) -> None:
    for goal in GOALS:
        answer = client.get(PLAN, {"goal": goal}, headers={**HTMX, "Accept-Language": "zh-hans"})
        words = re.sub(r"<[^>]*>|\s+|ε", "", answer.content.decode())
        assert "您将了解到什么" in words
        assert re.findall(r"[A-Za-z]{3,}", words) == []


def test_invalid_plan_answers_get_a_sentence(client: Client, subtests: pytest.Subtests) -> None:
    for given, words in [
        ({"respondents": ""}, "How many answers do you expect?: This field is required."),
        ({"respondents": "0"}, "greater than or equal to 1"),
        ({"respondents": "-5"}, "greater than or equal to 1"),
        ({"respondents": "many"}, "Enter a whole number."),
        ({"respondents": "1e99"}, "Enter a whole number."),
        ({"respondents": "9" * 300}, "less than or equal to"),
        ({"share": ""}, "say yes (%)?: This field is required."),
        ({"share": "0"}, "greater than or equal to 0.01"),
        ({"share": "100"}, "less than or equal to 99.99"),
        ({"share": "nan"}, "Enter a number."),
        ({"goal": ""}, "What do you want to learn?: This field is required."),
        ({"goal": "everything"}, "Select a valid choice."),
        ({"preset": "none"}, "Select a valid choice."),
        ({"goal": "average", "low": "5", "high": "5"}, "It must be larger than the smallest number."),
        ({"goal": "average", "low": "9", "high": "-9"}, "It must be larger than the smallest number."),
        ({"goal": "average", "low": ""}, "Smallest number that people can give: This field is required."),
        ({"goal": "average", "high": "9" * 40}, "less than or equal to"),
    ]:
        with subtests.test(f"{given!r:.60} {words!r:.60}"):
            assert words in forecast(client, **given)
            answer = client.post(PLAN, {**TITLED, **given})
            assert answer.status_code == 422
            assert words.rpartition(": ")[2] in one_line(answer.text)
            assert not Survey.objects.exists()


def test_extreme_plan_answers_get_a_sentence(client: Client, subtests: pytest.Subtests) -> None:
    for given, words in [
        ({"respondents": "1"}, "plan for 50 or more"),
        ({"goal": "difference", "respondents": "60"}, "plan for 100 or more"),
        ({"goal": "association", "respondents": "20"}, "plan for"),
        ({"respondents": "1000000000"}, "less than ±0.1 points"),
        ({"goal": "average", "low": "0", "high": "1"}, "the average is 0.50"),
        ({"goal": "association", "respondents": "20000"}, "some never asked together"),
        ({"goal": "association", "respondents": "20000"}, "Tick “Ask these two of everybody”"),
        ({"goal": "association", "respondents": "20000", "together": "on"}, "3 sections more"),
    ]:
        with subtests.test(f"{given!r:.60} {words!r:.60}"):
            assert words in forecast(client, **given)


def test_plan_form_asks_only_for_what_the_goal_needs_and_requires_a_title(client: Client) -> None:
    nothing = "Nothing can be computed"
    assert nothing not in forecast(client, goal="average", share="")
    assert nothing not in forecast(client, goal="share", low="", high="")
    given = {"title": "", "language": "en", "goal": "difference", "respondents": "777"}
    answer = client.post(PLAN, given)
    assert answer.status_code == 422
    assert "This field is required." in answer.text
    assert 'value="777"' in answer.text
    assert not Survey.objects.exists()
    client.post(PLAN, {**TITLED, "language": "zh-hans", "goal": "share"})
    assert Survey.objects.get().draft["languages"] == ["zh-hans"], "another than that of the page"


@pytest.mark.at_push(1)
@pytest.mark.parametrize("goal", ["share", "average", "difference", "association"])
def test_builder_opens_with_the_planned_design(client: Client, owner: Person, goal: str) -> None:
    given = {"goal": goal, "respondents": "4000", "preset": "weaker", "share": "20", "low": "0", "high": "10"}
    said = forecast(client, **given)
    answer = client.post(PLAN, {**TITLED, **given})
    survey = Survey.objects.get()
    assert answer["Location"] == f"/app/surveys/{survey.pk}/edit"
    assert (survey.owner, str(survey), survey.state) == (owner, "Work", Survey.State.DRAFT)
    assert History.objects.about(survey).get().what == "surveys.created"
    assert survey.draft["expected"] == 4000
    assert {section.get("preset") for section in survey.draft["sections"]} == {None, "weaker"}
    assert survey.draft["contact"] == "owner@example.org"
    if goal == "share":
        words = ProtectionSummary(load_questionnaire(survey)).itemset_margins[0].margin_text
        assert words in said
    assert client.get(f"/app/surveys/{survey.pk}/edit").status_code == 200
    assert client.get(f"/app/surveys/{survey.pk}/edit/protection").status_code == 200


def test_builder_states_the_cost_of_another_section(client: Client, draft: Survey) -> None:
    """Once, and not where nothing is disguised."""
    put(draft, AGE, sensitive(question("theft"), preset="balanced"), expected=1000, open_answers=False)
    words = FurtherSectionEffect(load_questionnaire(draft)).effect_sentence
    assert page_of(client, draft, "edit").count(words) == 1
    after = not_none(re.search(r"to ±([\d.]+) points", words))
    post(client, draft, "edit/act", do="section-add", kind="sensitive")
    seen = re.findall(r'name="seen" value="([^"]+)"', page_of(client, draft, "edit"))[-1]
    post(client, draft, "edit/act", do="add", section="2", seen=seen, kind="yes-no")
    assert len(draft.draft["sections"]) == 3
    assert f'id="margin-1-0">±{after[1]} points' in page_of(client, draft, "edit/protection")
    for section, times in ((AGE, 0), (classes("debt", 0, 25, 50, 100), 1)):
        put(draft, section, open_answers=False)
        assert page_of(client, draft, "edit").count("Another disguised section") == times
