"""The catalogues are whole: nothing missing, nothing guessed, compiled from what is committed."""

import io
import re
from functools import cache

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from django.conf import settings

from config import update_message_catalogues
from reports.answer_labels import NOT_DERIVABLE
from surveys.phrases.all_phrases import PHRASES
from surveys.phrases.languages import SHIPPED

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd%]|\{\w*\}")


Key = tuple[str, str]


@cache
def extracted() -> Catalog:
    return update_message_catalogues.extract_messages()


@cache
def committed(language: str = update_message_catalogues.CHINESE) -> Catalog:
    return update_message_catalogues.read_catalogue(language)


def keys(catalog: Catalog) -> set[Key]:
    return {(message.context or "", str(message.id)) for message in catalog if message.id}


def differences(fresh: set[Key], known: set[Key]) -> dict[str, list[Key]]:
    """Only what differs, so that a failure does not print the whole catalogue."""
    found = {"missing": sorted(fresh - known), "superfluous": sorted(known - fresh)}
    return {what: which for what, which in found.items() if which}


def texts(message: Message) -> tuple[list[str], list[str]]:
    ids = [message.id] if isinstance(message.id, str) else list(message.id)
    strings = [message.string] if isinstance(message.string, str) else list(message.string or ())
    return ids, strings


@pytest.mark.page
def test_no_translation_is_missing_or_fuzzy() -> None:
    left = list(
        update_message_catalogues.untranslated_messages(
            update_message_catalogues.merge_translations(update_message_catalogues.CHINESE, extracted())
        )
    )
    assert not left, f"translate {left}"


@pytest.mark.page
def test_the_committed_catalogue_holds_just_what_the_sources_say() -> None:
    found = differences(keys(extracted()), keys(committed()))
    assert not found, f"run `python -m config.update_message_catalogues`: {found}"


def test_a_difference_is_told_without_the_rest() -> None:
    one, two, three = ("", "one"), ("", "two"), ("verb", "three")
    assert differences({one, two}, {two, three}) == {"missing": [one], "superfluous": [three]}
    assert differences({one}, {one}) == {}


@pytest.mark.parametrize(
    "language", [update_message_catalogues.CHINESE, *update_message_catalogues.FOR_EVERYBODY]
)
def test_every_translation_keeps_its_placeholders(language: str) -> None:
    for message in committed(language):
        if not message.id:
            continue
        ids, strings = texts(message)
        for string in strings:
            if string == NOT_DERIVABLE:
                assert "a dash if" in (message.context or ""), message.id
                continue
            assert sorted(PLACEHOLDER.findall(string)) == sorted(PLACEHOLDER.findall(ids[-1])), message.id


@pytest.mark.parametrize(
    "language", [update_message_catalogues.CHINESE, *update_message_catalogues.FOR_EVERYBODY]
)
def test_the_compiled_catalogue_is_made_from_the_committed_one(language: str) -> None:
    made = io.BytesIO()
    write_mo(made, committed(language))
    is_made = (
        update_message_catalogues.catalogue_path(language).with_suffix(".mo").read_bytes() == made.getvalue()
    )
    # Two large texts are compared outside `assert`, which would look for their differences for minutes.
    assert is_made, "run `python -m config.update_message_catalogues`"


@pytest.mark.parametrize("language", update_message_catalogues.FOR_EVERYBODY)
def test_the_catalogues_for_everybody_hold_phrases_and_sentences_and_nothing_else(language: str) -> None:
    found = differences(keys(update_message_catalogues.extract_public_messages()), keys(committed(language)))
    assert not found, f"run `python -m config.update_message_catalogues`: {found}"
    assert list(update_message_catalogues.untranslated_messages(committed(language))) == []


@pytest.mark.parametrize("language", [each for each in SHIPPED if each != "en"])
def test_every_phrase_can_be_said_in_every_shipped_language(language: str) -> None:
    for key, phrase in PHRASES.items():
        assert phrase.has_placeholders_of_original(phrase.shipped_text(language)), key


def test_the_languages_of_the_respondents_pages_are_not_offered_to_researchers() -> None:
    assert [code for code, _name in settings.LANGUAGES] == ["en", "zh-hans"]
    assert set(SHIPPED) == {"en", "zh-hans", *update_message_catalogues.FOR_EVERYBODY}


def test_a_missing_and_a_fuzzy_translation_would_be_noticed() -> None:
    known = Catalog(locale="zh_Hans_CN")
    known.add("one", "")
    known.add("two", "二", flags=["fuzzy"])
    known.add("three", "三")
    assert list(update_message_catalogues.untranslated_messages(known)) == ["one", "two"]
