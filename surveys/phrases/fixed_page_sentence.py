"""A phrase: a fixed sentence of the respondents' pages, with placeholders for values that differ between
surveys."""

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
    """A fixed sentence; `text` is the English original.

    `protects`: the phrase is about how the respondent is, or is not, protected. A phrase has no plural form:
    its words fit every number.
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
        """True if a translation has exactly the placeholders of the original, and bold words only if the original has
        some."""
        tags = BOLD.findall(text)
        is_balanced = tags == ["<strong>", "</strong>"] * (len(tags) // 2)
        is_allowed = not tags or bool(BOLD.search(self.original_english))
        return find_placeholders(text) == self.placeholders and is_balanced and is_allowed

    def is_translated_by(self, text: str) -> bool:
        return bool(text.strip()) and self.has_placeholders_of_original(text)

    def placeholder_differences(self, text: str) -> tuple[list[str], list[str]]:
        """Returns the original's placeholders that a translation lacks, and the placeholders that it adds."""
        used = find_placeholders(text)
        return sorted(self.placeholders - used), sorted(used - self.placeholders)


Phrases = Mapping[str, Phrase]
"""Phrases by their stable ids, which designs contain."""


def make_phrases(**texts: Promise) -> dict[str, Phrase]:
    """Returns phrases by id; a trailing underscore, which avoids Python's keywords, is removed from an id."""
    return {key.removesuffix("_"): Phrase(text) for key, text in texts.items()}


def make_protection_phrases(**texts: Promise) -> dict[str, Phrase]:
    """Returns phrases about how the respondent is, or is not, protected, by id."""
    return {key: Phrase(text, protects=True) for key, text in texts.items()}


def find_placeholders(text: str) -> frozenset[str]:
    return frozenset(PLACEHOLDER.findall(text))


def fill_placeholders(text: str, values: Mapping[str, object]) -> str:
    """Replaces the placeholders in the text by values; other percent signs are kept."""
    return PLACEHOLDER.sub(lambda match: str(values[match[1]]), text)


def escape_all_but_bold(text: str) -> str:
    """Escapes all markup of the text except `<strong>` tags."""
    return escape(text).replace("&lt;strong&gt;", "<strong>").replace("&lt;/strong&gt;", "</strong>")
