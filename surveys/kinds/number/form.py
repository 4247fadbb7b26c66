"""Form of a sensitive number: its range, its goal, and its limits or its window."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import Any, NamedTuple

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _, gettext_lazy

from privacy.grammar.input_error import InputError
from privacy.grammar.number_range import FURTHEST, NumberRange
from privacy.kinds.number.window.law import LEAST_EIGENVALUE, WindowLaw
from privacy.kinds.number.window.section import MOST_VALUES
from surveys.kinds.number.draft import (
    GOALS,
    QUARTERS,
    SHAPE,
    ClassesDraftQuestion,
    NumberDraft,
    NumberDraftQuestion,
    WindowDraftQuestion,
)
from surveys.kinds.number.guarantee_and_errors import NumberProtection, number_protection
from surveys.kinds.number.planning_pictures import localized_number_text
from surveys.kinds.number.proposals import proposed_limits_or_empty
from surveys.kinds.percent_fields import (
    ProbabilityField,
    digits_text_input,
    percent_text,
    probability_text,
    ten_thousandths_from_percent,
)
from surveys.kinds.question_form import QuestionBlockForm, SentenceRow
from surveys.questionnaire.problems_and_refusals import Problem, reason_text
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.question_block_editing import Block
from surveys.questionnaire.report_sentence_texts import QUANTITY
from ui.number_format import format_count

FAULT_PATH = re.compile(r"questions\[0\]\.(\w+)(?:\[(\d+)\])?")
FIELDS_OF_PATHS = {"values": "high", "window": "width"}

LABELS: Mapping[str, tuple[Any, Any]] = {
    "low": (gettext_lazy("Lowest number"), gettext_lazy("People below it give this number (“or less”).")),
    "high": (gettext_lazy("Highest number"), gettext_lazy("People above it give this number (“or more”).")),
    "step": (gettext_lazy("Step"), gettext_lazy("1 for whole numbers, 50 for 0, 50, 100, …")),
    "cuts": (
        gettext_lazy("Limits that the device draws"),
        gettext_lazy("Few: larger errors of each share, smaller ones of the average."),
    ),
    "rest": (
        gettext_lazy("Records of twenty that help the average"),
        gettext_lazy("0: no average, unless each number is a class of its own. At most 10."),
    ),
    "width": (
        gettext_lazy("Numbers in the window"),
        gettext_lazy(
            "An odd number. What is sent lies in a window of so many numbers around the true one, or anywhere."
        ),
    ),
}
"""Label and hint of each field."""
QUARTER_LABELS = (
    gettext_lazy("A quarter of people are below"),
    gettext_lazy("Half of them are below"),
    gettext_lazy("Three quarters are below"),
)

Fault = tuple[str, str] | None
"""Name of an invalid field and the reason; None if all is valid."""


class LimitRow(NamedTuple):
    row: int
    number: int
    field: BoundField


@dataclass(frozen=True)
class NumberFormInput:
    """Cleaned values of the form.

    `planned`: `cuts` and `rest` as the page showed them; `proposed`: the limits that it proposed. Values that the
    person did not change are recomputed if the range changed.
    """

    low: int
    high: int
    step: int
    quarters: tuple[int | None, ...]
    limits: tuple[int, ...] = ()
    cuts: int = 1
    rest: int = 0
    planned: str = ""
    proposed: str = ""
    width: int = 1
    uniform: Decimal = Decimal(0)

    @classmethod
    def from_cleaned(cls, data: dict[str, Any]) -> "NumberFormInput":
        values = {field.name: data[field.name] for field in fields(cls) if field.name in data}
        quarters, limits = (
            tuple(value for name, value in data.items() if name.startswith(row))
            for row in ("quarter-", "limit-")
        )
        return cls(**values, quarters=quarters, limits=limits)

    @property
    def window_half_width(self) -> int:
        return (self.width - 1) // 2


class NumberForm(QuestionBlockForm):
    template = "builder/question-number.html"
    section: NumberDraft

    def add_kind_fields(self) -> None:
        question, classes = self.section.question, self.section.classes_question
        self.is_window = classes is None
        self.is_scale = classes is not None and classes.is_scale
        self.is_proposed = classes is not None and classes.limits == proposed_limits_or_empty(classes)
        self.fields["wanted"] = forms.ChoiceField(
            label=_("What do you want to learn?"),
            choices=[(goal, words) for goal, words in GOALS.items() if goal != SHAPE or self.is_window],
            initial=question.goal,
            required=False,
            widget=forms.Select(attrs={"data-keeps-not": ""}),
        )
        for name in ("low", "high", "step"):
            self._add_number_field(name, getattr(question, name))
        if isinstance(question, WindowDraftQuestion):
            self._add_number_field("width", 2 * question.window + 1)
            self.fields["uniform"] = ProbabilityField(
                label=_("Random number sent (%)"),
                help_text=_(
                    "The percentage of people for whom the device sends a random number of the range, "
                    "whatever they answered."
                ),
                initial=percent_text(question.uniform),
            )
        elif classes:
            for row, limit in enumerate(classes.limits):
                self._add_number_field(f"limit-{row}", limit, _("Limit %(number)s") % {"number": row + 1})
            self._add_number_field("cuts", classes.cuts)
            self._add_number_field("rest", classes.rest)
            proposed = classes.limits if self.is_proposed else ()
            for name, numbers in (("planned", (classes.cuts, classes.rest)), ("proposed", proposed)):
                self.fields[name] = forms.CharField(
                    required=False,
                    max_length=300,
                    widget=forms.HiddenInput,
                    initial=_join_with_spaces(numbers),
                )
        for row, quarter in enumerate(question.expected or [None] * QUARTERS):
            self._add_number_field(f"quarter-{row}", quarter, QUARTER_LABELS[row], required=False)
        self.add_name_field()

    def _add_number_field(self, name: str, value: int | None, label: Any = "", required: bool = True) -> None:
        label, hint = LABELS.get(name, (label, ""))
        self.fields[name] = forms.IntegerField(
            label=str(label),
            help_text=str(hint),
            initial=value,
            required=required,
            min_value=-FURTHEST,
            max_value=FURTHEST,
            widget=digits_text_input(11),
        )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors:
            number = NumberFormInput.from_cleaned(data)
            if fault := range_fault(number) or quartiles_fault(number) or self._design_refusal(number):
                self.add_error(*fault)
        return data

    def _design_refusal(self, number: NumberFormInput) -> Fault:
        """Returns an invalid field and the reason, if a design would refuse the form's values; else None."""
        if self.is_window and (fault := window_fault(number)):
            return fault
        try:
            question = number_question_from_input(self.section.question, number)
            replace(self.section, questions=(question,)).normalized().as_design_section()
        except InputError as refusal:
            match = FAULT_PATH.search(refusal.path)
            key, index = match.groups() if match else ("step", None)
            field = f"limit-{int(index or 0)}" if key == "limits" else FIELDS_OF_PATHS.get(key, key)
            field = field if field in self.fields else "step"
            return field, Problem("", reason_text(refusal)).sentence
        return None

    def apply_to_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        (question,) = block
        assert isinstance(question, NumberDraftQuestion)
        return [number_question_from_input(question, NumberFormInput.from_cleaned(cleaned))]

    # For the template.

    @property
    def sentence_rows(self) -> list[SentenceRow]:
        return [SentenceRow("", [self[QUANTITY]])]

    @property
    def limit_rows(self) -> list[LimitRow]:
        fields = [self[name] for name in self.fields if name.startswith("limit-")]
        return [LimitRow(row, row + 1, field) for row, field in enumerate(fields)]

    @property
    def has_wrong_limit(self) -> bool:
        return any(limit.field.errors for limit in self.limit_rows)

    @property
    def quartile_fields(self) -> list[BoundField]:
        return [self[f"quarter-{row}"] for row in range(QUARTERS)]

    @property
    def unfolds_expected_quartiles(self) -> bool:
        """True if the fields of the expected quarters are unfolded."""
        return bool(self.section.question.expected) or any(field.errors for field in self.quartile_fields)

    @cached_property
    def saved_protection(self) -> NumberProtection | None:
        """Guarantee and errors of the saved number, without unsaved input."""
        return number_protection(self.section, self.draft.disguised_respondents, PRIOR, self.language)


