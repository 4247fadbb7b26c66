"""A phrase: a fixed sentence of the respondents' pages, with placeholders for what differs between surveys."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from django.utils import translation
from django.utils.functional import Promise
from django.utils.html import escape

from surveys.phrases.languages import ENGLISH

PLACEHOLDER = re.compile(r"%\(([a-z_]+)\)s", re.ASCII)
BOLD = re.compile(r"</?strong>", re.ASCII)


@dataclass(frozen=True)
class Phrase:
    """A fixed sentence; `text` is the English original. `protects`: the phrase states how the respondent is protected,
    or is not.

    A phrase has no plural form: its words fit every number.
    """

    text: Promise
    protects: bool = False

    @cached_property
    def original_english(self) -> str:
        return self.shipped_text(ENGLISH)

    def shipped_text(self, language: str) -> str:
        """Returns Candor's own translation into a shipped language."""
        with translation.override(language):
            return str(self.text)

    @cached_property
    def placeholders(self) -> frozenset[str]:
        return find_placeholders(self.original_english)

    def has_placeholders_of_original(self, text: str) -> bool:
        """True if a translation has the placeholders of the original, and bold words only if the original has some."""
        tags = BOLD.findall(text)
        is_balanced = tags == ["<strong>", "</strong>"] * (len(tags) // 2)
        is_allowed = not tags or bool(BOLD.search(self.original_english))
        return find_placeholders(text) == self.placeholders and is_balanced and is_allowed

    def is_translated_by(self, text: str) -> bool:
        return bool(text.strip()) and self.has_placeholders_of_original(text)

    def placeholder_differences(self, text: str) -> tuple[list[str], list[str]]:
        """Returns the placeholders that a translation lacks, and those that it adds."""
        used = find_placeholders(text)
        return sorted(self.placeholders - used), sorted(used - self.placeholders)


Phrases = Mapping[str, Phrase]
"""Phrases by their id, which is stable: designs name it."""


def make_phrases(**texts: Promise) -> dict[str, Phrase]:
    """Makes phrases by id; removes an underscore at the end of an id, which avoids a keyword of Python."""
    return {key.removesuffix("_"): Phrase(text) for key, text in texts.items()}


def make_protection_phrases(**texts: Promise) -> dict[str, Phrase]:
    """Makes phrases that state how the respondent is protected, or is not."""
    return {key: Phrase(text, protects=True) for key, text in texts.items()}


def find_placeholders(text: str) -> frozenset[str]:
    return frozenset(PLACEHOLDER.findall(text))


def fill_placeholders(text: str, values: Mapping[str, object]) -> str:
    """Replaces the placeholders in the text by values; other percent signs stay as they are."""
    return PLACEHOLDER.sub(lambda match: str(values[match[1]]), text)


def escape_all_but_bold(text: str) -> str:
    """Escapes all markup of the text except `<strong>` tags."""
    return escape(text).replace("&lt;strong&gt;", "<strong>").replace("&lt;/strong&gt;", "</strong>")
