"""Forms of the parts of a draft. No field has to be filled: surveys.problems says what is missing."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BoundField
from django.utils.translation import gettext as _, gettext_lazy

from privacy.designs.design import LEAST
from privacy.grammar.node import PARTS
from privacy.grammar.question import YES_NO
from surveys import draft as drafts
from surveys.builder import answer_choices, normal_form, wording
from surveys.builder.blocks import Block, find, is_group, is_grouped, question_text
from surveys.builder.normal_form import Node
from surveys.builder.questions import KINDS, kind_of
from surveys.builder.rules import possible
from surveys.builder.scales import SCALES
from surveys.draft import Draft
from surveys.problems import Problem

LONGEST = 5000
HUNDRED = Decimal(100)


def anchor(path: str) -> str:
    return Problem(path, "").anchor


def words_field(
    label: str, path: str, lines: int = 1, required: bool = True, **attrs: Any
) -> forms.CharField:
    """`required` marks a text that must exist before opening; the form accepts an empty one."""
    shown: dict[str, Any] = {"id": anchor(path), "autocomplete": "off", "dir": "auto", **attrs}
    widget = forms.Textarea(attrs={"rows": lines, **shown}) if lines > 1 else forms.TextInput(attrs=shown)
    field = forms.CharField(label=label, required=False, max_length=LONGEST, widget=widget, strip=False)
    field.widget.attrs["data-optional" if not required else "data-wanted"] = ""
    return field


class ProbabilityField(forms.DecimalField):
    """A probability of four places, written as a percentage of two."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            min_value=Decimal("0.01"), max_value=Decimal("99.99"), max_digits=4, decimal_places=2, **options
        )

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {**super().widget_attrs(widget), "inputmode": "decimal", "step": "0.01"}


def as_percent(probability: str) -> str:
    return f"{(Decimal(probability) * 100).normalize():f}"


def as_probability(percent: Decimal) -> str:
    parts = int(percent * PARTS / HUNDRED)
    return f"0.{parts:04d}"


class StartPageForm(forms.Form):
    """The texts and numbers of the start page, in one language."""

    contact = forms.CharField(
        label=gettext_lazy("Whom people can ask"),
        required=False,
        max_length=500,
        widget=forms.TextInput(attrs={"id": "contact", "autocomplete": "off"}),
    )
    minutes = forms.IntegerField(
        label=gettext_lazy("Minutes it takes"),
        required=False,
        min_value=0,
        max_value=24 * 60,
        widget=forms.NumberInput(attrs={"id": "minutes"}),
    )
    least = forms.IntegerField(
        label=gettext_lazy("Smallest batch"),
        help_text=gettext_lazy("Answers are counted in batches of at least this many, never fewer."),
        required=False,
        min_value=1,
        max_value=10**9,
        widget=forms.NumberInput(attrs={"id": "least"}),
    )
    retention = forms.DateField(
        label=gettext_lazy("Day of destruction"),
        required=False,
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(attrs={"type": "date", "id": "retention"}, format="%Y-%m-%d"),
    )

    def __init__(self, draft: Draft, language: str, data: Any = None, **options: Any) -> None:
        super().__init__(data, initial=start_values(draft, language), **options)
        for key, label in wording.START_TEXTS.items():
            lines = 3 if key in wording.LONG else 1
            required = key not in wording.OPTIONAL
            self.fields[key] = words_field(str(label), f"{key}.{language}", lines, required, lang=language)
        self.order_fields([*wording.START_TEXTS, "contact", "minutes", "least", "retention"])


def start_values(draft: Draft, language: str) -> dict[str, Any]:
    said = {key: draft[key].get(language, "") for key in wording.START_TEXTS}
    numbers = {
        "minutes": drafts.number(draft, "minutes", 0) or None,
        "least": drafts.number(draft, "least", LEAST),
    }
    return said | numbers | {key: drafts.text(draft, key) for key in ("contact", "retention")}


@dataclass(frozen=True)
class AnswerRow:
    """One answer in the form: its words, its name in files, what chance gives it."""

    row: int
    number: int
    label: BoundField | None
    name: BoundField | None
    fixed_name: str
    chance: BoundField | None
    prefer_not: bool
    first: bool
    last: bool


