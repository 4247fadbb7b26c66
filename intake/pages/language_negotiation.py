"""Chooses the language in which a respondent sees a survey, and the survey's texts in that language."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf.locale import LANG_INFO
from django.http import HttpRequest
from django.utils.translation.trans_real import parse_accept_lang_header

from privacy.designs import Texts
from surveys.phrases.languages import base_language, nearest_language
from surveys.phrases.phrase_rendering import PhraseRenderer

LONGEST_IN_SIGHT = 280
"""Highest number of characters of an introduction or a consent that a start page shows unfolded."""


@dataclass(frozen=True, slots=True)
class LanguageText:
    """A text with the language it is written in; `foreign` is set if the page around it is in another language."""

    text: str
    language: str
    foreign: bool

    def __bool__(self) -> bool:
        return bool(self.text)

    @property
    def is_long(self) -> bool:
        """True if a start page folds the text because of its length."""
        return len(self.text) > LONGEST_IN_SIGHT


def language_text(texts: Texts, language: str, around: str) -> LanguageText:
    """Returns the text in this language, else in the first language in which it is written.

    `around` is the language of the surrounding page.
    """
    by_language = dict(texts.entries)
    if language not in by_language and texts.entries:
        language = texts.entries[0][0]
    return LanguageText(by_language.get(language, ""), language, language != around)


def text_for_page(texts: Texts, speaker: PhraseRenderer) -> LanguageText:
    """Returns the text in the language of the page that `speaker` translates."""
    return language_text(texts, speaker.language, speaker.page_language)


def language_for(request: HttpRequest, offered: Sequence[str]) -> str:
    """Returns the offered language that the request's browser prefers."""
    return accepted_language(request.headers.get("Accept-Language", ""), offered)


def accepted_language(header: str, languages: Sequence[str]) -> str:
    """Returns the survey's language that an Accept-Language header prefers; else the survey's first."""
    wishes = (wish for wish, _quality in parse_accept_lang_header(header.lower()))
    return next(filter(None, (nearest_language(wish, languages) for wish in wishes)), languages[0])


def native_language_name(language: str) -> str:
    """Returns a language's name in that language, or its code if the name is unknown."""
    info = LANG_INFO.get(language) or LANG_INFO.get(base_language(language)) or {}
    return str(info.get("name_local", language))


def language_settings(speaker: PhraseRenderer) -> dict[str, str]:
    """Returns a language's code, name and text direction for the scripts, and two settings.

    `interface`: the language of the page around the survey's texts; `numbers`: the browser's locale for numbers.
    """
    return {
        "code": speaker.language,
        "interface": speaker.page_language,
        "name": native_language_name(speaker.language),
        "dir": speaker.text_direction,
        "numbers": speaker.number_style.intl,
    }
