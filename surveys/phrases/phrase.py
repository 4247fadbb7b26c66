"""A phrase: a fixed sentence of the respondents' pages, with placeholders for what differs between surveys."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from django.utils import translation
from django.utils.functional import Promise
from django.utils.html import escape

PLACEHOLDER = re.compile(r"%\(([a-z_]+)\)s", re.ASCII)
BOLD = re.compile(r"</?strong>", re.ASCII)
ENGLISH = "en"


@dataclass(frozen=True)
class Phrase:
    """`text` is the English original. `protects`: it states how the respondent is protected, or is not.

    A phrase has no plural form: its words fit every number.
    """

    text: Promise
    protects: bool = False

    @cached_property
    def original(self) -> str:
        return self.shipped(ENGLISH)

    def shipped(self, language: str) -> str:
        """Our own translation into a language that we ship."""
        with translation.override(language):
            return str(self.text)

    @cached_property
    def placeholders(self) -> frozenset[str]:
        return placeholders(self.original)

    def is_fitted_by(self, text: str) -> bool:
        """Whether a translation has the original's placeholders, and bold words only where the original may."""
        tags = BOLD.findall(text)
        is_balanced = tags == ["<strong>", "</strong>"] * (len(tags) // 2)
        is_allowed = not tags or bool(BOLD.search(self.original))
        return placeholders(text) == self.placeholders and is_balanced and is_allowed

    def differing(self, text: str) -> tuple[list[str], list[str]]:
        """The placeholders of the original that a translation lacks, and those that it alone has."""
        used = placeholders(text)
        return sorted(self.placeholders - used), sorted(used - self.placeholders)


Phrases = Mapping[str, Phrase]
"""Phrases by their id, which is stable: designs name it."""


def placeholders(text: str) -> frozenset[str]:
    return frozenset(PLACEHOLDER.findall(text))


def escaped(text: str) -> str:
    """As markup of which bold words alone stay."""
    return escape(text).replace("&lt;strong&gt;", "<strong>").replace("&lt;/strong&gt;", "</strong>")


def filled(text: str, values: Mapping[str, object]) -> str:
    """The text with its placeholders replaced, whatever percent signs stand beside them."""
    return PLACEHOLDER.sub(lambda match: str(values[match[1]]), text)
