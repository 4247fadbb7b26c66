"""The form of a section: the text before it in one language, and the order of its questions."""

from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from privacy.kinds.presentation import INTRO
from surveys.kinds.block_form import clean_texts, words_field
from surveys.questionnaire import wording
from surveys.questionnaire.blocks import blocks, key_of, section_at, with_section
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.questionnaire import Questionnaire


class SectionForm(forms.Form):
    shuffled = forms.BooleanField(
        label=gettext_lazy("Ask these questions in random order"),
        help_text=gettext_lazy(
            "Each device draws the order. It is not recorded. A battery stays together. No question of this section"
            " may then depend on an answer to another one of it."
        ),
        required=False,
    )

    def __init__(
        self, draft: Questionnaire, key: str, language: str, data: Any = None, **options: Any
    ) -> None:
        super().__init__(data, **options)
        self.section = section_at(draft, wording.section_of(draft, key))
        (line,) = wording.text_pairs(draft, key, language, language)
        self.fields[INTRO] = words_field(
            line.label, f"{line.path}.{language}", 3, line.required, line.longest, lang=language
        )
        self.initial = {INTRO: line.target, "shuffled": self.section.random_order}
        self.order_fields([INTRO, "shuffled"])
        if not self.section.takes_questions:
            del self.fields["shuffled"]


def value_of(section: DraftSection, language: str) -> list[Any]:
    """What a save can change, and the questions, which tell the section from others."""
    keys = [key_of(block) for block in blocks(section)]
    return [section.kind, keys, section.intro.get(language, ""), section.random_order]


def changed(draft: Questionnaire, key: str, language: str, cleaned: dict[str, Any]) -> Questionnaire:
    said = wording.with_words(draft, key, language, clean_texts(cleaned))
    number = wording.section_of(draft, key)
    section = replace(said.sections[number], random_order=bool(cleaned.get("shuffled")))
    return with_section(said, number, section)
