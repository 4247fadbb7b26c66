"""The form of a sensitive number: its range, what is wanted of it, and limits or window."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _

from look.numbers import count
from privacy.grammar.refusal import Refusal
from privacy.guarantee.number_range import NumberRange
from privacy.kinds.number.number import FURTHEST
from privacy.kinds.number.window.law import LEAST_EIGENVALUE, WindowLaw
from privacy.kinds.number.window.section import MOST_VALUES, WINDOW
from surveys.draft import Draft
from surveys.kinds.number.draft import (
    NUMBER,
    QUARTERS,
    SHAPE,
    WANTED,
    is_scale,
    number_settings,
    read_section,
    wanted_of,
)
from surveys.kinds.number.laws import number_results
from surveys.kinds.number.picture import number_words
from surveys.kinds.number.proposals import proposal
from surveys.kinds.number.results import NumberResults
from surveys.problems import reason_of
from surveys.questionnaire.block_form import BlockForm
from surveys.questionnaire.blocks import Block
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.percent_fields import ProbabilityField, as_percent, as_probability
from surveys.questionnaire.protection import PRIOR, expected

PLACE = re.compile(r"questions\[0\]\.(\w+)(?:\[(\d+)\])?")


@dataclass(frozen=True)
class LimitRow:
    row: int
    number: int
    field: BoundField


class NumberForm(BlockForm):
    template = "surveys/builder/question-number.html"

    def __init__(self, draft: Draft, key: str, language: str, data: Any = None, **options: Any) -> None:
        super().__init__(draft, key, language, data, **options)
        self.section: Node = draft["sections"][self.place.section]
        self.question = self.block[0]
        self.fields["wanted"] = forms.ChoiceField(
            label=_("What do you want to learn?"),
            choices=[each for each in WANTED.items() if each[0] != SHAPE or self.is_window],
            required=False,
            widget=forms.Select(attrs={"data-keeps-not": ""}),
        )
        self.initial["wanted"] = wanted_of(self.question)
        self._add_range()
        (self._add_window if self.is_window else self._add_limits)()
        self._add_expected()
        self._add_name()
        self._add_rules()

    @property
    def is_window(self) -> bool:
        return bool(self.question["law"] == WINDOW)

    @property
    def ends(self) -> tuple[int, int]:
        question = self.question
        if self.is_window:
            return question["low"], question["low"] + question["step"] * (question["values"] - 1)
        return question["low"], question["high"]

    def _add_range(self) -> None:
        low, high = self.ends
        self._add("low", low, _("Lowest number"), _("People below it give this number (“or less”)."))
        self._add("high", high, _("Highest number"), _("People above it give this number (“or more”)."))
        self._add("step", self.question["step"], _("Step"), _("1 for whole numbers, 50 for 0, 50, 100, …"))

    def _add(self, name: str, value: Any, label: str, hint: str = "", required: bool = True) -> None:
        # Text with digits on a phone's keyboard, and no spinner that a wheel turns by accident.
        widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "size": 11})
        self.fields[name] = forms.IntegerField(
            label=label,
            help_text=hint,
            required=required,
            min_value=-FURTHEST,
            max_value=FURTHEST,
            widget=widget,
        )
        self.initial[name] = value

    def _add_limits(self) -> None:
        limits, question = self.question["limits"], self.question
        for row, limit in enumerate(limits):
            self._add(f"limit-{row}", limit, _("Limit %(number)s") % {"number": row + 1})
        drawn = _("Limits that the device draws")
        self._add(
            "cuts",
            question["cuts"],
            drawn,
            _("Few: larger errors of each share, smaller ones of the average."),
        )
        self._add("rest", question["rest"], _("Records of twenty that help the average"))
        self.fields["rest"].help_text = _(
            "0: no average, unless each number is a class of its own. At most 10."
        )
        # As the page shows them: what was not changed there follows the range.
        shown = {
            "planned": [question["cuts"], question["rest"]],
            "proposed": limits if self.is_proposed else [],
        }
        for name, numbers in shown.items():
            self.fields[name] = forms.CharField(required=False, max_length=300, widget=forms.HiddenInput)
            self.initial[name] = _joined(numbers)

    @cached_property
    def is_proposed(self) -> bool:
        """Whether its limits are those proposed for its range."""
        return not self.is_window and self.question["limits"] == proposal(self.question)

    def _add_window(self) -> None:
        self._add("width", 2 * self.question["window"] + 1, _("Numbers in the window"))
        self.fields["width"].help_text = _(
            "An odd number. What is sent lies in a window of so many numbers around the true one, or anywhere."
        )
        self.fields["uniform"] = ProbabilityField(
            label=_("Random number sent (%)"),
            help_text=_(
                "The percentage of people for whom the device sends a random number of the range, "
                "whatever they answered."
            ),
        )
        self.initial["uniform"] = as_percent(self.question["uniform"])

    def _add_expected(self) -> None:
        labels = [
            _("A quarter of people are below"),
            _("Half of them are below"),
            _("Three quarters are below"),
        ]
        for row, label in enumerate(labels):
            given = self.question.get("expected", [None] * QUARTERS)[row]
            self._add(f"quarter-{row}", given, label, required=False)

    # What was sent.

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if self.errors:
            return data
        for check in (self._range, self._quarters, self._law):
            for field, words in check(data):
                self.add_error(field, words)
            if self.errors:
                return data
        return data

    def _range(self, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        low, high, step = data["low"], data["high"], data["step"]
        if step < 1:
            yield "step", _("At least 1.")
        elif high <= low:
            yield "high", _("It must lie above the lowest number, %(low)s.") % {"low": number_words(low)}
        elif (high - low) % step:
            said = {"low": number_words(low), "high": number_words(high), "step": number_words(step)}
            said["nearest"] = number_words(low + (high - low) // step * step)
            words = _(
                "From %(low)s to %(high)s is not a whole number of steps of %(step)s. The last step would end at "
                "%(nearest)s."
            )
            yield "step", words % said

    def _quarters(self, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        given = [data[f"quarter-{row}"] for row in range(QUARTERS)]
        if all(each is None for each in given):
            return
        before = data["low"]
        for row, each in enumerate(given):
            if each is None:
                yield f"quarter-{row}", _("Give all three, or none.")
                return
            if not before < each < data["high"]:
                said = {"before": number_words(before), "high": number_words(data["high"])}
                yield f"quarter-{row}", _("It must lie between %(before)s and %(high)s.") % said
                return
            before = each

    def _law(self, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """What a design would refuse, at the field where it can be mended."""
        faults = list(self._window(data)) if self.is_window else []
        if faults:
            yield from faults
            return
        try:
            question = self.changed_question(self.question, data)
            settings = number_settings(self.section, [question])
            read_section({"kind": NUMBER, **settings, "questions": [question]})
        except Refusal as refusal:
            reason = reason_of(refusal)
            yield self._field_of(refusal.path), f"{reason[0].upper()}{reason[1:]}."

    def _field_of(self, path: str) -> str:
        """The field of a place in a section; what concerns all limits is said at the first."""
        found = PLACE.search(path)
        key, number = (found[1], found[2]) if found else ("step", None)
        if key == "limits":
            return f"limit-{int(number or 0)}"
        fields = {"values": "high", "window": "width"}
        return fields.get(key, key if key in self.fields else "step")

    def _window(self, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        values = NumberRange(data["low"], data["high"], data["step"]).values
        width = data["width"]
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
            yield from _too_faint(data, values)

    def changed_question(self, question: Node, data: dict[str, Any]) -> Node:
        low, high, step = data["low"], data["high"], data["step"]
        quarters = [data[f"quarter-{row}"] for row in range(QUARTERS)]
        made = {key: value for key, value in question.items() if key != "expected"} | {"step": step}
        if None not in quarters:
            made["expected"] = quarters
        if self.is_window:
            made |= {"low": low, "values": (high - low) // step + 1, "window": (data["width"] - 1) // 2}
            return made | {"uniform": as_probability(data["uniform"])}
        made |= {"low": low, "high": high}
        limits = [data[f"limit-{row}"] for row in range(len(question["limits"]))]
        if _joined(limits) == data["proposed"]:
            limits = proposal(made) or limits
        made |= {"limits": limits, "cuts": min(question["cuts"], len(limits))}
        drawn = data["cuts"], data["rest"]
        if _joined(drawn) != data["planned"]:
            made |= dict(zip(("cuts", "rest"), drawn, strict=True))
        if is_scale(made):
            made["rest"] = 0
        # What is wanted stays, whatever the law would say now.
        return made if wanted_of(made) == wanted_of(question) else made | {"wanted": wanted_of(question)}

    def changed_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        return [self.changed_question(block[0], cleaned)]

    # For the template.

    @property
    def is_scale(self) -> bool:
        return is_scale(self.question)

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
        return "expected" in self.question or any(field.errors for field in self.quarter_fields)

    @cached_property
    def results(self) -> NumberResults | None:
        """Of the number as it is stored."""
        return number_results(self.section, expected(self.draft), PRIOR, self.language)

    @cached_property
    def may_remove(self) -> bool:
        return len(self.limit_rows) > 1


def _joined(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def _too_faint(data: dict[str, Any], values: int) -> Iterator[tuple[str, str]]:
    parts = int(data["uniform"] * 100)
    law = WindowLaw(values, (data["width"] - 1) // 2, parts)
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
