"""The Chinese catalogue is whole: nothing missing, nothing guessed, compiled from what is committed."""

import io
import re
from functools import cache

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo

from config import catalogue

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd%]|\{\w*\}")


@pytest.fixture(scope="module", params=catalogue.DOMAINS)
def domain(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@cache
def extracted(domain: str) -> Catalog:
    return catalogue.extract(domain)


def committed(domain: str) -> Catalog:
    return catalogue.read(catalogue.LOCALE / f"{domain}.po")


def texts(message: Message) -> tuple[list[str], list[str]]:
    ids = [message.id] if isinstance(message.id, str) else list(message.id)
    strings = [message.string] if isinstance(message.string, str) else list(message.string or ())
    return ids, strings


def test_no_translation_is_missing_or_fuzzy(domain: str) -> None:
    assert list(catalogue.missing(catalogue.update(domain, extracted(domain)))) == []


def test_the_committed_catalogue_holds_just_what_the_sources_say(domain: str) -> None:
    fresh = {(message.context, str(message.id)) for message in extracted(domain) if message.id}
    known = {(message.context, str(message.id)) for message in committed(domain) if message.id}
    assert fresh == known, "run `python -m config.catalogue`"


def test_every_translation_keeps_its_placeholders(domain: str) -> None:
    for message in committed(domain):
        if not message.id:
            continue
        ids, strings = texts(message)
        for string in strings:
            assert sorted(PLACEHOLDER.findall(string)) == sorted(PLACEHOLDER.findall(ids[-1])), message.id


def test_the_compiled_catalogue_is_made_from_the_committed_one(domain: str) -> None:
    made = io.BytesIO()
    write_mo(made, committed(domain))
    assert (catalogue.LOCALE / f"{domain}.mo").read_bytes() == made.getvalue()


def test_a_missing_and_a_fuzzy_translation_would_be_noticed() -> None:
    known = Catalog(locale="zh_Hans_CN")
    known.add("one", "")
    known.add("two", "二", flags=["fuzzy"])
    known.add("three", "三")
    assert list(catalogue.missing(known)) == ["one", "two"]
