"""A phrase: a fixed sentence of the respondents' pages, with placeholders for what differs between surveys.

Below: the languages that phrases are shipped in, and how each of them writes numbers, dates and lines.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, cached_property

from django.conf.locale import LANG_INFO
from django.utils import translation
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.html import escape
from django.utils.timezone import localtime

from ui.numbers import MINUS

PLACEHOLDER = re.compile(r"%\(([a-z_]+)\)s", re.ASCII)
BOLD = re.compile(r"</?strong>", re.ASCII)
ENGLISH = "en"


@dataclass(frozen=True)
class Phrase:
    """A fixed sentence; `text` is the English original, `protects`: it states how the respondent is protected, or is
    not.

    A phrase has no plural form: its words fit every number.
    """

    text: Promise
    protects: bool = False

    @cached_property
    def original(self) -> str:
        return self.shipped_text(ENGLISH)

    def shipped_text(self, language: str) -> str:
        """Returns Candor's own translation into a shipped language."""
        with translation.override(language):
            return str(self.text)

    @cached_property
    def placeholders(self) -> frozenset[str]:
        return placeholders(self.original)

    def is_fitted_by(self, text: str) -> bool:
        """True if a translation has the original's placeholders, and bold words only if the original has some."""
        tags = BOLD.findall(text)
        is_balanced = tags == ["<strong>", "</strong>"] * (len(tags) // 2)
        is_allowed = not tags or bool(BOLD.search(self.original))
        return placeholders(text) == self.placeholders and is_balanced and is_allowed

    def is_translated_by(self, text: str) -> bool:
        return bool(text.strip()) and self.is_fitted_by(text)

    def differences(self, text: str) -> tuple[list[str], list[str]]:
        """Returns the placeholders that a translation lacks, and those that it adds."""
        used = placeholders(text)
        return sorted(self.placeholders - used), sorted(used - self.placeholders)


Phrases = Mapping[str, Phrase]
"""Phrases by their id, which is stable: designs name it."""


def phrases(**texts: Promise) -> dict[str, Phrase]:
    """Makes phrases by id; an underscore at the end of an id, which avoids a word of Python, is removed."""
    return {key.removesuffix("_"): Phrase(text) for key, text in texts.items()}


def protecting(**texts: Promise) -> dict[str, Phrase]:
    """Makes phrases that state how the respondent is protected, or is not."""
    return {key: Phrase(text, protects=True) for key, text in texts.items()}


def placeholders(text: str) -> frozenset[str]:
    return frozenset(PLACEHOLDER.findall(text))


def fill_placeholders(text: str, values: Mapping[str, object]) -> str:
    """Replaces the placeholders of the text; other percent signs may stand in it."""
    return PLACEHOLDER.sub(lambda match: str(values[match[1]]), text)


def escape_but_bold(text: str) -> str:
    """Escapes all markup but bold tags."""
    return escape(text).replace("&lt;strong&gt;", "<strong>").replace("&lt;/strong&gt;", "</strong>")


# --- languages

SHIPPED = ("en", "zh-hans", "de", "fr", "es", "ar")

RIGHT_TO_LEFT = frozenset(
    {"ar", "arc", "ckb", "dv", "fa", "he", "ks", "nqo", "pnb", "ps", "sd", "syr", "ug", "ur", "yi"}
)
RIGHT_TO_LEFT_SCRIPTS = frozenset({"adlm", "arab", "hebr", "nkoo", "rohg", "syrc", "thaa"})


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """How a language writes numbers; `intl` names the same style to a browser, so that amounts look the same
    everywhere.

    `grouped_from` is the least number of digits that is grouped; `between` separates the numbers of a list.
    """

    intl: str
    group: str
    point: str
    grouped_from: int = 4
    between: str = ", "

    def count(self, number: int) -> str:
        is_long = len(str(abs(number))) >= self.grouped_from
        return (f"{number:,}".replace(",", self.group) if is_long else str(number)).replace("-", MINUS)

    def decimal(self, number: float, places: int) -> str:
        return f"{number:.{places}f}".replace(".", self.point).replace("-", MINUS)


COMMAS = NumberStyle("en", ",", ".")
SPACES = NumberStyle("fr", "\u202f", ",")
"""For French, and for every language that we do not ship: nobody takes a space for a decimal point."""
NUMBERS: Mapping[str, NumberStyle] = {
    "en": COMMAS,
    "zh-hans": NumberStyle("en", ",", ".", between="、"),
    "de": NumberStyle("de", ".", ","),
    "fr": SPACES,
    "es": NumberStyle("es", ".", ",", grouped_from=5),
    "ar": NumberStyle("ar-u-nu-latn", ",", ".", between="، "),
}


def base_language(language: str) -> str:
    return language.split("-", maxsplit=1)[0]


def nearest_language(language: str, offered: Iterable[str]) -> str | None:
    """Returns the offered language nearest to this one: itself, Django's fallback, or one with the same base."""
    codes = list(offered)
    for wish in (language, *LANG_INFO.get(language, {}).get("fallback", ())):
        if wish in codes:
            return str(wish)
    return next((code for code in codes if base_language(code) == base_language(language)), None)


@cache
def shipped_for(language: str) -> str | None:
    """Returns the shipped language whose words a reader of this one gets; None if there is none."""
    return nearest_language(language, SHIPPED)


def number_style(around: str) -> NumberStyle:
    return NUMBERS.get(shipped_for(around) or "", SPACES)


def direction(language: str) -> str:
    """Returns the value of `dir`, by the script in the code, else by the language's usual one."""
    first, *others = language.split("-")
    scripts = [part for part in others if len(part) == 4 and part.isalpha()]
    is_right_to_left = scripts[0] in RIGHT_TO_LEFT_SCRIPTS if scripts else first in RIGHT_TO_LEFT
    return "rtl" if is_right_to_left else "ltr"


def day_text(when: date, around: str) -> str:
    return _date_text(when, around, "DATE_FORMAT", "j F Y", "%Y-%m-%d")


def moment_text(when: datetime, around: str) -> str:
    return _date_text(localtime(when), around, "DATETIME_FORMAT", "j F Y, H:i", "%Y-%m-%d %H:%M")


def _date_text(when: date, around: str, style: str, english: str, digits: str) -> str:
    """Formats a date: in our own `english` format, since Django's begins with the month; in `digits` if Django does not
    know the language.
    """
    language = next((code for code in (around, base_language(around)) if code in LANG_INFO), None)
    if language is None:
        return when.strftime(digits)
    with translation.override(language):
        return date_format(when, english if language == ENGLISH else style)
