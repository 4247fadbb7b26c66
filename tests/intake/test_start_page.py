"""How much of the start page is in sight, and how hard it is to read."""

import json
from typing import Any

import pytest
from django.template.loader import render_to_string

from intake.pages.pages import respondent_context
from privacy.designs import Design, parse
from tests.browser.questionnaires import SURVEYS
from tests.intake import asked
from tests.intake.reading import InSight, grade, syllables

pytestmark = pytest.mark.page
RESEARCHERS = frozenset({"lede", "consent"})
"""The classes of what the researcher writes."""
MOST_WORDS = 150
MOST_GRADE = 7
PLAIN = {"kind": "plain", "questions": [{"name": "age", "choices": ["18-39", "40+"]}]}
CAUTION = "A yes in your record does not mean that you said yes."
NAMES = ["fourteen", "short", "numbers", "places", "demo"]


def named(name: str, **more: Any) -> Design:
    return parse(json.dumps(SURVEYS[name]["design"] | {"title": "", "rehearsal": False} | more))


def in_sight(design: Design) -> InSight:
    page = render_to_string("intake/answer.html", respondent_context(design, "answer", language="en"))
    start = page.split('<div id="start">')[1].split('<div id="screen"')[0]
    return InSight(f"<div>{start}", RESEARCHERS)


@pytest.mark.parametrize("name", NAMES)
def test_at_most_150_words_are_in_sight_before_agree(name: str) -> None:
    # Places outside the regions are not protected, and numbers are made less exact: that has to be said too.
    most = MOST_WORDS + 15 * (name in ("numbers", "places"))
    assert 90 <= len(in_sight(named(name)).words) <= most


@pytest.mark.parametrize("name", NAMES)
def test_somebody_of_twelve_can_read_what_is_in_sight(name: str) -> None:
    assert grade(in_sight(named(name)).sentences) <= MOST_GRADE


@pytest.mark.parametrize("name", NAMES)
def test_no_sentence_in_sight_is_longer_than_twenty_words(name: str) -> None:
    assert [each for each in in_sight(named(name)).sentences if len(each.split()) > 20] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_yes_in_the_record_is_no_admission_and_that_is_in_sight(name: str) -> None:
    assert CAUTION in in_sight(named(name)).text


def test_the_share_of_true_answers_is_in_sight_from_the_least_to_the_most() -> None:
    # The section of the demonstration keeps 69.23 %; those of `fourteen` 6 in 10 and half.
    assert "With probability 69.2 % it sends your true answers." in in_sight(named("demo")).text
    assert "With probability 50 % to 60 % it sends your true answers." in in_sight(named("fourteen")).text


def test_a_draw_with_other_odds_than_even_is_no_coin() -> None:
    for name in NAMES:
        text = in_sight(named(name)).text
        assert not any(word in text for word in ("coin", "Heads", "Tails"))


def test_what_all_answers_together_tell_is_in_sight() -> None:
    together = "All answers together: somebody 5 % sure beforehand can become at most 50 % sure."
    assert together in in_sight(named("demo")).text
    assert "All answers together" in in_sight(named("places")).text
    assert "Only inside the sensitive regions." in in_sight(named("places")).text
    assert "All answers together" not in in_sight(asked.written(PLAIN)).text


def test_what_is_not_protected_is_in_sight() -> None:
    outside = "Nobody can be sure of them, except a place outside the sensitive regions."
    assert outside in in_sight(named("places")).text
    # Both cannot be true.
    assert "Nobody can be sure what you answered" not in in_sight(named("places")).text
    assert "outside" not in in_sight(named("demo")).text
    assert "You can also choose to answer without disguise." in in_sight(named("fourteen")).text
    closed = named("fourteen", open_answers=False)
    assert "without disguise" not in in_sight(closed).text


def test_a_survey_that_disguises_nothing_promises_no_disguise() -> None:
    text = in_sight(asked.written(PLAIN)).text
    assert "Every answer is sent exactly as you give it." in text
    assert not any(word in text for word in (CAUTION, "Nobody can be sure", "coin", "made-up"))


def test_odds_limits_and_fingerprint_are_one_tap_away() -> None:
    text = in_sight(named("fourteen")).text
    for summary in (
        "Who is asking",
        "How your answers are protected",
        "Limits of this protection",
        "Check this for yourself (technical)",
    ):
        assert summary in text
    design = named("fourteen")
    assert "times" not in text
    assert design.fingerprint not in text
    assert "could supply a different one" not in text


# --- the measures themselves


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("yes", 1),
        ("made", 1),
        ("browser", 2),
        ("disguise", 2),
        ("answered", 2),
        ("people", 2),
        ("anybody", 4),
        ("8", 1),
    ],
)
def test_syllables_are_groups_of_vowels(word: str, count: int) -> None:
    assert syllables(word) == count


def test_the_grade_is_that_of_flesch_and_kincaid() -> None:
    # 6 words, 6 syllables and one sentence: 0.39 * 6 + 11.8 - 15.59.
    assert grade(["The cat sat on the mat"]) == pytest.approx(-1.45)
    # 4 words in 2 sentences with 11 syllables: 0.39 * 2 + 11.8 * 2.75 - 15.59.
    assert grade(["Nobody answered", "Anybody cannot"]) == pytest.approx(17.64)


def test_what_is_folded_hidden_or_the_researchers_is_not_in_sight() -> None:
    page = """<div><p class="lede">Theirs.</p><p hidden>Hidden.</p><p hidden data-needs-script>Ours</p>
        <details><summary>Open <b>me</b></summary><p>Folded.</p></details><p data-waiting>Wait.</p><p>Seen.</div>"""
    assert InSight(page, frozenset({"lede"})).words == ["Ours", "Open", "me", "Seen"]