@dataclass(frozen=True)
class RuleRow:
    words: str
    field: BoundField


class QuestionForm(forms.Form):
    """A question, or all options of one of several, in one language."""

    role = forms.ChoiceField(
        label=gettext_lazy("Could others know this about a person?"),
        help_text=gettext_lazy("Such as age or place. It decides how risky the publishing of records is."),
        choices=[
            ("quasi", gettext_lazy("Yes: a quasi-identifier, which can help to single somebody out")),
            ("other", gettext_lazy("No")),
        ],
        widget=forms.RadioSelect,
        required=False,
    )

    def __init__(self, draft: Draft, key: str, language: str, data: Any = None, **options: Any) -> None:
        self.draft, self.key, self.language = draft, key, language
        self.place, self.block = find(draft, key)
        self.is_sensitive = is_grouped(draft["sections"][self.place.section])
        super().__init__(data, **options)
        self.initial = self._values()
        lines = {line.field: line for line in wording.text_pairs(draft, key, language, language)}
        for name, line in lines.items():
            attrs: dict[str, Any] = {"lang": language}
            rows = 2 if line.long else 1
            path = f"{line.path}.{language}"
            self.fields[name] = words_field(line.label, path, rows, line.required, **attrs)
        self._add_kind()
        self._add_answers()
        self._add_rules()
        if self.is_sensitive:
            del self.fields["role"]

    def _add_kind(self) -> None:
        scales = [(key, scale.title) for key, scale in SCALES.items()]
        kinds: list[Any] = [*KINDS.items(), (_("Ready-made scales"), scales)]
        self.fields["kind"] = forms.ChoiceField(
            label=_("Kind"), choices=kinds, required=False, widget=forms.Select(attrs={"data-keeps-not": ""})
        )

    def _add_answers(self) -> None:
        names = [] if answer_choices.is_yes_no(self.block) else answer_choices.rows(self.block)
        for row, choice in enumerate(names):
            if not answer_choices.is_prefer_not(self.block, row):
                label = _("Name of answer %(number)s") % {"number": row + 1}
                self.fields[f"name-{row}"] = forms.CharField(
                    label=label, required=False, max_length=200, initial=choice["name"]
                )
        if not is_group(self.block):
            self.fields["name"] = forms.CharField(
                label=_("Name of the question"), required=False, max_length=200
            )
        for row, label in enumerate(self._chances()):
            self.fields[f"chance-{row}"] = ProbabilityField(label=label, required=False)

    def _chances(self) -> list[str]:
        """Labels of the noise fields: one per answer of a sensitive question, or per option of a group."""
        if not self.is_sensitive:
            return []
        return [
            _("Chance says “%(answer)s”, in per cent")
            % {"answer": answer_words(self.block, row, self.language)}
            for row in range(len(answer_choices.rows(self.block)))
        ]

    def _add_rules(self) -> None:
        plain, sensitive = possible(self.draft, self.key)
        known = {question["name"]: block for block in plain for question in block}
        self.rulings = [name for name in self.block[0]["show_if"] if name in known]
        for number, name in enumerate(self.rulings):
            question = next(each for each in known[name] if each["name"] == name)
            self.fields[f"rule-{number}"] = forms.MultipleChoiceField(
                label=ruling_words(known[name], question, self.language),
                choices=[
                    (choice["name"], answer_of(question, choice, self.language))
                    for choice in question["choices"]
                ],
                required=False,
                widget=forms.CheckboxSelectMultiple,
            )
        self.lost_rules = [name for name in self.block[0]["show_if"] if name not in known]
        offered = [("", _("Choose a question above"))]
        offered += [each for each in self._rulings(plain) if each[0] not in self.rulings]
        barred = self._rulings(sensitive)
        self.can_rule = len(offered) > 1 or bool(barred)
        choices = [*offered, (_("Disguised, so nothing may depend on them"), barred)] if barred else offered
        self.fields["ruling"] = forms.ChoiceField(
            label=_("Ask it only after certain answers to"),
            choices=choices,
            required=False,
            widget=forms.Select(attrs={"data-keeps-not": ""}),
        )

    def _rulings(self, blocks: list[Block]) -> list[tuple[str, str]]:
        return [
            (each["name"], ruling_words(block, each, self.language)) for block in blocks for each in block
        ]

    def _values(self) -> dict[str, Any]:
        block, language = self.block, self.language
        lines = wording.text_pairs(self.draft, self.key, language, language)
        values: dict[str, Any] = {line.field: line.target for line in lines}
        values |= {"kind": kind_of(block), "name": block[0]["name"]}
        values |= {"role": block[0].get("role", "other")}
        values |= {f"chance-{row}": as_percent(noise) for row, noise in enumerate(noise_of(block)) if noise}
        rules = block[0]["show_if"]
        plain, _sensitive = possible(self.draft, self.key)
        known = [each["name"] for found in plain for each in found]
        ruled = [name for name in rules if name in known]
        return values | {f"rule-{number}": rules[name] for number, name in enumerate(ruled)}

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        given = [data.get(f"chance-{row}") for row in range(len(self._chances()))]
        if is_group(self.block) or not any(given) or self.errors:
            return data
        total = sum((each for each in given if each), Decimal(0))
        if total != HUNDRED or not all(given):
            message = _("All together must be 100 %%, not %(total)s. Leave all empty for equal chances.")
            raise ValidationError(message, params={"total": f"{total.normalize():f}"})
        return data

    # For the template.

    @property
    def answer_rows(self) -> list[AnswerRow]:
        last = answer_choices.own(self.block) - 1
        return [
            AnswerRow(
                row=row,
                number=row + 1,
                label=self[f"label-{row}"] if f"label-{row}" in self.fields else None,
                name=self[f"name-{row}"] if f"name-{row}" in self.fields else None,
                fixed_name=each["name"],
                chance=self[f"chance-{row}"] if f"chance-{row}" in self.fields else None,
                prefer_not=answer_choices.is_prefer_not(self.block, row),
                first=row == 0,
                last=row >= last,
            )
            for row, each in enumerate(answer_choices.rows(self.block))
        ]

    @property
    def rule_rows(self) -> list[RuleRow]:
        fields = (self[f"rule-{number}"] for number in range(len(self.rulings)))
        return [RuleRow(str(field.label), field) for field in fields]

    @property
    def fixed_answers(self) -> bool:
        return answer_choices.is_yes_no(self.block)

    @property
    def prefers_not(self) -> bool:
        return answer_choices.prefers_not(self.block)

    @property
    def has_noise(self) -> bool:
        return any(noise_of(self.block))


