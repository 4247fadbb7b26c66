"""Sensitive numbers in a draft: how they are parsed, the researcher's goal, and the law by which a device randomises a
number.

A number is disguised by classes (the device compares it with limits) or by a window (it sends a number near the true
one).
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, ClassVar, Self, TypeGuard

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from mining.json_codec import OPTIONAL
from privacy.grammar.input_error import InputError
from privacy.grammar.json_node import PARTS, parts_to_decimal, read_json
from privacy.grammar.number_range import FURTHEST, NumberRange
from privacy.grammar.question_reading import ParsedSoFar
from privacy.guarantee.amplification import GammaLimit, rounded_class_keep
from privacy.kinds.disguise_law_interface import Disguised
from privacy.kinds.number import section as number_section
from privacy.kinds.number.classes.section import CLASSES, MOST_REST, ClassesSection
from privacy.kinds.number.window.section import WINDOW, WindowSection
from surveys.phrases.answering import TRIES
from surveys.phrases.how_answers_are_disguised import HOW_IT_WORKS, NUMBER_CHANCES, TOY
from surveys.phrases.numbers_and_places import NUMBERS
from surveys.questionnaire.draft_question import (
    Choice,
    DraftQuestion,
    QuestionInput,
    Words,
    without_language,
)
from surveys.questionnaire.draft_section import COMMON_TEXTS, DraftSection, QuestionText
from surveys.questionnaire.report_sentence_texts import MOST, NUMBER_TEXTS, QUANTITY, usable_sentence_texts
from surveys.questionnaire.value_normalization import (
    Node,
    list_or_empty,
    members_that_affect_disguise,
    normal_probability,
)

NUMBER = ClassesSection.kind
OWN_KEYS = frozenset({"wanted", "expected", "earlier", *NUMBER_TEXTS})
SHARES, MEAN, QUANTILES, SCALE, SHAPE = "shares", "mean", "quantiles", "scale", "shape"
GOALS: dict[str, str | Promise] = {
    SHARES: _("The share of people at or above chosen numbers"),
    MEAN: _("The average"),
    QUANTILES: _("A typical value (median and quartiles)"),
    SCALE: _("Each step of a scale (at most 21 steps)"),
    SHAPE: _("A shape to look at (window)"),
}
UNIFORM = "0.5000"
USUAL_GAMMA = GammaLimit(Fraction(19), strict=True)  # where nobody says otherwise
LOW, HIGH, LIMITS = 0, 100, (25, 50, 75)
HIGH_OF_SCALE = 10
QUARTERS = 3


def largest_keep_within_limit(limit: GammaLimit, cuts: int) -> str:
    """Returns the largest keep probability within the limit of gamma, as text, if a device compares a number with
    `cuts` class boundaries.

    With `cuts` = 1 this is also the largest `keep_rest`, the probability of keeping the position inside a class.
    """
    return parts_to_decimal(int(rounded_class_keep(limit, cuts) * PARTS))


@dataclass(frozen=True, kw_only=True)
class NumberDraftQuestion(DraftQuestion, ABC):
    """A sensitive number from `low` to `high`; base class of its two disguises, by classes and by a window.

    `expected`: the quartiles that the researcher expects; empty for none. `earlier`: the settings for each earlier
    goal, as JSON. `quantity` and `sentence_unit` are used in sentences of reports
    (surveys.questionnaire.report_sentence_texts).
    """

    law: ClassVar[str]

    form: str = field(default="", metadata=OPTIONAL)
    choices: tuple[Choice, ...] = field(default=(), metadata=OPTIONAL)
    unit: Words = field(default_factory=dict)
    low: int = LOW
    step: int = 1
    expected: tuple[int, ...] = field(default=(), metadata=OPTIONAL)
    earlier: Mapping[str, Node] = field(default_factory=dict, metadata=OPTIONAL)
    quantity: Words = field(default_factory=dict, metadata=OPTIONAL)
    sentence_unit: Words = field(default_factory=dict, metadata=OPTIONAL)

    @property
    @abstractmethod
    def high(self) -> int: ...

    @property
    @abstractmethod
    def goal(self) -> str:
        """The quantity that the researcher wants to estimate; a key of GOALS."""

    def without_sentence_texts_in(self, language: str) -> Self:
        texts: dict[str, Any] = {key: without_language(getattr(self, key), language) for key in NUMBER_TEXTS}
        return replace(self, **texts)

    def law_settings_json(self) -> Node:
        """Returns, as JSON, the settings that depend on the goal and on the disguise (by classes or by a window)."""
        shared = self.common_fields.keys() - {"low"}
        return {key: value for key, value in self.as_json().items() if key not in shared}

    @property
    def common_fields(self) -> Mapping[str, Any]:
        """Values of the fields that numbers have whether they are disguised by classes or by a window."""
        return {field.name: getattr(self, field.name) for field in fields(NumberDraftQuestion)}

    @property
    def number_range(self) -> NumberRange:
        """The possible numbers; raises `InputError` if ends and step do not fit together."""
        return NumberRange(self.low, self.high, self.step)

    def as_json(self) -> Node:
        return {**super().as_json(), "law": self.law}


@dataclass(frozen=True, kw_only=True)
class ClassesDraftQuestion(NumberDraftQuestion):
    """A number disguised by classes.

    Of twenty records, `rest` send a bit for the average instead of a class. `wanted`: the chosen goal; if empty, the
    goal is a scale if each number is a class, else an average if `rest` is above 0, else shares.
    """

    law = CLASSES

    high: int = HIGH
    limits: tuple[int, ...] = LIMITS
    cuts: int = 1
    rest: int = 0
    wanted: str = field(default="", metadata=OPTIONAL)

    @property
    def goal(self) -> str:
        return self.wanted or (SCALE if self.is_scale else MEAN if self.rest else SHARES)

    @property
    def is_scale(self) -> bool:
        """True if each number is a class of its own; then people choose the number instead of typing it."""
        steps = (self.high - self.low) // self.step
        return steps > 0 and len(self.limits) == steps


@dataclass(frozen=True, kw_only=True)
class WindowDraftQuestion(NumberDraftQuestion):
    """A number of which one at most `window` steps away is sent; `uniform` is the probability that any number of the
    range is sent instead."""

    law = WINDOW
    goal = SHAPE

    values: int
    window: int = 0
    uniform: str = UNIFORM

    @property
    def high(self) -> int:
        return self.low + self.step * (self.values - 1)

    @property
    def law_settings(self) -> tuple[object, ...]:
        return self.uniform, self.window, self.values


def read_number_question(data: Mapping[str, Any], common: Mapping[str, Any]) -> NumberDraftQuestion:
    """Parses a number from its JSON `data`, disguised by a window if the JSON says so, else by classes. `common` has
    the fields that all questions have."""
    if data.get("law") == WINDOW:
        return WindowDraftQuestion(
            **{**common, "low": _read_bounded_integer(data, "low", LOW)},
            values=max(2, _read_bounded_integer(data, "values", len(LIMITS) + 2)),
            window=max(0, _read_bounded_integer(data, "window", 0)),
            uniform=normal_probability(data.get("uniform")) or UNIFORM,
        )
    limits = tuple(filter(_is_integer_in_range, list_or_empty(data.get("limits")))) or LIMITS
    goal = data.get("wanted")
    return ClassesDraftQuestion(
        **{**common, "low": _read_bounded_integer(data, "low", min(LOW, limits[0] - 1))},
        high=_read_bounded_integer(data, "high", max(HIGH, limits[-1])),
        limits=limits,
        cuts=min(max(_read_bounded_integer(data, "cuts", len(limits)), 1), len(limits)),
        rest=min(max(_read_bounded_integer(data, "rest", 0), 0), MOST_REST),
        wanted=goal if isinstance(goal, str) and goal in GOALS and goal != SHAPE else "",
    )


def _is_integer_in_range(value: object) -> bool:
    return type(value) is int and -FURTHEST <= value <= FURTHEST


def _read_bounded_integer(data: Mapping[str, Any], key: str, otherwise: int) -> int:
    value = data.get(key)
    return value if type(value) is int and _is_integer_in_range(value) else otherwise


@dataclass(frozen=True, kw_only=True)
class NumberDraft(DraftSection):
    """A section with one number. `keep` and `keep_rest` are its keep probabilities if it is disguised by classes; the
    settings of a window are in the question."""

    kind = NUMBER
    texts = (*COMMON_TEXTS, "unit")
    own_keys = OWN_KEYS
    script_phrases = {**TOY, **TRIES, **NUMBERS}
    phrases = {**HOW_IT_WORKS, **TOY, **TRIES, **NUMBER_CHANCES, **NUMBERS}
    xlsform_obstacle = ""
    questions: tuple[NumberDraftQuestion, ...] = ()
    keep: str = field(default="", metadata=OPTIONAL)
    keep_rest: str = field(default="", metadata=OPTIONAL)

    @property
    def question(self) -> NumberDraftQuestion:
        return self.questions[0]

    @property
    def classes_question(self) -> ClassesDraftQuestion | None:
        """The question if it is disguised by classes; None if by a window."""
        return self.question if isinstance(self.question, ClassesDraftQuestion) else None

    @classmethod
    def read_question(cls, given: QuestionInput) -> NumberDraftQuestion:
        data, expected, earlier = (
            given.data,
            list_or_empty(given.data.get("expected")),
            given.data.get("earlier"),
        )
        has_quarters = len(expected) == QUARTERS and all(map(_is_integer_in_range, expected))
        earlier = earlier if isinstance(earlier, Mapping) else {}
        common = {
            **given.common,
            **{key: usable_sentence_texts(data.get(key), given.languages) for key in NUMBER_TEXTS},
            "step": max(1, _read_bounded_integer(data, "step", 1)),
            "expected": tuple(expected) if has_quarters else (),
            "earlier": {
                goal: node for goal, node in earlier.items() if goal in GOALS and isinstance(node, Mapping)
            },
        }
        return read_number_question(data, common)

    @classmethod
    def read_kind_settings(cls, data: Mapping[str, Any]) -> Mapping[str, Any]:
        return {key: normal_probability(data.get(key)) or "" for key in ("keep", "keep_rest")}

    def kind_specific_texts(self, question: DraftQuestion, path: str) -> Iterator[QuestionText]:
        label = _("The number in a sentence, as in “the average of their hours of overtime”")
        yield QuestionText(
            QUANTITY, f"{path}.{QUANTITY}", str(label), self.question.quantity, False, MOST, is_sentence=True
        )

    def set_kind_specific_texts(
        self, question: DraftQuestion, language: str, words: Mapping[str, str]
    ) -> DraftQuestion:
        if QUANTITY not in words:
            return question
        assert isinstance(question, NumberDraftQuestion)
        text, others = words[QUANTITY].strip(), without_language(question.quantity, language)
        return replace(question, quantity={**others, language: text} if text else others)

    def normalized(self) -> Self:
        keep = rest = ""
        if classes := self.classes_question:
            keep = self.keep or largest_keep_within_limit(USUAL_GAMMA, classes.cuts)
            rest = self.keep_rest or largest_keep_within_limit(USUAL_GAMMA, 1) if classes.rest else ""
        return replace(super().normalized(), keep=keep, keep_rest=rest)

    def as_design_section(self) -> ClassesSection | WindowSection:
        """Parses the section as an opened survey would, without texts and rules; raises `InputError` if its numbers do
        not fit together."""
        question = members_that_affect_disguise(self.question.as_json(), *OWN_KEYS)
        section = {"kind": NUMBER, **self.kind_settings_json(), "questions": [question]}
        return number_section.read_section(read_json(json.dumps(section), "section"), ParsedSoFar(("en",)))

    def disguise_law(self) -> Disguised | None:
        """Returns the law by which a device randomises the number; None if its settings do not fit together."""
        try:
            return self.as_design_section().law
        except InputError:
            return None


def is_number_section(section: DraftSection) -> TypeGuard[NumberDraft]:
    return isinstance(section, NumberDraft)
