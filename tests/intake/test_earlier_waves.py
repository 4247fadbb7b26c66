"""What the start page says of a survey that asks again what earlier surveys asked, and of a disguise that lasts."""

from typing import Any

import pytest

from privacy.designs import Design
from privacy.mechanisms.permanent_draws import study_fingerprint
from surveys.kinds.phrase_selection import phrases_for_design, phrases_for_kinds
from surveys.models import Design as DesignRow
from surveys.needs_no_script import can_be_answered_without_script
from surveys.phrases.arms_crosswise_and_rounds import LASTING
from tests.browser.questionnaires import AGE, PAIR, crosswise
from tests.intake import asked
from tests.intake.asked import start, written
from tests.intake.test_start_page import InSight

pytestmark = [pytest.mark.page, pytest.mark.django_db]
PLAIN = {"kind": "plain", "questions": [AGE]}
TWICE = {"kind": "unrelated-question", "keep": "0.5", "questions": [{"name": "s", "choices": ["no", "yes"]}]}


def wave(
    *sections: dict[str, Any], follows: Design | None = None, stored: bool = True, **more: Any
) -> Design:
    """With keep 1/2 and noise 1/2 each section has gamma 1 + (1/2) / (1/2 · 1/2) = 3."""
    known = {"follows": follows.fingerprint} if follows else {}
    made = written(*(sections or (TWICE,)), **known, **more)
    if stored:
        DesignRow.objects.get_or_create(fingerprint=made.fingerprint, defaults={"json": made.canonical})
    return made


def titled(title: str, **more: Any) -> dict[str, Any]:
    return {"title": {"en": title, "zh-hans": f"{title}（中）"}, "languages": ["en", "zh-hans"]} | more


def test_two_waves_multiply_and_the_page_says_so_in_sight() -> None:
    first = wave(**titled("Work 2025"))
    page = start(wave(follows=first, **titled("Work 2026")))
    english = page.split('<div id="start">')[1].split('<div data-in="zh-hans"')[0]
    text = InSight(f"<div>{english}", frozenset()).text
    assert "These questions were asked before" in text
    assert "answering again makes your protection weaker" in text
    assert "Work 2025</bdi>" in english
    assert "<strong>9 times</strong>" in english


def test_the_number_is_of_the_whole_chain() -> None:
    first = wave(**titled("Work 2024"))
    second = wave(follows=first, **titled("Work 2025"))
    page = start(wave(follows=second, **titled("Work 2026")))
    assert "<strong>27 times</strong>" in page
    assert page.index("Work 2025</bdi>") < page.index("Work 2024</bdi>")


def test_the_number_is_rounded_up_to_one_decimal() -> None:
    # u = .2466: gamma = .7534 / .2466 = 3.0551, and three times that is 9.1652.
    first = wave(PLAIN, crosswise(PAIR), **titled("Before"))
    assert "<strong>9.2 times</strong>" in start(wave(follows=first, **titled("Now")))


def test_the_form_says_it_too() -> None:
    first = wave(PLAIN, crosswise(PAIR), **titled("Before"))
    # With the same secret again nothing could be promised.
    another = {**PAIR, "secret": {"en": "Was your father born in January, February or March?"}}
    page = start(wave(PLAIN, crosswise(another), follows=first, **titled("Now")), form=True)
    # (.7534 / .2466)^2 = 9.3338
    assert "<strong>9.4 times</strong>" in page


@pytest.mark.parametrize("more", [{"open_answers": True}, {"direct": "0.5", "least": 100}])
def test_where_some_are_not_disguised_the_page_says_whom_the_number_is_for(more: dict[str, Any]) -> None:
    said = "people whose answers were disguised every time"
    first = wave(**titled("Before"))
    assert said in start(wave(follows=first, **titled("Now", **more)))
    assert said in start(wave(follows=wave(**titled("Before", **more)), **titled("Now")))
    assert said not in start(wave(follows=first, **titled("Now")))


