"""How the languages that are shipped write numbers, dates and lines."""

from datetime import UTC, date, datetime
from fractions import Fraction

import pytest

from surveys.phrases.all_phrases import PHRASES
from surveys.phrases.languages import (
    SHIPPED,
    format_day,
    format_day_and_time,
    shipped_language_for,
    text_direction,
)
from surveys.phrases.phrase_rendering import Speaker


@pytest.mark.parametrize(
    ("language", "nearest"),
    [("de", "de"), ("de-at", "de"), ("zh-cn", "zh-hans"), ("en-gb", "en"), ("pt-br", None)],
)
def test_a_language_is_spoken_by_its_nearest_shipped_one(language: str, nearest: str | None) -> None:
    assert shipped_language_for(language) == nearest


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", ("1,200", "12,000", "62.5 %", "7.4")),
        ("zh-hans", ("1,200", "12,000", "62.5%", "7.4")),
        ("de", ("1.200", "12.000", "62,5 %", "7,4")),
        ("es", ("1200", "12.000", "62,5 %", "7,4")),
        ("fr", ("1\u202f200", "12\u202f000", "62,5 %", "7,4")),
        ("ar", ("1,200", "12,000", "62.5 %", "7.4")),
    ],
)
def test_numbers_are_written_as_the_browser_writes_them(language: str, written: tuple[str, ...]) -> None:
    said = Speaker(language)
    found = (
        said.count_text(1200),
        said.count_text(12000),
        said.percent_text(0.625, 1),
        said.factor_text(Fraction("7.4")),
    )
    assert tuple(text.replace("\xa0", " ").replace("٪", "%") for text in found) == written


def test_a_whole_factor_has_no_decimals() -> None:
    assert Speaker("de").factor_text(Fraction(1000)) == "1.000"


def test_odds_are_said_in_words_and_nothing_is_said_of_certainty() -> None:
    assert Speaker("en").odds_text(0.7) == "about 7 in 10"
    assert Speaker("en").odds_text(0.7, "odds_first") == "About 7 in 10"
    assert Speaker("en").odds_text(1.0) == ""


def test_days_are_written_as_the_language_does_or_else_in_digits() -> None:
    assert format_day(date(2031, 5, 4), "de") == "4. Mai 2031"
    assert format_day(date(2031, 5, 4), "tlh") == "2031-05-04"
    assert format_day_and_time(datetime(2031, 5, 4, 8, 30, tzinfo=UTC), "tlh") == "2031-05-04 08:30"


@pytest.mark.parametrize(
    ("language", "runs"),
    [
        ("ar", "rtl"),
        ("ar-eg", "rtl"),
        ("he", "rtl"),
        ("az-arab", "rtl"),
        ("ku", "ltr"),
        ("ar-latn", "ltr"),
        ("zh-hans", "ltr"),
    ],
)
def test_a_language_runs_as_its_script_does(language: str, runs: str) -> None:
    assert text_direction(language) == runs


def test_two_of_the_shipped_languages_are_those_of_the_researchers_pages() -> None:
    assert SHIPPED[:2] == ("en", "zh-hans")


def said(language: str, key: str, **values: object) -> str:
    return Speaker(language).say_phrase(key, **values)


def test_the_odds_of_people_count_people_and_those_of_draws_count_times() -> None:
    assert Speaker("zh-hans").odds_text(0.25, "odds_people") == "约每 4 人中有 1 人"
    assert Speaker("zh-hans").odds_text(0.25) == "约每 4 次中有 1 次"
    assert Speaker("de").odds_text(0.5) + " Fällen" in said(
        "de", "grouped_yes", answer="Ja", odds="in etwa 1 von 2", share=""
    )
    assert said("de", "about_times", m=1, n=2) == "in etwa 1 von 2 Fällen"


@pytest.mark.parametrize("language", SHIPPED)
def test_only_the_game_with_a_fair_coin_speaks_of_a_coin(language: str) -> None:
    coins = (" coin ", "硬币", "Münze", "pièce", "moneda", "قطعة نقود")
    found = {
        key for key in PHRASES if any(coin in f" {PHRASES[key].shipped_text(language)}" for coin in coins)
    }
    assert found - {"toy_result"} == {"toy_about"}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", ("zu zweit", "Zahl: ", " Mal</strong> (")),
        ("fr", ("répétition", "pareilles")),
        ("ar", ("استطلاع", "%(questions)s أسئلة")),
        ("en", ("nothing is promised", "not even you", "least often drawn")),
    ],
)
def test_no_phrase_says_a_word_that_was_misread(language: str, words: tuple[str, ...]) -> None:
    said = [PHRASES[key].shipped_text(language) for key in PHRASES]
    assert [text for text in said if any(word in text for word in words)] == []


def test_a_list_of_numbers_in_chinese_has_their_comma() -> None:
    assert Speaker("zh-hans").number_style.between == "、"
