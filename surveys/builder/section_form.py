"""The form of a section: the text before it in one language, and the order of its questions."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from privacy.kinds.presentation import INTRO, ORDER, RANDOM
from surveys.draft import Draft
from surveys.questionnaire import wording
from surveys.questionnaire.block_form import clean_words, words_field
from surveys.questionnaire.blocks import blocks, key_of, section_at, with_section
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.section_kind import takes_questions


class SectionForm(forms.Form):
    shuffled = forms.BooleanField(
        label=gettext_lazy("Ask these questions in random order"),
        help_text=gettext_lazy(
            "Each device draws the order. It is not recorded. A battery stays together. No question of this section"
            " may then depend on an answer to another one of it."
        ),
        required=False,
    )

    def __init__(self, draft: Draft, key: str, language: str, data: Any = None, **options: Any) -> None:
        super().__init__(data, **options)
        self.section = section_at(draft, wording.section_of(draft, key))
        (line,) = wording.text_pairs(draft, key, language, language)
        self.fields[INTRO] = words_field(
            line.label, f"{line.path}.{language}", 3, line.required, line.longest, lang=language
        )
        self.initial = {INTRO: line.target, "shuffled": self.section.get(ORDER) == RANDOM}
        self.order_fields([INTRO, "shuffled"])
        if not takes_questions(self.section):
            del self.fields["shuffled"]


def value_of(section: Node, language: str) -> list[Any]:
    """What a save can change, and the questions, which tell the section from others."""
    keys = [key_of(block) for block in blocks(section)]
    return [section["kind"], keys, section.get(INTRO, {}).get(language, ""), section.get(ORDER, "")]


def changed(draft: Draft, key: str, language: str, cleaned: dict[str, Any]) -> Draft:
    said = wording.with_words(draft, key, language, clean_words(cleaned))
    number = wording.section_of(draft, key)
    rest = {name: value for name, value in said["sections"][number].items() if name != ORDER}
    order = {ORDER: RANDOM} if cleaned.get("shuffled") else {}
    return with_section(said, number, {**rest, **order})
