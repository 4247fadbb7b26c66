"""Translates a draft part by part: the questionnaire's own texts, and the phrases (fixed sentences) of respondents'
pages.

In a phrase, a placeholder is shown as {name} and bold words as **words**, so that nobody has to write markup.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from builder.editing.separately_saved_parts import part_from_key, require_language
from surveys.kinds.question_form import (
    field_for_translatable_text,
    normalized_texts_of_form,
    translated_text_field,
)
from surveys.phrases.all_phrases import PHRASES
from surveys.phrases.fixed_page_sentence import (
    BOLD,
    PLACEHOLDER,
    escape_all_but_bold,
    fill_placeholders,
    find_placeholders,
)
from surveys.phrases.kind_and_chance import ALWAYS_CANDORS
from surveys.phrases.languages import shipped_language_for
from surveys.phrases.phrase_rendering import shipped_phrase_text
from surveys.questionnaire import translatable_texts, value_normalization
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_block_editing import find_block
from surveys.questionnaire.questionnaire import Questionnaire

MARK = re.compile(r"\{([a-z_]+)\}", re.ASCII)
BOLD_MARK = re.compile(r"\*\*([^*]+)\*\*", re.ASCII)
LONGEST = 2000


class TranslationForm(forms.Form):
    """Form for the texts of a question, or of another part of the draft, in one language; each row also displays the
    text to translate."""

    def __init__(
        self, draft: Questionnaire, key: str, source: str, language: str, data: Any = None, **options: Any
    ) -> None:
        super().__init__(data, **options)
        self.draft, self.key = draft, key
        self.lines = translatable_texts.texts_to_translate_once(draft, key, source, language)
        for line in self.lines:
            self.initial[line.field] = line.target
            self.fields[line.field] = field_for_translatable_text(
                line, language, 3 if line.needs_long_field else 1
            )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.key.startswith(translatable_texts.RESERVED):
            position, block = find_block(self.draft, self.key)
            for field, words in self.draft.sections[position.section].kind_specific_text_faults(
                block[0], data
            ):
                self.add_error(field, words)
        return data

    @property
    def text_rows(self) -> list[tuple[translatable_texts.TranslatableText, BoundField]]:
        return [(line, self[line.field]) for line in self.lines]


class TranslationPart:
    """The translation of the texts of a question, or of another part of the draft, from `source` into `language`; saved
    on its own."""

    def __init__(self, key: str, source: str, language: str) -> None:
        self.key, self.source, self.language = key, source, language
        self.dom_id = part_from_key(key, language).dom_id

    def conflict_check_value(self, draft: Questionnaire) -> Any:
        lines = translatable_texts.texts_to_translate_once(draft, self.key, self.source, self.language)
        return [[line.field, line.target] for line in lines]

    def build_form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> TranslationForm:
        language = require_language(draft, self.language)
        return TranslationForm(draft, self.key, self.source, language, data, auto_id=f"{self.dom_id}-%s")

    def apply_cleaned(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        return translatable_texts.set_texts(draft, self.key, self.language, normalized_texts_of_form(cleaned))


class PhraseForm(forms.Form):
    """Form for the translation of one phrase."""

    def __init__(
        self, draft: Questionnaire, key: str, language: str, data: object = None, **options: object
    ) -> None:
        super().__init__(data, **options)  # type: ignore[arg-type]
        self.phrase = PHRASES[key]
        self.initial = {"words": phrase_for_editing(own_phrase_translation(draft, key, language))}
        path, rows = f"phrases.{key}.{language}", 3 if len(self.phrase.original_english) > 60 else 1
        self.fields["words"] = translated_text_field(
            _("Translation"), path, rows, self.phrase.protects, LONGEST, lang=language
        )

    def clean_words(self) -> str:
        text = phrase_from_edited(value_normalization.normal_text(self.cleaned_data["words"]))
        if not text.strip() or self.phrase.has_placeholders_of_original(text):
            return text
        missing, unknown = self.phrase.placeholder_differences(text)
        if missing:
            words = _("{%(name)s} is missing. Put it where the page shall show that number or word.")
            raise forms.ValidationError(words % {"name": missing[0]})
        if unknown:
            raise forms.ValidationError(
                _("The original has no {%(name)s}. Delete it.") % {"name": unknown[0]}
            )
        raise forms.ValidationError(
            _("Only what is bold in the original can be bold: **words** between two stars on each side.")
        )


class PhrasePart:
    """The translation of one phrase into one language, saved on its own."""

    def __init__(self, key: str, language: str) -> None:
        self.key, self.language, self.dom_id = key, language, f"phrase-{key}"

    def conflict_check_value(self, draft: Questionnaire) -> str:
        return own_phrase_translation(draft, self.key, self.language)

    def build_form(self, draft: Questionnaire, data: Mapping[str, object] | None = None) -> PhraseForm:
        if self.key not in PHRASES.keys() - ALWAYS_CANDORS or shipped_language_for(self.language):
            raise NotAllowed(_("Candor says this itself. Reload the page and try again."))
        language = require_language(draft, self.language)
        return PhraseForm(draft, self.key, language, data, auto_id=f"{self.dom_id}-%s")

    def apply_cleaned(self, draft: Questionnaire, cleaned: Mapping[str, str]) -> Questionnaire:
        return draft_with_phrase_translation(draft, self.key, self.language, cleaned["words"])


def own_phrase_translation(draft: Questionnaire, key: str, language: str) -> str:
    """Returns the draft's own translation of a phrase; empty if it has none."""
    return draft.phrases.get(key, {}).get(language, "")


def draft_with_phrase_translation(draft: Questionnaire, key: str, language: str, text: str) -> Questionnaire:
    """Stores the translation of a phrase in the draft; an empty text removes it."""
    phrases = {name: dict(texts) for name, texts in draft.phrases.items()}
    texts = phrases.pop(key, {})
    texts.pop(language, None)
    texts |= {language: text} if text.strip() else {}
    return replace(draft, phrases=phrases | ({key: texts} if texts else {}))


def phrase_for_editing(text: str) -> str:
    """Converts a stored phrase for editing: {name} for a placeholder, **words** for bold."""
    return BOLD.sub("**", PLACEHOLDER.sub(r"{\1}", text))


def phrase_from_edited(text: str) -> str:
    """Converts an edited phrase back to its stored form."""
    return BOLD_MARK.sub(r"<strong>\1</strong>", MARK.sub(r"%(\1)s", text))


def shipped_phrase_html(key: str, language: str) -> SafeString:
    """Returns a phrase in a language that Candor ships, as HTML with its placeholders marked."""
    text = shipped_phrase_text(key, language)
    marks = {
        name: format_html('<code class="mark-name">{{{}}}</code>', name) for name in find_placeholders(text)
    }
    return mark_safe(fill_placeholders(escape_all_but_bold(text), marks))  # noqa: S308 - the text is escaped
