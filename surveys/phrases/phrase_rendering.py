"""Renders the phrases of one survey in one of its languages; finds, checks and completes their translations."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from fractions import Fraction
from functools import cache, cached_property

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from privacy.designs import Design, InputError, Texts
from privacy.grammar.input_error import mark_for_translation as _, quote_value
from surveys.phrases import languages
from surveys.phrases.all_phrases import LETTERS, PHRASES
from surveys.phrases.fixed_page_sentence import Phrases, escape_all_but_bold, fill_placeholders
from surveys.phrases.kind_and_chance import ALWAYS_CANDORS, digits_and_english
from surveys.phrases.languages import ENGLISH, NumberStyle, shipped_language_for
from surveys.phrases.text_as_seen import refuse_forced_direction
from ui.number_format import rounded_odds


@dataclass(frozen=True)
class PhraseRenderer:
    """Renders the phrases of a survey in one language: in the design's `own` words, else in Candor's.

    The design's words come first, so that the texts of an opened survey do not change. If a newer Candor has
    other placeholders in a phrase, the design's words cannot be filled in, and Candor's are used.
    """

    language: str
    own: Mapping[str, Texts] = field(default_factory=dict)

    @cached_property
    def page_language(self) -> str:
        """Language of the page around the survey's texts: the survey's own if the design or Candor has phrases in it,
        else English."""
        if any(self.language in dict(texts.entries) for texts in self.own.values()):
            return self.language
        return languages.shipped_language_for(self.language) or ENGLISH

    @property
    def text_direction(self) -> str:
        return languages.text_direction(self.page_language)

    @property
    def number_style(self) -> NumberStyle:
        return languages.number_style_of_language(self.page_language)

    def text_of_design(self, key: str) -> str | None:
        """Returns the text of a phrase that the design has in this language; None if it has none, or one with other
        placeholders."""
        text = dict(self.own[key].entries).get(self.language) if key in self.own else None
        return text if text and PHRASES[key].has_placeholders_of_original(text) else None

    def text_and_language(self, key: str) -> tuple[str, str]:
        """Returns the text of a phrase, with its placeholders unfilled, and the language of that text."""
        if (text := self.text_of_design(key)) is not None:
            is_english = text == digits_and_english(key) and not shipped_language_for(self.language)
            return text, ENGLISH if is_english else self.language
        language = languages.shipped_language_for(self.language) or ENGLISH
        text = shipped_phrase_text(key, language)
        return text, self.page_language if languages.shipped_language_for(
            self.page_language
        ) == language else language

    def say_phrase(self, key: str, **values: object) -> str:
        """Returns the phrase as plain text, with its placeholders filled in."""
        return fill_placeholders(self.text_and_language(key)[0], values)

    def phrase_html(self, key: str, **values: object) -> SafeString:
        """Returns the phrase as HTML, escaped except for bold words, and marked with its language if it is not the
        page's."""
        text, language = self.text_and_language(key)
        safe = {name: escape(str(value)) for name, value in values.items()}
        markup = mark_safe(fill_placeholders(escape_all_but_bold(text), safe))  # noqa: S308 - the text and the values are escaped
        if language == self.page_language:
            return markup
        return format_html(
            '<span lang="{}" dir="{}">{}</span>', language, languages.text_direction(language), markup
        )

    def script_phrases(self, keys: Iterable[str]) -> dict[str, str]:
        """Returns the texts of those phrases among `keys` that the design does not have, for a script of the page."""
        return {key: self.text_and_language(key)[0] for key in keys if self.text_of_design(key) is None}

    def odds_text(self, share: float, key: str = "odds") -> str:
        """Returns a probability as odds in words, such as "about 7 in 10"; empty for 0 and 1."""
        rounded = rounded_odds(share)
        if rounded is None:
            return ""
        return self.say_phrase(
            key, m=self.number_style.format_count(rounded[0]), n=self.number_style.format_count(rounded[1])
        )

    def percent_text(self, share: float, places: int) -> str:
        return self.say_phrase(
            "percent", number=self.number_style.format_decimal(round(share * 100, places) + 0.0, places)
        )

    def count_text(self, number: int) -> str:
        return self.number_style.format_count(number)

    def factor_text(self, times: Fraction) -> str:
        """Returns a factor as text with one decimal, which is left out if it is 0."""
        whole, tenths = divmod(round(times * 10), 10)
        return self.count_text(whole) + (f"{self.number_style.point}{tenths}" if tenths else "")

    def day_text(self, when: date) -> str:
        return languages.format_day(when, self.page_language)

    def day_and_time_text(self, when: datetime) -> str:
        return languages.format_day_and_time(when, self.page_language)


