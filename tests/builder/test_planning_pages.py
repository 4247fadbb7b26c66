"""The page before the first question: who reaches it, what it says to any answers, and the draft that it begins."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import History, Person
from builder.editing.save_edit import load_questionnaire
from builder.planning.further_section_effect import FurtherSection
from builder.planning.precision_forecast import GOALS
from builder.protection.summary import ProtectionSummary
from surveys.models import Survey
from tests.builder.conftest import HTMX
from tests.builder.written import classes, plain, question, sensitive, stored
from tests.cast import As, somebody

pytestmark = pytest.mark.page
PLAN = "/app/surveys/new/plan"
TITLED = {"title": "Work", "language": "en"}


def shown(client: Client, **given: Any) -> str:
    return re.sub(r"\s+", " ", client.get(PLAN, given).content.decode())


def forecast(client: Client, **given: Any) -> str:
    """What a script gets while somebody types."""
    answer = client.get(PLAN, given, headers=HTMX)
    assert answer.status_code == 200
    page = re.sub(r"\s+", " ", answer.content.decode())
    assert "<form" not in page
    assert 'id="forecast"' in page
    return page


def test_the_wrong_method_is_refused(client: Client) -> None:
    assert {getattr(client, method)(PLAN).status_code for method in ("put", "delete", "patch")} == {405}


def test_nobody_plans_a_survey_who_may_not_begin_one(db: None, signed_in_as: As) -> None:
    nobody, reader = signed_in_as(None), signed_in_as(somebody("reader"))
    for method in ("get", "post"):
        answer = getattr(nobody, method)(PLAN)
        assert answer.status_code == 302
        assert answer["Location"].startswith("/app/account/sign-in")
        assert getattr(reader, method)(PLAN, TITLED).status_code == 403
    assert not Survey.objects.exists()


def test_a_new_survey_offers_it_beside_the_other_ways(client: Client) -> None:
    page = client.get("/app/surveys/new").content.decode()
    assert f'href="{PLAN}"' in page
    assert 'href="/app/surveys/new"' in client.get(PLAN).content.decode()


def test_it_answers_before_anything_is_asked(client: Client) -> None:
    page = shown(client)
    assert "If 10 % of people say yes" in page
    assert "3 sections more" in page
    assert page.count('class="bar"') == 4


def test_it_answers_below_the_form_without_a_script(client: Client) -> None:
    page = shown(client, goal="average", low="0", high="40", respondents="3000", preset="stronger")
    assert "If all numbers are equally likely, the average is 20" in page
    assert 'value="average"' in page
    assert "plan for about" in page


def test_in_chinese_the_plan_is_chinese(client: Client) -> None:
    for goal in GOALS:
        answer = client.get(PLAN, {"goal": goal}, headers={**HTMX, "Accept-Language": "zh-hans"})
        words = re.sub(r"<[^>]*>|\s+|ε", "", answer.content.decode())
        assert "您将了解到什么" in words
        assert re.findall(r"[A-Za-z]{3,}", words) == []


def test_answers_that_make_no_sense_get_a_sentence(client: Client, subtests: pytest.Subtests) -> None:
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
            assert words.rpartition(": ")[2] in re.sub(r"\s+", " ", answer.content.decode())
            assert not Survey.objects.exists()


def test_extreme_answers_get_a_sentence(client: Client, subtests: pytest.Subtests) -> None:
    for given, words in [
        ({"respondents": "1"}, "plan for 50 or more"),
        ({"goal": "difference", "respondents": "60"}, "plan for 100 or more"),
        ({"goal": "association", "respondents": "20"}, "plan for"),
        ({"respondents": "1000000000"}, "less than ± 0.1 points"),
        ({"goal": "average", "low": "0", "high": "1"}, "the average is 0.50"),
        ({"goal": "association", "respondents": "20000"}, "some never asked together"),
        ({"goal": "association", "respondents": "20000"}, "Tick “Ask these two of everybody”"),
        ({"goal": "association", "respondents": "20000", "together": "on"}, "3 sections more"),
    ]:
        with subtests.test(f"{given!r:.60} {words!r:.60}"):
            assert words in forecast(client, **given)


def test_a_goal_asks_only_for_what_it_needs(client: Client) -> None:
    assert "Nothing can be computed" not in forecast(client, goal="average", share="")
    assert "Nothing can be computed" not in forecast(client, goal="share", low="", high="")


@pytest.mark.at_push(1)
@pytest.mark.parametrize("goal", ["share", "average", "difference", "association"])
def test_the_builder_opens_with_the_design(client: Client, owner: Person, goal: str) -> None:
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
        assert words.replace("±", "± ") in said
    assert client.get(f"/app/surveys/{survey.pk}/edit").status_code == 200
    assert client.get(f"/app/surveys/{survey.pk}/edit/protection").status_code == 200


def test_without_a_title_nothing_begins_and_the_plan_stays(client: Client) -> None:
    answer = client.post(PLAN, {"title": "", "language": "en", "goal": "difference", "respondents": "777"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "This field is required." in page
    assert 'value="777"' in page
    assert not Survey.objects.exists()


def test_a_survey_may_be_written_in_another_language_than_the_page(client: Client) -> None:
    client.post(PLAN, {**TITLED, "language": "zh-hans", "goal": "share"})
    assert Survey.objects.get().draft["languages"] == ["zh-hans"]


def in_builder(client: Client, survey: Survey) -> str:
    return client.get(f"/app/surveys/{survey.pk}/edit").content.decode()


def test_the_builder_says_what_another_section_costs_and_the_page_agrees_once_it_is_added(
    client: Client, draft: Survey
) -> None:
    following = sensitive(question("theft"), preset="balanced")
    draft.draft = stored(plain(question("age")), following, expected=1000, open_answers=False)
    draft.save()
    words = FurtherSection(load_questionnaire(draft)).effect_sentence
    assert in_builder(client, draft).count(words) == 1
    after = re.search(r"to ± ([\d.]+) points", words)
    assert after is not None
    act = f"/app/surveys/{draft.pk}/edit/act"
    client.post(act, {"do": "section-add", "kind": "sensitive"})
    draft.refresh_from_db()
    seen = re.findall(r'name="seen" value="([^"]+)"', in_builder(client, draft))[-1]
    client.post(act, {"do": "add", "section": "2", "seen": seen, "kind": "yes-no"})
    draft.refresh_from_db()
    assert len(draft.draft["sections"]) == 3
    page = client.get(f"/app/surveys/{draft.pk}/edit/protection").content.decode()
    assert f'id="margin-1-0">±{after[1]} points' in page


def test_the_builder_says_nothing_of_it_where_nothing_is_disguised(client: Client, draft: Survey) -> None:
    draft.draft = stored(plain(question("age")))
    draft.save()
    assert "Another disguised section" not in in_builder(client, draft)


def test_where_no_section_takes_questions_it_stands_above_the_buttons_that_add_one(
    client: Client, draft: Survey
) -> None:
    draft.draft = stored(classes("debt", 0, 25, 50, 100), open_answers=False)
    draft.save()
    assert in_builder(client, draft).count("Another disguised section") == 1
