"""The phrases that a survey brings: checked in a draft, complete in the design that is opened."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from privacy.designs import Design, InputError, Texts
from privacy.grammar.input_error import marked as _, quoted
from surveys.phrases.every import LETTERS, PHRASES
from surveys.phrases.phrase import Phrase
from surveys.phrases.shipped import SHIPPED, shipped_for
from surveys.phrases.speaker import shipped_text

Own = Mapping[str, Mapping[str, str]]
"""The researcher's translations: by id of the phrase and language."""


@dataclass(frozen=True)
class Untranslated:
    """The ids of the phrases that a language lacks: those that state the protection, and the others."""

    protecting: tuple[str, ...]
    others: tuple[str, ...]


def check_phrases(design: Design) -> None:
    """A `InputError` with the place of a phrase that no page says, or whose placeholders are not the original's."""
    for key, texts in design.phrases:
        if key not in PHRASES:
            raise InputError(f"phrases.{key}", _("%(key)s is not the id of a phrase"), key=quoted(key))
        for language, text in texts.entries:
            _check_text(PHRASES[key], text, f"phrases.{key}.{language}")


def _check_text(phrase: Phrase, text: str, path: str) -> None:
    if phrase.is_fitted_by(text):
        return
    missing, unknown = phrase.differing(text)
    if missing:
        raise InputError(path, _("the placeholder %(name)s is missing"), name=quoted(f"%({missing[0]})s"))
    if unknown:
        raise InputError(
            path, _("the original has no placeholder %(name)s"), name=quoted(f"%({unknown[0]})s")
        )
    raise InputError(path, _("its bold words do not match the original"))


def complete_phrases(design: Design, keys: Iterable[str]) -> Design:
    """With each of these phrases, which its pages need, in each of its languages: the researcher's words, else ours.

    A language that we do not ship keeps what the researcher has translated; a page says the rest in English. Of the
    phrases of emails and posters only the researcher's words are added: every respondent's page holds the design.
    """
    own = {key: texts.as_json() for key, texts in design.phrases}
    said = {key: phrase_texts(key, own.get(key, {}), design.languages) for key in keys}
    said |= {key: texts for key, texts in design.phrases if key in LETTERS}
    return replace(design, phrases=tuple((key, said[key]) for key in sorted(said) if said[key]))


def phrase_texts(key: str, own: Mapping[str, str], languages: Iterable[str]) -> Texts:
    """A phrase in these languages, where there are words: `own`, else ours."""
    said = ((language, own.get(language) or _shipped(key, language)) for language in languages)
    return Texts(tuple((language, text) for language, text in said if text))


def _shipped(key: str, language: str) -> str:
    ours = shipped_for(language)
    return shipped_text(key, ours) if ours else ""


def find_untranslated(keys: Mapping[str, Phrase], own: Own, language: str) -> Untranslated:
    """What is missing in this language; nothing in one that we ship."""
    if shipped_for(language):
        return Untranslated((), ())
    missing = [key for key, phrase in keys.items() if not is_translated(phrase, own.get(key, {}), language)]
    protecting = tuple(key for key in missing if keys[key].protects)
    return Untranslated(protecting, tuple(key for key in missing if not keys[key].protects))


def is_translated(phrase: Phrase, texts: Mapping[str, str], language: str) -> bool:
    text = texts.get(language, "")
    return bool(text.strip()) and phrase.is_fitted_by(text)


def own_phrases(given: object, spoken: Iterable[str]) -> dict[str, dict[str, str]]:
    """The translations of a draft that can be said: known phrases, fitting texts, languages that we do not ship."""
    phrases = given if isinstance(given, Mapping) else {}
    theirs = [code for code in spoken if code not in SHIPPED]
    kept: dict[str, dict[str, str]] = {}
    for key in sorted(key for key in phrases if key in PHRASES):
        texts = phrases[key] if isinstance(phrases[key], Mapping) else {}
        said = {code: texts[code] for code in theirs if isinstance(texts.get(code), str)}
        fitting = {
            code: text for code, text in said.items() if text.strip() and PHRASES[key].is_fitted_by(text)
        }
        if fitting:
            kept[key] = fitting
    return kept
