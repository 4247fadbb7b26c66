"""Interface for sentences in a reader's language; the default is English, without Django."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """Functions that write sentences in one language.

    `gettext` and `ngettext` translate. `format_list` joins texts, the last by a word. `format_percent` writes a share.
    """

    gettext: Callable[[str], str]
    ngettext: Callable[[str, str, int], str]
    format_list: Callable[[list[str], str], str]
    format_count: Callable[[int], str]
    format_percent: Callable[[float], str]


def _english_plural(single: str, many: str, number: int) -> str:
    return single if number == 1 else many


def _english_list(texts: list[str], last_word: str) -> str:
    *first, last = texts
    return f"{', '.join(first)} {last_word} {last}" if first else last


ENGLISH = Language(str, _english_plural, _english_list, "{:,}".format, lambda share: f"{100 * share:.1f} %")
