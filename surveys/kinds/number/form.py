"""The form of a sensitive number: its range, what is wanted of it, and limits or window."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _

from privacy.grammar.input_error import InputError
from privacy.guarantee.number_range import NumberRange
from privacy.kinds.number.number import FURTHEST
from privacy.kinds.number.window.law import LEAST_EIGENVALUE, WindowLaw
from privacy.kinds.number.window.section import MOST_VALUES
from surveys.kinds.forms.block_form import BlockForm
from surveys.kinds.forms.percent_fields import ProbabilityField, as_percent, as_probability
from surveys.kinds.number.draft import (
    QUARTERS,
    SHAPE,
    WANTED,
    ClassesDraftQuestion,
    NumberDraft,
    NumberDraftQuestion,
    WindowDraftQuestion,
)
from surveys.kinds.number.picture import number_words
from surveys.kinds.number.proposals import proposal
from surveys.kinds.number.results import NumberResults, number_results
from surveys.questionnaire.blocks import Block
from surveys.questionnaire.problems import reason_of
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.questionnaire import Questionnaire
from ui.numbers import count

PLACE = re.compile(r"questions\[0\]\.(\w+)(?:\[(\d+)\])?")


@dataclass(frozen=True)
class LimitRow:
    row: int
    number: int
    field: BoundField


@dataclass(frozen=True)
class SentNumber:
    """What the fields say, as far as the law has them. `planned` and `proposed` are what the page showed of m, R and
    the limits: what was not changed there follows the range."""

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
    def of(cls, data: dict[str, Any]) -> "SentNumber":
        named = {each.name: data[each.name] for each in fields(cls) if each.name in data}
        quarters, limits = (
            tuple(sent for name, sent in data.items() if name.startswith(row))
            for row in ("quarter-", "limit-")
        )
        return cls(**named, quarters=quarters, limits=limits)

    @property
    def half(self) -> int:
        return (self.width - 1) // 2


class NumberForm(BlockForm):
    template = "builder/question-number.html"

    def __init__(
        self, draft: Questionnaire, key: str, language: str, data: Any = None, **options: Any
    ) -> None:
        super().__init__(draft, key, language, data, **options)
        section = draft.sections[self.position.section]
        assert isinstance(section, NumberDraft)
        self.section, self.question = section, section.question
        self.fields["wanted"] = forms.ChoiceField(
            label=_("What do you want to learn?"),
            choices=[each for each in WANTED.items() if each[0] != SHAPE or self.is_window],
            initial=self.question.goal,
            required=False,
            widget=forms.Select(attrs={"data-keeps-not": ""}),
        )
        self._add_range()
        if isinstance(self.question, WindowDraftQuestion):
            self._add_window(self.question)
        elif section.classes:
            self._add_limits(section.classes)
        self._add_expected()
        self._add_name()
        self._add_rules()

    @property
    def is_window(self) -> bool:
        return isinstance(self.question, WindowDraftQuestion)

    def _add_range(self) -> None:
        question = self.question
        self._add("low", question.low, _("Lowest number"), _("People below it give this number (“or less”)."))
        self._add(
            "high", question.high, _("Highest number"), _("People above it give this number (“or more”).")
        )
        self._add("step", question.step, _("Step"), _("1 for whole numbers, 50 for 0, 50, 100, …"))

    def _add(self, name: str, value: int | None, label: str, hint: str = "", required: bool = True) -> None:
        # Text with digits on a phone's keyboard, and no spinner that a wheel turns by accident.
        widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "size": 11})
        self.fields[name] = forms.IntegerField(
            label=label,
            help_text=hint,
            initial=value,
            required=required,
            min_value=-FURTHEST,
            max_value=FURTHEST,
            widget=widget,
        )

    def _add_limits(self, question: ClassesDraftQuestion) -> None:
        for row, limit in enumerate(question.limits):
            self._add(f"limit-{row}", limit, _("Limit %(number)s") % {"number": row + 1})
        self._add(
            "cuts",
            question.cuts,
            _("Limits that the device draws"),
            _("Few: larger errors of each share, smaller ones of the average."),
        )
        self._add(
            "rest",
            question.rest,
            _("Records of twenty that help the average"),
            _("0: no average, unless each number is a class of its own. At most 10."),
        )
        shown = {
            "planned": (question.cuts, question.rest),
            "proposed": question.limits if self.is_proposed else (),
        }
        for name, numbers in shown.items():
            self.fields[name] = forms.CharField(
                required=False, max_length=300, widget=forms.HiddenInput, initial=_joined(numbers)
            )

    @cached_property
    def is_proposed(self) -> bool:
        """Whether its limits are those proposed for its range."""
        classes = self.section.classes
        return classes is not None and classes.limits == proposal(classes)

    def _add_window(self, question: WindowDraftQuestion) -> None:
        self._add(
            "width",
            2 * question.window + 1,
            _("Numbers in the window"),
            _(
                "An odd number. What is sent lies in a window of so many numbers around the true one, or anywhere."
            ),
        )
        self.fields["uniform"] = ProbabilityField(
            label=_("Random number sent (%)"),
            help_text=_(
                "The percentage of people for whom the device sends a random number of the range, "
                "whatever they answered."
            ),
            initial=as_percent(question.uniform),
        )

    def _add_expected(self) -> None:
        labels = [
            _("A quarter of people are below"),
            _("Half of them are below"),
            _("Three quarters are below"),
        ]
        given = self.question.expected or [None] * QUARTERS
        for row, (each, label) in enumerate(zip(given, labels, strict=True)):
            self._add(f"quarter-{row}", each, label, required=False)

    # What was sent.

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if self.errors:
            return data
        sent = SentNumber.of(data)
        for check in (self._range, self._quarters, self._law):
            for field, words in check(sent):
                self.add_error(field, words)
            if self.errors:
                return data
        return data

    def _range(self, sent: SentNumber) -> Iterator[tuple[str, str]]:
        low, high, step = sent.low, sent.high, sent.step
        if step < 1:
            yield "step", _("At least 1.")
        elif high <= low:
            yield "high", _("It must lie above the lowest number, %(low)s.") % {"low": number_words(low)}
        elif (high - low) % step:
            words = _(
                "From %(low)s to %(high)s is not a whole number of steps of %(step)s. The last step would end at "
                "%(nearest)s."
            )
            nearest = low + (high - low) // step * step
            said = {"low": low, "high": high, "step": step, "nearest": nearest}
            yield "step", words % {key: number_words(number) for key, number in said.items()}

    def _quarters(self, sent: SentNumber) -> Iterator[tuple[str, str]]:
        if all(each is None for each in sent.quarters):
            return
        before = sent.low
        for row, each in enumerate(sent.quarters):
            if each is None:
                yield f"quarter-{row}", _("Give all three, or none.")
                return
            if not before < each < sent.high:
                said = {"before": number_words(before), "high": number_words(sent.high)}
                yield f"quarter-{row}", _("It must lie between %(before)s and %(high)s.") % said
                return
            before = each

    def _law(self, sent: SentNumber) -> Iterator[tuple[str, str]]:
        """What a design would refuse, at the field where it can be mended."""
        faults = list(_faults_of_window(sent)) if self.is_window else []
        if faults:
            yield from faults
            return
        try:
            question = changed_number(self.question, sent)
            replace(self.section, questions=(question,)).settled().strict()
        except InputError as refusal:
            reason = reason_of(refusal)
            yield self._field_of(refusal.path), f"{reason[0].upper()}{reason[1:]}."

    def _field_of(self, path: str) -> str:
        """The field of a place in a section; what concerns all limits is said at the first."""
        match = PLACE.search(path)
        key, number = (match[1], match[2]) if match else ("step", None)
        if key == "limits":
            return f"limit-{int(number or 0)}"
        named = {"values": "high", "window": "width"}
        return named.get(key, key if key in self.fields else "step")

    def changed_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        (question,) = block
        assert isinstance(question, NumberDraftQuestion)
        return [changed_number(question, SentNumber.of(cleaned))]

    # For the template.

    @property
    def is_scale(self) -> bool:
        classes = self.section.classes
        return classes is not None and classes.is_scale

    @property
    def limit_rows(self) -> list[LimitRow]:
        fields = [self[name] for name in self.fields if name.startswith("limit-")]
        return [LimitRow(row, row + 1, field) for row, field in enumerate(fields)]

    @property
    def has_wrong_limit(self) -> bool:
        return any(each.field.errors for each in self.limit_rows)

    @property
    def quarter_fields(self) -> list[BoundField]:
        return [self[f"quarter-{row}"] for row in range(QUARTERS)]

    @property
    def expects(self) -> bool:
        """Whether its fields are open."""
        return bool(self.question.expected) or any(field.errors for field in self.quarter_fields)

    @cached_property
    def results(self) -> NumberResults | None:
        """Of the number as it is stored."""
        return number_results(self.section, self.draft.respondents, PRIOR, self.language)

    @cached_property
    def may_remove(self) -> bool:
        return len(self.limit_rows) > 1


def _joined(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def changed_number(question: NumberDraftQuestion, sent: SentNumber) -> NumberDraftQuestion:
    """What is wanted stays, whatever the law would say now."""
    low, high, step, quarters = sent.low, sent.high, sent.step, sent.quarters
    expected = tuple(each for each in quarters if each is not None) if None not in quarters else ()
    made = replace(question, low=low, step=step, expected=expected)
    if isinstance(made, WindowDraftQuestion):
        values, uniform = (high - low) // step + 1, as_probability(sent.uniform)
        return replace(made, values=values, window=sent.half, uniform=uniform)
    assert isinstance(made, ClassesDraftQuestion)
    made, limits = replace(made, high=high), sent.limits
    if _joined(limits) == sent.proposed:
        limits = proposal(made) or limits
    made = replace(made, limits=limits, cuts=min(made.cuts, len(limits)))
    if _joined((sent.cuts, sent.rest)) != sent.planned:
        made = replace(made, cuts=sent.cuts, rest=sent.rest)
    if made.is_scale:
        made = replace(made, rest=0)
    return made if made.goal == question.goal else replace(made, wanted=question.goal)


def _faults_of_window(sent: SentNumber) -> Iterator[tuple[str, str]]:
    values, width = NumberRange(sent.low, sent.high, sent.step).values, sent.width
    widest = values - 1 - values % 2
    if not 3 <= values <= MOST_VALUES:
        words = _("These are %(values)s numbers; a window needs 3 to %(most)s. Choose another step.")
        yield "step", words % {"values": count(values), "most": count(MOST_VALUES)}
    elif width % 2 == 0 or not 1 <= width <= widest:
        yield "width", _("An odd number from 1 to %(most)s.") % {"most": count(widest)}
    elif (factor := gcd(width, values)) > 1:
        words = _(
            "%(width)s and the %(values)s numbers of the range share the factor %(factor)s, so a part of the "
            "distribution would be lost. The nearest that does not: %(nearest)s."
        )
        said = {"width": count(width), "values": count(values), "factor": factor}
        yield "width", words % {**said, "nearest": count(nearest_width(width, values))}
    else:
        yield from _too_faint(sent, values)


def _too_faint(sent: SentNumber, values: int) -> Iterator[tuple[str, str]]:
    parts = int(sent.uniform * 100)
    law = WindowLaw(values, sent.half, parts)
    if law.first_eigenvalue < LEAST_EIGENVALUE:
        faint = WindowLaw(values, law.half, 0).first_eigenvalue
        if faint < LEAST_EIGENVALUE:
            yield "width", _("So wide a window hides even the roughest shape. Choose a narrower one.")
        else:
            most = int((1 - Fraction(LEAST_EIGENVALUE) / Fraction(faint)) * 10_000)
            words = _(
                "At this percentage a random number hides even the roughest shape. It must be at most "
                "%(most)s %%."
            )
            yield "uniform", words % {"most": as_percent(f"0.{most:04d}")}


def nearest_width(width: int, values: int) -> int:
    """The odd number nearest to `width` that shares no factor with `values`; of two, the wider."""
    for apart in range(2, 2 * values, 2):
        for near in (width + apart, width - apart):
            if 1 <= near < values - 1 and gcd(near, values) == 1:
                return near
    return 1
