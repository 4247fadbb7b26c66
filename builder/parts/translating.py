"""The fields of the translation page: one part of the questionnaire in one language beside another."""

from typing import Any

from django import forms
from django.forms import BoundField

from surveys.kinds.block_form import words_field
from surveys.questionnaire import wording
from surveys.questionnaire.blocks import find
from surveys.questionnaire.questionnaire import Questionnaire


class TranslationForm(forms.Form):
    def __init__(
        self, draft: Questionnaire, key: str, source: str, language: str, data: Any = None, **options: Any
    ) -> None:
        super().__init__(data, **options)
        self.draft, self.key, self.source, self.language = draft, key, source, language
        self.lines = wording.translated_pairs(draft, key, source, language)
        self.initial = {line.field: line.target for line in self.lines}
        for line in self.lines:
            path = f"{line.path}.{language}"
            rows = 3 if line.long else 1
            self.fields[line.field] = words_field(
                line.label, path, rows, line.required, line.longest, lang=language
            )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.key.startswith(wording.RESERVED):
            position, block = find(self.draft, self.key)
            for field, words in self.draft.sections[position.section].text_faults(block[0], data):
                self.add_error(field, words)
        return data

    @property
    def rows(self) -> list[tuple[wording.TextPair, BoundField]]:
        return [(line, self[line.field]) for line in self.lines]
