"""The fixed sentences of the respondents' pages, as a researcher reads and translates them.

A placeholder is shown as {name} and bold words as **words**, so that nobody has to write markup.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django import forms
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from builder.parts.parts import spoken
from surveys.kinds.block_form import words_field
from surveys.lifecycle.freezing import phrases_to_translate
from surveys.not_allowed import NotAllowed
from surveys.phrases.every import PHRASES
from surveys.phrases.phrase import BOLD, PLACEHOLDER, Phrase, escaped, filled, placeholders
from surveys.phrases.shipped import SHIPPED
from surveys.phrases.speaker import shipped_text
from surveys.questionnaire import normal_values
from surveys.questionnaire.questionnaire import Questionnaire

MARK = re.compile(r"\{([a-z_]+)\}", re.ASCII)
BOLD_MARK = re.compile(r"\*\*([^*]+)\*\*", re.ASCII)
LONGEST = 2000


def with_marks(text: str) -> str:
    return BOLD.sub("**", PLACEHOLDER.sub(r"{\1}", text))


def without_marks(text: str) -> str:
    return BOLD_MARK.sub(r"<strong>\1</strong>", MARK.sub(r"%(\1)s", text))


def original_html(key: str, language: str) -> SafeString:
    """The shipped words in this language, its placeholders as marks."""
    text = shipped_text(key, language)
    marks = {name: format_html('<code class="mark-name">{{{}}}</code>', name) for name in placeholders(text)}
    return mark_safe(filled(escaped(text), marks))  # noqa: S308 - the text is escaped


def fault_of(phrase: Phrase, text: str) -> str:
    """Why a page could not say this translation; nothing where it could."""
    if not text.strip() or phrase.is_fitted_by(text):
        return ""
    missing, unknown = phrase.differing(text)
    if missing:
        words = _("{%(name)s} is missing. Put it where the page shall show that number or word.")
        return words % {"name": missing[0]}
    if unknown:
        return _("The original has no {%(name)s}. Delete it.") % {"name": unknown[0]}
    return _("Only what is bold in the original can be bold: **words** between two stars on each side.")


class PhraseForm(forms.Form):
    def __init__(
        self, draft: Questionnaire, key: str, language: str, data: object = None, **options: object
    ) -> None:
        super().__init__(data, **options)  # type: ignore[arg-type]
        self.phrase = PHRASES[key]
        self.initial = {"words": with_marks(own_text(draft, key, language))}
        rows = 3 if len(self.phrase.original) > 60 else 1
        label = _("Translation")
        self.fields["words"] = words_field(
            label, f"phrases.{key}.{language}", rows, self.phrase.protects, LONGEST, lang=language
        )

    def clean_words(self) -> str:
        text = without_marks(normal_values.words(self.cleaned_data["words"]))
        if fault := fault_of(self.phrase, text):
            raise forms.ValidationError(fault)
        return text


@dataclass(frozen=True)
class PhrasePart:
    """One phrase in one language, which is saved on its own: the next may wait half written."""

    key: str
    language: str

    @property
    def dom_id(self) -> str:
        return f"phrase-{self.key}"

    def value(self, draft: Questionnaire) -> str:
        return own_text(draft, self.key, self.language)

    def form(self, draft: Questionnaire, data: Mapping[str, object] | None = None) -> PhraseForm:
        if self.key not in PHRASES or self.language in SHIPPED:
            raise NotAllowed(_("Candor says this itself. Reload the page and try again."))
        return PhraseForm(draft, self.key, spoken(draft, self.language), data, auto_id=f"{self.dom_id}-%s")

    def changed(self, draft: Questionnaire, cleaned: Mapping[str, str]) -> Questionnaire:
        return with_phrase(draft, self.key, self.language, cleaned["words"])


def own_text(draft: Questionnaire, key: str, language: str) -> str:
    return draft.phrases.get(key, {}).get(language, "")


def with_phrase(draft: Questionnaire, key: str, language: str, text: str) -> Questionnaire:
    """An empty text takes the translation away."""
    texts = {code: said for code, said in draft.phrases.get(key, {}).items() if code != language}
    texts |= {language: text} if text.strip() else {}
    others = {name: said for name, said in draft.phrases.items() if name != key}
    return replace(draft, phrases={**others, key: texts} if texts else others)


def keys_in_order(draft: Questionnaire) -> tuple[list[str], list[str]]:
    """What the survey's pages and invitations need: the phrases that state the protection, and the others."""
    needed = phrases_to_translate(draft.as_json())
    protecting = [key for key, phrase in needed.items() if phrase.protects]
    return protecting, [key for key, phrase in needed.items() if not phrase.protects]
