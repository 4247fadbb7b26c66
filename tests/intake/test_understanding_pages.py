"""What respondents' pages say and load where understanding is checked, and what they leave out elsewhere."""

import json
from typing import Any

import pytest

from privacy.designs import Design
from surveys.kinds.phrases import phrases_for_design
from surveys.phrases.shipped import SHIPPED
from surveys.phrases.speaker import Speaker
from surveys.phrases.understanding import UNDERSTANDING
from tests.browser.study_questionnaires import AGE, FINE, PAIR, TAX, UNDERSTOOD, crosswise
from tests.intake import asked
from tests.intake.asked import CLIENT
from tests.intake.test_earlier_waves import start

pytestmark = [pytest.mark.django_db, pytest.mark.page]
PLAIN = {"kind": "plain", "questions": [AGE]}
STRONG: dict[str, Any] = TAX | {"keep": "0.25", "questions": [{"name": "other", "choices": ["no", "yes"]}]}


def checked(*sections: dict[str, Any]) -> Design:
    return asked.written(PLAIN, *sections, UNDERSTOOD, understanding=True, languages=["en", "zh-hans"])


def page_json(page: str) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(page.split('id="page">')[1].split("</script>", maxsplit=1)[0])
    return said


def test_the_start_page_tells_the_check_and_what_is_stored_of_it() -> None:
    page = start(checked(TAX))
    assert "First, two questions check whether this page was clear." in page
    assert "your record only says: understood at once, after an explanation, or not." in page
    assert "Up to 2 questions." in page
    assert "intake/understanding.js" in page


def test_elsewhere_nothing_of_it_is_said_or_loaded() -> None:
    off = asked.written(PLAIN, TAX, languages=["en", "zh-hans"])
    page = start(off)
    assert not phrases_for_design(off).keys() & UNDERSTANDING.keys()
    for word in ("understanding", "understood", "outsider"):
        assert word not in page


@pytest.mark.parametrize(
    ("sections", "share"),
    [
        ((TAX,), "0.5000"),
        # The largest keep promises least.
        ((STRONG, TAX), "0.5000"),
        ((STRONG,), "0.2500"),
        # |1 - 2 u| of a crosswise question with u = .2466
        ((crosswise(PAIR),), "0.5068"),
        ((FINE, STRONG), "0.5000"),
    ],
)
def test_the_outsiders_odds_are_those_of_the_survey(sections: tuple[dict[str, Any], ...], share: str) -> None:
    assert page_json(start(checked(*sections)))["outsider"] == share


def test_a_survey_of_pairs_alone_shows_the_outsiders_view_too() -> None:
    page = start(checked(crosswise(PAIR)))
    assert "data-outsider" in page
    assert "data-toy" not in page


def test_there_is_no_page_without_javascript() -> None:
    survey = asked.survey(checked(crosswise(PAIR)))
    assert CLIENT.get(f"/a/{survey.slug}/form")["Location"] == f"/a/{survey.slug}"
    assert "/form" not in CLIENT.get(f"/a/{survey.slug}").text


@pytest.mark.parametrize("language", SHIPPED)
def test_its_sentences_are_in_the_six_languages(language: str) -> None:
    said, english = Speaker(language), Speaker("en")
    same = [key for key in UNDERSTANDING if said.template(key) == english.template(key)]
    assert (same == list(UNDERSTANDING)) == (language == "en")
    assert language == "en" or same == []
