"""What the pages say of arms, drawn questions and crosswise questions before anything is answered."""

import json

import pytest
from django.template.loader import render_to_string

from intake.pages.pages import respondent_context
from privacy.designs import Design, parse
from surveys.kinds.phrases import phrases_for_kinds
from surveys.phrases.studies import ARM_SCREEN, CROSSWISE_SCREEN
from tests.browser.study_questionnaires import STUDIES
from tests.intake.reading import InSight

pytestmark = pytest.mark.page


def named(name: str) -> Design:
    return parse(json.dumps(STUDIES[name]["design"]))


def start(name: str) -> str:
    page = render_to_string("intake/answer.html", respondent_context(named(name), "answer", language="en"))
    return page.split('<div id="start">')[1].split('<div data-in="zh-hans"')[0]


def in_sight(name: str) -> str:
    return InSight(f"<div>{start(name)}", frozenset({"lede", "consent"})).text


def test_the_start_page_says_both_arms_in_odds_and_that_the_record_shows_which() -> None:
    text = in_sight("arms")
    assert "About 1 in 4 times (25 %), you are asked directly: no disguise, no name." in text
    assert "About 3 in 4 times (75 %), your answers are disguised before they are sent." in text
    assert "Your record shows which it was." in text


def test_nothing_is_promised_to_somebody_who_is_asked_directly() -> None:
    assert "If your answers are disguised, nobody can be sure" in in_sight("arms")
    assert "Nothing of it is for people who are asked directly." in start("arms")
    assert "If you are asked directly, only the batch protects you" in start("arms")
    assert "asked directly" not in start("crosswise")


def test_crosswise_questions_alone_are_explained_without_coins() -> None:
    text = start("crosswise")
    assert "you say only whether two answers are the same" in text
    assert [word for word in ("flips a coin", "Heads", "data-toy", "random draw") if word in text] == []


def test_crosswise_questions_beside_others_are_said_too() -> None:
    assert "Some questions come in pairs" in in_sight("arms")
    assert "With probability 50 % it sends your true answers." in in_sight("arms")


def test_the_share_of_the_secret_its_source_and_what_breaks_it_are_on_the_start_page() -> None:
    text = start("crosswise")
    assert "<strong>about 1 in 4 people</strong> (24.7 %) answer yes" in text
    assert "Office of Statistics, births 1940 to 1980" in text
    assert "someone who knows your answer to one question can work out the other" in text


def test_what_the_device_draws_is_counted_as_no_question() -> None:
    assert "Up to 3 questions." in in_sight("turned")
    assert "1 of 3 questions" in start("turned")


@pytest.mark.parametrize("name", ["crosswise", "crosswise by invitation"])
def test_somebody_without_javascript_is_led_to_the_form_where_there_is_one(name: str) -> None:
    context = respondent_context(named(name), "answer", language="en", form="/a/x/form")
    page = render_to_string("intake/answer.html", context)
    notice = page.split("<noscript>")[1].split("</noscript>")[0]
    assert '<a class="button primary" href="/a/x/form">Answer without JavaScript</a>' in notice


def test_elsewhere_the_page_says_that_it_needs_javascript() -> None:
    notice = start("arms").split("<noscript>")[1].split("</noscript>")[0]
    assert "true answers would have to be sent" in notice
    assert "href" not in notice


def test_only_surveys_that_need_them_bring_the_phrases() -> None:
    def ids(*kinds: str, has_arms: bool = False) -> set[str]:
        return set(phrases_for_kinds(kinds, open_answers=False, rehearsal=False, has_arms=has_arms))

    assert {"crosswise_same", "form_link"} <= ids("plain", "crosswise")
    assert not ids("unrelated-question") & {"crosswise_same", "form_link", "arm_direct"}
    assert "arm_direct" in ids("unrelated-question", has_arms=True)
    assert "form_link" not in ids("plain", has_arms=True)


def test_the_words_of_the_arm_and_of_crosswise_questions_come_where_they_are_said() -> None:
    def words(name: str) -> set[str]:
        return set(respondent_context(named(name), "answer")["page"]["words"]["en"])

    assert ARM_SCREEN.keys() <= words("arms")
    assert CROSSWISE_SCREEN.keys() <= words("crosswise")
    assert words("arms") - words("crosswise") >= ARM_SCREEN.keys()
