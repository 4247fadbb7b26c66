"""Languages in which Candor ships its phrases, and the style of numbers, dates and text direction of each
language."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache

from django.conf.locale import LANG_INFO
from django.utils import translation
from django.utils.formats import date_format
from django.utils.timezone import localtime

from ui.number_format import MINUS

ENGLISH = "en"
SHIPPED = ("en", "zh-hans", "de", "fr", "es", "ar")

RIGHT_TO_LEFT = frozenset(
    {"ar", "arc", "ckb", "dv", "fa", "he", "ks", "nqo", "pnb", "ps", "sd", "syr", "ug", "ur", "yi"}
)
RIGHT_TO_LEFT_SCRIPTS = frozenset({"adlm", "arab", "hebr", "nkoo", "rohg", "syrc", "thaa"})


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """Style of numbers in a language; `intl` is the locale with the same style in browsers (`Intl`).

    `group` separates thousands, in numbers of at least `grouped_from` digits; `point` is the decimal
    separator; `between` separates the numbers of a list.
    """

    intl: str
    group: str
    point: str
    grouped_from: int = 4
    between: str = ", "

    def format_count(self, number: int) -> str:
        is_long = len(str(abs(number))) >= self.grouped_from
        return (f"{number:,}".replace(",", self.group) if is_long else str(number)).replace("-", MINUS)

    def format_decimal(self, number: float, places: int) -> str:
        return f"{number:.{places}f}".replace(".", self.point).replace("-", MINUS)


COMMAS = NumberStyle("en", ",", ".")
SPACES = NumberStyle("fr", "\u202f", ",")
"""Style for French, and for every language that we do not ship: nobody takes a space for a decimal point."""
NUMBERS: Mapping[str, NumberStyle] = {
    "en": COMMAS,
    "zh-hans": NumberStyle("en", ",", ".", between="、"),
    "de": NumberStyle("de", ".", ","),
    "fr": SPACES,
    "es": NumberStyle("es", ".", ",", grouped_from=5),
    "ar": NumberStyle("ar-u-nu-latn", ",", ".", between="، "),
}


def base_language(language: str) -> str:
    """Returns the language without region or script: "pt" for "pt-br"."""
    return language.split("-", maxsplit=1)[0]


def nearest_language(language: str, offered: Iterable[str]) -> str | None:
    """Returns the offered language nearest to this one: the language itself, Django's fallback, or one with the same
    base."""
    codes = list(offered)
    for wish in (language, *LANG_INFO.get(language, {}).get("fallback", ())):
        if wish in codes:
            return str(wish)
    return next((code for code in codes if base_language(code) == base_language(language)), None)


THREE_LETTERS = {
    "en": "eng",
    "zh": "zho chi cmn",
    "de": "deu ger",
    "fr": "fra fre",
    "es": "spa",
    "ar": "ara arb",
}
"""Codes of three letters for shipped languages."""
TRADITIONAL = frozenset({"hant", "tw", "hk", "mo"})
"""Scripts and regions of Traditional Chinese, which is a language of its own."""


@cache
def shipped_language_for(language: str) -> str | None:
    """Returns the shipped language that `language` is or is a variant of; None if there is none."""
    first, *others = language.lower().replace("_", "-").split("-")
    first = next((code for code, longer in THREE_LETTERS.items() if first in longer.split()), first)
    if first == "zh" and TRADITIONAL & set(others) and "hans" not in others:
        return None
    return next((code for code in SHIPPED if base_language(code) == first), None)


def number_style_of_language(language: str) -> NumberStyle:
    """Returns the style of numbers in this language."""
    return NUMBERS.get(nearest_language(language, NUMBERS) or "", SPACES)


def text_direction(language: str) -> str:
    """Returns "ltr" or "rtl" for the HTML attribute `dir`: by the script in the language code, else by the language.

    Variants of shipped languages run as these, since their phrases are Candor's: "en-arab" turns no sentence round.
    """
    first, *others = (shipped_language_for(language) or language).split("-")
    scripts = [part for part in others if len(part) == 4 and part.isalpha()]
    is_right_to_left = scripts[0] in RIGHT_TO_LEFT_SCRIPTS if scripts else first in RIGHT_TO_LEFT
    return "rtl" if is_right_to_left else "ltr"


def format_day(when: date, language: str) -> str:
    return _format_date(when, language, "DATE_FORMAT", "j F Y", "%Y-%m-%d")


def format_day_and_time(when: datetime, language: str) -> str:
    return _format_date(localtime(when), language, "DATETIME_FORMAT", "j F Y, H:i", "%Y-%m-%d %H:%M")


def _format_date(when: date, language: str, style: str, english: str, digits: str) -> str:
    """Formats a date in Django's style `style`; in English by the format `english`, since Django's begins
    with the month.

    `digits`: the format for languages that Django does not know.
    """
    known_code = next((code for code in (language, base_language(language)) if code in LANG_INFO), None)
    if known_code is None:
        return when.strftime(digits)
    with translation.override(known_code):
        return date_format(when, english if known_code == ENGLISH else style)
