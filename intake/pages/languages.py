"""Chooses the survey's language for a respondent."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf.locale import LANG_INFO
from django.utils.translation.trans_real import parse_accept_lang_header

from privacy.designs import Texts
from surveys.phrases.phrase import base, related


@dataclass(frozen=True, slots=True)
class LanguageText:
    """A text and the language it is really in; `foreign` where that is not the one around it."""

    text: str
    language: str
    foreign: bool

    def __bool__(self) -> bool:
        return bool(self.text)


def language_text(texts: Texts, language: str, around: str) -> LanguageText:
    """The text in this language, else in the first that has it; `around` is the language of the page around it."""
    by_language = dict(texts.entries)
    if language not in by_language and texts.entries:
        language = texts.entries[0][0]
    return LanguageText(by_language.get(language, ""), language, language != around)


def chosen(accepted: str, languages: Sequence[str]) -> str:
    """The language of the survey that an Accept-Language header asks for first; else the survey's first."""
    wishes = (wish for wish, _quality in parse_accept_lang_header(accepted.lower()))
    return next(filter(None, (related(wish, languages) for wish in wishes)), languages[0])


def own_name(language: str) -> str:
    """A language's name in itself; its code where we know no better."""
    info = LANG_INFO.get(language) or LANG_INFO.get(base(language)) or {}
    return str(info.get("name_local", language))
