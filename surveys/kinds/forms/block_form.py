"""What the forms of all kinds of questions share: words, name and rules.

No field of words has to be filled: surveys.questionnaire.problems says what is missing.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _

from privacy.designs.labels import proposed_label
from privacy.grammar.question import YES_NO
from privacy.grammar.reading import MOST_LABEL
from surveys.questionnaire import normal_values, wording
from surveys.questionnaire.blocks import Block, find, is_group, question_text
from surveys.questionnaire.draft_question import Choice, DraftQuestion
from surveys.questionnaire.problems import Problem
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.rules import possible


def anchor(path: str) -> str:
    return Problem(path, "").anchor


def words_field(
    label: str,
    path: str,
    lines: int = 1,
    required: bool = True,
    longest: int = wording.LONGEST,
    **attrs: Any,
) -> forms.CharField:
    """`required` marks a text that must exist before opening; the form accepts an empty one."""
    shown: dict[str, Any] = {"id": anchor(path), "autocomplete": "off", "dir": "auto", **attrs}
    widget = forms.Textarea(attrs={"rows": lines, **shown}) if lines > 1 else forms.TextInput(attrs=shown)
    field = forms.CharField(label=label, required=False, max_length=longest, widget=widget, strip=False)
    field.widget.attrs["data-optional" if not required else "data-wanted"] = ""
    return field


@dataclass(frozen=True)
class RuleRow:
    words: str
    field: BoundField


class BlockForm(forms.Form):
    """A question, or all options of one of several, in one language; `template` shows what its kind has of its own."""

    template: ClassVar[str]

    def __init__(
        self, draft: Questionnaire, key: str, language: str, data: Any = None, **options: Any
    ) -> None:
        self.draft, self.key, self.language = draft, key, language
        self.position, self.block = find(draft, key)
        super().__init__(data, **options)
        lines = wording.text_pairs(draft, key, language, language)
        self.initial = {line.field: line.target for line in lines}
        for line in lines:
            path = f"{line.path}.{language}"
            rows = 2 if line.long else 1
            self.fields[line.field] = words_field(
                line.label, path, rows, line.required, line.longest, lang=language
            )
        self._propose_label()

    def _propose_label(self) -> None:
        first, field = self.block[0], self.fields["label"]
        proposal = proposed_label(first.of or first.name, question_text(self.block, self.language))
        field.help_text = _("Used in lists, charts and files. At most %(most)s characters.") % {
            "most": MOST_LABEL
        }
        field.widget.attrs |= {"placeholder": proposal}

    def _add_name(self) -> None:
        self.fields["name"] = forms.CharField(
            label=_("Name of the question"), required=False, max_length=200, initial=self.block[0].name
        )

    def _add_rules(self) -> None:
        plain = possible(self.draft, self.key)
        known = {question.name: (block, question) for block in plain for question in block}
        show_if = self.block[0].show_if
        self.rulings = [name for name in show_if if name in known]
        for number, name in enumerate(self.rulings):
            block, question = known[name]
            self.fields[f"rule-{number}"] = forms.MultipleChoiceField(
                label=ruling_words(block, question, self.language),
                choices=[(choice.name, answer_of(choice, self.language)) for choice in question.choices],
                initial=list(show_if[name]),
                required=False,
                widget=forms.CheckboxSelectMultiple,
            )
        self.lost_rules = [name for name in show_if if name not in known]
        offered = [("", _("Choose a question above"))]
        offered += [each for each in self._rulings(plain) if each[0] not in self.rulings]
        self.can_rule = len(offered) > 1
        self.fields["ruling"] = forms.ChoiceField(
            label=_("Show this question only if the answer to"),
            choices=offered,
            required=False,
            error_messages={"invalid_choice": _("Choose a question above this one that is not disguised.")},
            widget=forms.Select(attrs={"data-keeps-not": ""}),
        )

    def _rulings(self, blocks: list[Block]) -> list[tuple[str, str]]:
        return [(each.name, ruling_words(block, each, self.language)) for block in blocks for each in block]

    def changed_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        """The block with what was filled in, but for words and rules."""
        raise NotImplementedError

    @property
    def rule_rows(self) -> list[RuleRow]:
        fields = (self[f"rule-{number}"] for number in range(len(self.rulings)))
        return [RuleRow(str(field.label), field) for field in fields]


def answer_of(choice: Choice, language: str) -> str:
    words = choice.label.get(language) or next(iter(choice.label.values()), "")
    if not words and choice.name in YES_NO:
        return _("Yes") if choice.name == "yes" else _("No")
    return words or choice.name


def ruling_words(block: Block, question: DraftQuestion, language: str) -> str:
    words = question_text(block, language)
    return f"{words} – {answer_of(question.choices[1], language)}" if is_group(block) else words


def clean_words(cleaned: dict[str, Any]) -> dict[str, str]:
    return {key: normal_values.words(value) for key, value in cleaned.items() if isinstance(value, str)}