def test_where_an_earlier_survey_is_not_stored_no_number_is_said() -> None:
    page = start(wave(follows=wave(stored=False, **titled("Elsewhere")), **titled("Now")))
    assert "answering again makes your protection weaker" in page
    assert "times</strong> as likely" not in page


def test_where_nothing_is_disguised_nothing_is_weakened() -> None:
    page = start(wave(PLAIN, follows=wave(PLAIN, **titled("Before")), **titled("Now")))
    assert "asked before" not in page


def test_a_survey_that_follows_none_says_nothing_of_it() -> None:
    assert "asked before" not in start(wave(**titled("Alone")))


def test_the_titles_are_said_in_the_language_of_the_page() -> None:
    first = wave(**titled("Work"))
    page = start(wave(follows=first, **titled("Now")), "zh-CN")
    assert "Work（中）</bdi>" in page


def test_a_title_is_text_and_no_markup() -> None:
    first = wave(**titled("<b>Work</b>"))
    assert "&lt;b&gt;Work&lt;/b&gt;" in start(wave(follows=first, **titled("Now")))


def test_only_surveys_that_follow_bring_the_phrases() -> None:
    with_them = phrases_for_kinds(["plain"], open_answers=False, rehearsal=False, follows=True)
    assert "follows_times" in with_them
    assert "follows_times" not in phrases_for_kinds(["plain"], open_answers=False, rehearsal=False)


def test_whom_the_number_is_for_is_said_where_places_were_asked() -> None:
    place = {
        "name": "home",
        "cells": [{"name": "a", "at": [0, 0]}, {"name": "b", "at": [1, 0]}, {"name": "c", "at": [2, 0]}],
        "regions": [{"name": "north", "cells": ["a", "b"]}],
        "near": 1,
        "odds": "3.00",
    }
    first = wave({"kind": "place", "questions": [place]}, **titled("Before"))
    assert "Who is protected:" in start(wave(follows=first, **titled("Now")))
    assert "Who is protected:" not in start(wave(follows=wave(**titled("Before")), **titled("Now")))


# --- What the start page of a study says whose disguise lasts, and which modules it loads

TAX = {"name": "tax", "choices": ["no", "yes"]}
LASTS = {"kind": "unrelated-question", "keep": "0.81", "lasting": "0.9", "questions": [TAX]}


def study(*sections: dict[str, Any], follows: Design | None = None, **more: Any) -> Design:
    known = {"follows": follows.fingerprint, "study": study_fingerprint(follows)} if follows else {}
    made = asked.written(*(sections or (LASTS,)), **known, **more)
    DesignRow.objects.get_or_create(fingerprint=made.fingerprint, defaults={"json": made.canonical})
    return made


def test_the_start_page_says_what_holds_for_all_rounds_for_a_change_and_without_the_code() -> None:
    """a = .9 and r = .9: 19 for ever, 19 for a round that differs, 19^2 = 361 for a second code."""
    page = start(study())
    assert "at most <strong>19 times</strong> as likely as any others that stay the same" in page
    assert "can multiply this by 19 once more" in page
    assert "at most 361 times as likely" in page
    assert "Two codes of one person" in page
    assert "Other disguised questions" not in page
    assert "Other disguised questions" in start(study(LASTS, TWICE))
    assert "If you answer openly once" in start(study(open_answers=True))


def test_a_later_round_states_no_number_that_holds_for_changing_answers_only_of_one_round() -> None:
    page = start(study(follows=study(title={"en": "Round 1"}), title={"en": "Round 2"}))
    assert "Round 1</bdi>" in page
    assert "compared with any other answer" not in page
    assert "answering again makes your protection weaker" not in page


def test_only_such_a_survey_brings_the_sentences_and_the_script_of_the_code() -> None:
    lasting, once = study(), study(TWICE)
    assert LASTING.keys() <= phrases_for_design(lasting).keys()
    assert not LASTING.keys() & phrases_for_design(once).keys()
    assert "intake/lasting.js" in start(lasting)
    assert "intake/lasting.js" not in start(once)
    assert not can_be_answered_without_script(lasting)
