"""Which language a respondent is met in."""

import pytest

from intake.pages.languages import chosen, language_text, own_name
from privacy.designs import Texts


@pytest.mark.parametrize(
    ("wish", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.5", "zh-hans"),
        ("zh", "zh-hans"),
        ("de-AT", "de"),
        ("fr,de;q=0.5,en;q=0.8", "en"),
        ("fr", "en"),
        ("", "en"),
        ("*", "en"),
        (";;;", "en"),
        ("en-GB", "en"),
    ],
)
def test_the_browser_wishes_and_the_survey_has(wish: str, language: str) -> None:
    assert chosen(wish, ("en", "de", "zh-hans")) == language


def test_a_survey_that_has_nothing_of_it_is_shown_in_its_first_language() -> None:
    assert chosen("en", ("de", "fr")) == "de"


@pytest.mark.parametrize(
    ("language", "name"), [("de", "Deutsch"), ("zh-hans", "简体中文"), ("de-at", "Deutsch"), ("tlh", "tlh")]
)
def test_a_language_is_named_in_itself(language: str, name: str) -> None:
    assert own_name(language) == name


def test_a_text_that_is_missing_is_said_in_the_first_language_that_has_it_and_owns_up_to_it() -> None:
    texts = Texts((("de", "Wer"), ("fr", "Qui")))
    assert (language_text(texts, "fr", "en").text, language_text(texts, "fr", "en").language) == ("Qui", "fr")
    assert (language_text(texts, "en", "en").text, language_text(texts, "en", "en").language) == ("Wer", "de")


def test_a_text_that_is_missing_everywhere_is_nothing() -> None:
    assert not language_text(Texts(), "en", "en")