@cache
def shipped_phrase_text(key: str, language: str) -> str:
    return PHRASES[key].shipped_text(language)


# --- a design's own phrases
# Checked in a draft, complete in the design that is opened.


@dataclass(frozen=True)
class Untranslated:
    """Ids of the phrases that lack a translation: those about the protection, and the others."""

    protecting: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def check_texts(design: Design) -> None:
    """Raises `InputError` if the design has a phrase that no page uses, or one whose placeholders or bold words do not
    match the original, or a text that forces a direction of writing."""
    for key, texts in design.phrases:
        if key not in PHRASES:
            raise InputError(f"phrases.{key}", _("%(key)s is not the id of a phrase"), key=quote_value(key))
        for language, text in texts.entries:
            if PHRASES[key].has_placeholders_of_original(text):
                continue
            path = f"phrases.{key}.{language}"
            missing, unknown = PHRASES[key].placeholder_differences(text)
            if missing:
                name = quote_value(f"%({missing[0]})s")
                raise InputError(path, _("the placeholder %(name)s is missing"), name=name)
            if unknown:
                name = quote_value(f"%({unknown[0]})s")
                raise InputError(path, _("the original has no placeholder %(name)s"), name=name)
            raise InputError(path, _("its bold words do not match the original"))
    refuse_forced_direction(design.canonical)


def with_complete_phrases(design: Design, keys: Iterable[str]) -> Design:
    """Adds to the design the phrases that its pages need, in each of its languages: Candor's, else the researcher's
    words.

    In a language that Candor does not ship, untranslated phrases are in English. For emails and posters only
    the researcher's words are added, since every respondent's page contains the design.
    """
    own = read_own_phrases({key: texts.as_json() for key, texts in design.phrases}, design.languages)
    complete = {key: phrase_by_language(key, own.get(key, {}), design.languages) for key in keys}
    complete |= {key: Texts(tuple(texts.items())) for key, texts in own.items() if key in LETTERS}
    return replace(design, phrases=tuple((key, complete[key]) for key in sorted(complete) if complete[key]))


def phrase_by_language(key: str, own: Mapping[str, str], languages: Iterable[str]) -> Texts:
    """Returns a phrase by language: in Candor's words, else in the researcher's (`own`); languages without either are
    left out."""
    shipped = {code: shipped_language_for(code) for code in languages}
    texts = (
        (code, shipped_phrase_text(key, ours) if ours else digits_and_english(key) or own.get(code))
        for code, ours in shipped.items()
    )
    return Texts(tuple((code, text) for code, text in texts if text))


def find_untranslated(needed: Phrases, own: Mapping[str, Mapping[str, str]], language: str) -> Untranslated:
    """Returns the ids of the phrases that have no translation to this language; none if Candor ships the language.

    `own` are the researcher's translations by id.
    """
    if shipped_language_for(language):
        return Untranslated()
    missing = [
        key
        for key, phrase in needed.items()
        if not phrase.is_translated_by(own.get(key, {}).get(language, ""))
    ]
    protecting = tuple(key for key in missing if needed[key].protects)
    return Untranslated(protecting, tuple(key for key in missing if not needed[key].protects))


def read_own_phrases(given: object, spoken: Iterable[str]) -> dict[str, dict[str, str]]:
    """Returns the researcher's usable translations from unchecked JSON, by id and language.

    Leaves out unknown phrases, those that are always Candor's, texts with wrong placeholders, and languages that
    Candor ships with their variants.
    """
    phrases = given if isinstance(given, Mapping) else {}
    theirs = [code for code in spoken if not shipped_language_for(code)]
    own: dict[str, dict[str, str]] = {}
    for key in sorted((phrases.keys() & PHRASES.keys()) - ALWAYS_CANDORS):
        texts = phrases[key] if isinstance(phrases[key], Mapping) else {}
        given_texts = {code: texts[code] for code in theirs if isinstance(texts.get(code), str)}
        if fitting := {
            code: text for code, text in given_texts.items() if PHRASES[key].is_translated_by(text)
        }:
            own[key] = fitting
    return own