def number_question_from_input(question: NumberDraftQuestion, number: NumberFormInput) -> NumberDraftQuestion:
    """Returns the question with the form's values, and with the same goal."""
    low, high, step, quarters = number.low, number.high, number.step, number.quarters
    expected = tuple(quarter for quarter in quarters if quarter is not None) if None not in quarters else ()
    question = replace(question, low=low, step=step, expected=expected)
    if isinstance(question, WindowDraftQuestion):
        values, uniform = (high - low) // step + 1, probability_text(number.uniform)
        return replace(question, values=values, window=number.window_half_width, uniform=uniform)
    assert isinstance(question, ClassesDraftQuestion)
    goal, limits = question.goal, number.limits
    question = replace(question, high=high)
    if _join_with_spaces(limits) == number.proposed:
        limits = proposed_limits_or_empty(question) or limits
    question = replace(question, limits=limits, cuts=min(question.cuts, len(limits)))
    if _join_with_spaces((number.cuts, number.rest)) != number.planned:
        question = replace(question, cuts=number.cuts, rest=number.rest)
    if question.is_scale:
        question = replace(question, rest=0)
    return question if question.goal == goal else replace(question, wanted=goal)


def _join_with_spaces(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def range_fault(number: NumberFormInput) -> Fault:
    """Returns an invalid field and the reason, if the ends and the step do not fit; else None."""
    low, high, step = number.low, number.high, number.step
    if step < 1:
        return "step", _("At least 1.")
    if high <= low:
        return "high", _("It must lie above the lowest number, %(low)s.") % {
            "low": localized_number_text(low)
        }
    if (high - low) % step:
        words = _(
            "From %(low)s to %(high)s is not a whole number of steps of %(step)s. The last step would end at "
            "%(nearest)s."
        )
        nearest = low + (high - low) // step * step
        values = {"low": low, "high": high, "step": step, "nearest": nearest}
        return "step", words % {key: localized_number_text(value) for key, value in values.items()}
    return None


def quartiles_fault(number: NumberFormInput) -> Fault:
    """Returns an invalid field and the reason, if the expected quartiles are incomplete or not in order; else None."""
    if all(quarter is None for quarter in number.quarters):
        return None
    before = number.low
    for row, quarter in enumerate(number.quarters):
        if quarter is None:
            return f"quarter-{row}", _("Give all three, or none.")
        if not before < quarter < number.high:
            ends = {"before": localized_number_text(before), "high": localized_number_text(number.high)}
            return f"quarter-{row}", _("It must lie between %(before)s and %(high)s.") % ends
        before = quarter
    return None


def window_fault(number: NumberFormInput) -> Fault:
    """Returns an invalid field and the reason, if the window does not fit the range or hides too much; else None."""
    values, width = NumberRange(number.low, number.high, number.step).values, number.width
    widest = values - 1 - values % 2
    if not 3 <= values <= MOST_VALUES:
        words = _("These are %(values)s numbers; a window needs 3 to %(most)s. Choose another step.")
        return "step", words % {"values": format_count(values), "most": format_count(MOST_VALUES)}
    if width % 2 == 0 or not 1 <= width <= widest:
        return "width", _("An odd number from 1 to %(most)s.") % {"most": format_count(widest)}
    if (factor := gcd(width, values)) > 1:
        words = _(
            "%(width)s and the %(values)s numbers of the range share the factor %(factor)s, so a part of the "
            "distribution would be lost. The nearest that does not: %(nearest)s."
        )
        nearest = format_count(nearest_coprime_odd_width(width, values))
        return "width", words % {
            "width": format_count(width),
            "values": format_count(values),
            "factor": factor,
            "nearest": nearest,
        }
    law = WindowLaw(values, number.window_half_width, ten_thousandths_from_percent(number.uniform))
    if law.first_eigenvalue >= LEAST_EIGENVALUE:
        return None
    largest = WindowLaw(values, law.half, 0).first_eigenvalue
    if largest < LEAST_EIGENVALUE:
        return "width", _("So wide a window hides even the roughest shape. Choose a narrower one.")
    most = int((1 - Fraction(LEAST_EIGENVALUE) / Fraction(largest)) * 10_000)
    words = _(
        "At this percentage a random number hides even the roughest shape. It must be at most %(most)s %%."
    )
    return "uniform", words % {"most": percent_text(f"0.{most:04d}")}


def nearest_coprime_odd_width(width: int, values: int) -> int:
    """Returns the odd number nearest to the odd number `width` that shares no factor with `values`; the larger one in a
    tie."""
    for apart in range(2, 2 * values, 2):
        for near in (width + apart, width - apart):
            if 1 <= near < values - 1 and gcd(near, values) == 1:
                return near
    return 1