def noise_of(block: Block) -> list[str | None]:
    """Row by row what chance says, None where all answers are alike; of a group's options their yes."""
    if is_group(block):
        return [each["noise"][1] if "noise" in each else None for each in block]
    return list(block[0].get("noise", [None] * len(block[0]["choices"])))


def with_noise(block: Block, percents: list[Decimal | None]) -> Block:
    if is_group(block):
        return [
            _noisy(each, [HUNDRED - yes, yes] if yes else [])
            for each, yes in zip(block, percents, strict=True)
        ]
    return [_noisy(block[0], [each for each in percents if each is not None])]


def _noisy(question: Node, percents: list[Decimal]) -> Node:
    rest = {key: value for key, value in question.items() if key != "noise"}
    return {**rest, "noise": [as_probability(each) for each in percents]} if percents else rest


def answer_words(block: Block, row: int, language: str) -> str:
    if is_group(block):
        return answer_of(block[row], block[row]["choices"][1], language)
    return answer_of(block[0], block[0]["choices"][row], language)


def answer_of(question: Node, choice: Node, language: str) -> str:
    label: dict[str, str] = choice["label"]
    words = label.get(language) or next(iter(label.values()), "")
    if not words and choice["name"] in YES_NO:
        return _("Yes") if choice["name"] == "yes" else _("No")
    return words or str(choice["name"])


def ruling_words(block: Block, question: Node, language: str) -> str:
    words = question_text(block, language)
    return f"{words} – {answer_of(question, question['choices'][1], language)}" if is_group(block) else words


def role_of(cleaned: dict[str, Any], block: Block) -> str:
    return str(cleaned.get("role") or block[0].get("role", "other"))


def clean_words(cleaned: dict[str, Any]) -> dict[str, str]:
    return {key: normal_form.words(value) for key, value in cleaned.items() if isinstance(value, str)}
