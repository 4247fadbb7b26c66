"""The Chinese catalogue is whole: nothing missing, nothing guessed, compiled from what is committed."""

import io
import re
from functools import cache

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo

from config import catalogue

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd%]|\{\w*\}")


Key = tuple[str, str]


@cache
def extracted() -> Catalog:
    return catalogue.extract()


@cache
def committed() -> Catalog:
    return catalogue.read(catalogue.CHINESE)


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


@pytest.mark.slow
def test_no_translation_is_missing_or_fuzzy() -> None:
    left = list(catalogue.missing(catalogue.update(extracted())))
    assert not left, f"translate {left}"


@pytest.mark.slow
def test_the_committed_catalogue_holds_just_what_the_sources_say() -> None:
    found = differences(keys(extracted()), keys(committed()))
    assert not found, f"run `python -m config.catalogue`: {found}"


def test_a_difference_is_told_without_the_rest() -> None:
    one, two, three = ("", "one"), ("", "two"), ("verb", "three")
    assert differences({one, two}, {two, three}) == {"missing": [one], "superfluous": [three]}
    assert differences({one}, {one}) == {}


def test_every_translation_keeps_its_placeholders() -> None:
    for message in committed():
        if not message.id:
            continue
        ids, strings = texts(message)
        for string in strings:
            assert sorted(PLACEHOLDER.findall(string)) == sorted(PLACEHOLDER.findall(ids[-1])), message.id


def test_the_compiled_catalogue_is_made_from_the_committed_one() -> None:
    made = io.BytesIO()
    write_mo(made, committed())
    assert catalogue.CHINESE.with_suffix(".mo").read_bytes() == made.getvalue()


def test_a_missing_and_a_fuzzy_translation_would_be_noticed() -> None:
    known = Catalog(locale="zh_Hans_CN")
    known.add("one", "")
    known.add("two", "二", flags=["fuzzy"])
    known.add("three", "三")
    assert list(catalogue.missing(known)) == ["one", "two"]
