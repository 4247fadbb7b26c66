"""The kind `number`: one number, disguised by one of two laws.

`window` (privacy/kinds/number/window.py) shows the shape of the distribution. `thresholds` turns the number into the
answer to one drawn question "at least t", a grouped section of which one question is asked: it shows shares, the mean
and quantiles.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import Any, ClassVar

from privacy.grammar.node import PARTS, Node, decimal
from privacy.grammar.question import Question, check_applies
from privacy.grammar.reading import ParsedSoFar, read_choiceless, read_questions
from privacy.grammar.refusal import Refusal, marked as _, quoted
from privacy.grammar.texts import Texts, read_texts
from privacy.kinds.grouped.form import UnrelatedQuestionSection
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.number.mined import HALVES, ThresholdItem, UnminedSection, at_least_name, below_name
from privacy.kinds.number.window import LEAST_EIGENVALUE, WindowLaw
from privacy.kinds.presentation import BARE, INTRO, Presentation, read_presentation
from privacy.kinds.section import MinedLaw, Rules, moved, with_rules

FURTHEST = 10**9
"""How far from 0 a number may lie."""
FEWEST_VALUES, MOST_VALUES = 2, 65_000
FEWEST_POINTS, MOST_POINTS = 3, 21
MOST_MULTIPLE = 2**31
"""The largest least common multiple of the gaps: the coin that moves a number to a threshold has so many sides."""
REQUIRED = frozenset({"name", "law"})
OPTIONAL = frozenset({"text", "help", "unit", "show_if", "label", "step"})
INTEGER = re.compile(r"-?[0-9]{1,10}", re.ASCII)
WINDOW, THRESHOLDS = "window", "thresholds"


@dataclass(frozen=True, slots=True)
class NumberQuestion(Question):
    """A number from `low` to `high`, by steps of `step`; those further out are asked to give the end."""

    form: str = "number"
    choices: tuple[()] = ()
    unit: Texts = field(default_factory=Texts)
    step: int = 1

    law: ClassVar[str]

    @property
    def low(self) -> int:
        raise NotImplementedError

    @property
    def high(self) -> int:
        return self.low + self.step * (self.true_codes - 1)

    def number(self, code: int) -> int:
        """The number of a true answer's code."""
        return self.low + self.step * code

    def true_code_named(self, name: str) -> int | None:
        return self.true_code(int(name)) if INTEGER.fullmatch(name) else None

    def true_code(self, number: int) -> int | None:
        """The code of a number; None where it lies outside or between two steps."""
        steps, rest = divmod(number - self.low, self.step)
        return None if rest or not 0 <= steps < self.true_codes else steps

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "text": self.text.as_json(),
            "help": self.help.as_json(),
            "unit": self.unit.as_json(),
            "show_if": {rule.question: list(rule.choices) for rule in self.show_if},
            "law": self.law,
            "step": self.step,
            **self.label_json(),
        }


@dataclass(frozen=True, slots=True)
class WindowQuestion(NumberQuestion):
    """`half` is h: the window has 2h + 1 numbers; `uniform_parts` is 1 - u in ten-thousandths."""

    law: ClassVar[str] = WINDOW
    stored_as_integers: ClassVar[bool] = True

    lowest: int = 0
    values: int = 3
    half: int = 0
    uniform_parts: int = PARTS // 2

    def __post_init__(self) -> None:
        self._set_codes(self.values, self.values)

    @property
    def low(self) -> int:
        return self.lowest

    @property
    def code_names(self) -> tuple[str, ...]:
        return tuple(str(self.number(code)) for code in range(self.values))

    def as_json(self) -> dict[str, Any]:
        return NumberQuestion.as_json(self) | {
            "low": self.lowest,
            "values": self.values,
            "window": self.half,
            "uniform": decimal(self.uniform_parts),
        }


@dataclass(frozen=True, slots=True)
class ThresholdsQuestion(NumberQuestion):
    """`points` are t_0 .. t_N: the ends, and between them and at the upper end the thresholds t_1 .. t_N.

    With `mean` a device first moves the number to the threshold below or above it, by chance in proportion.
    """

    law: ClassVar[str] = THRESHOLDS

    points: tuple[int, ...] = (0, 1, 2)
    mean: bool = False

    def __post_init__(self) -> None:
        self._set_codes(2 * len(self.thresholds), (self.points[-1] - self.points[0]) // self.step + 1)

    @property
    def low(self) -> int:
        return self.points[0]

    @property
    def code_names(self) -> tuple[str, ...]:
        return tuple(name(of) for of in self.thresholds for name in (below_name, at_least_name))

    @property
    def thresholds(self) -> tuple[int, ...]:
        """t_1 .. t_N."""
        return self.points[1:]

    @property
    def gaps(self) -> tuple[int, ...]:
        """t_i - t_(i-1) for i = 1 .. N."""
        return tuple(above - below for below, above in zip(self.points, self.thresholds, strict=False))

    @property
    def multiple(self) -> int:
        """L, the least common multiple of the gaps."""
        return lcm(*self.gaps)

    def as_json(self) -> dict[str, Any]:
        return NumberQuestion.as_json(self) | {"thresholds": list(self.points), "mean": self.mean}


@dataclass(frozen=True, slots=True)
class WindowSection:
    kind: ClassVar[str] = "number"
    sensitive: ClassVar[bool] = True
    mined_as_it_is: ClassVar[bool] = False
    asked: ClassVar[int] = 1
    rotates: ClassVar[bool] = False
    itemset_law: ClassVar[None] = None

    questions: tuple[WindowQuestion]
    presentation: Presentation = BARE

    @property
    def question(self) -> WindowQuestion:
        return self.questions[0]

    @property
    def law(self) -> WindowLaw:
        return WindowLaw(self.question.values, self.question.half, self.question.uniform_parts)

    @property
    def mined(self) -> MinedLaw:
        return MinedLaw(PARTS, ((),))

    def as_mined(self, places: Sequence[int]) -> UnminedSection:
        """As mining sees it: no answers; `places` is by place in the design the place there."""
        of = self.question
        bare = Question(of.name, of.form, (), text=of.text, help=of.help, show_if=of.show_if, label=of.label)
        return UnminedSection((moved((bare,), places)[0],))

    def reduced(self, rules: Rules) -> "WindowSection":
        return WindowSection((with_rules(self.questions, rules)[0],))

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "questions": [self.question.as_json()], **self.presentation.as_json()}

    def check(self, codes: Sequence[int], start: int, withheld: bool) -> None:
        """Refuse what a device could not have sent; the section's code stands at `start`."""
        _check(self.question, codes, start, withheld)


@dataclass(frozen=True, slots=True)
class ThresholdsSection:
    """A device asks one of the thresholds, but always its question: so nothing rotates here."""

    kind: ClassVar[str] = "number"
    sensitive: ClassVar[bool] = True
    mined_as_it_is: ClassVar[bool] = False
    asked: ClassVar[int] = 1
    rotates: ClassVar[bool] = False

    keep_parts: int
    questions: tuple[ThresholdsQuestion]
    presentation: Presentation = BARE

    @property
    def question(self) -> ThresholdsQuestion:
        return self.questions[0]

    @property
    def law(self) -> SectionLaw:
        halves = tuple(Fraction(part, PARTS) for part in HALVES)
        return SectionLaw(Fraction(self.keep_parts, PARTS), (halves,) * len(self.question.thresholds), 1)

    @property
    def itemset_law(self) -> SectionLaw:
        return self.law

    @property
    def mined(self) -> MinedLaw:
        return MinedLaw(self.keep_parts, (HALVES,) * len(self.question.thresholds))

    def as_mined(self, places: Sequence[int]) -> UnrelatedQuestionSection:
        """As mining sees it: a question for each threshold, one of them asked; `places` as above."""
        of = self.question
        items = tuple(ThresholdItem.of_number(of, t, of.unit, about=of.mean) for t in of.thresholds)
        return UnrelatedQuestionSection(self.keep_parts, 1, moved(items, places))

    def reduced(self, rules: Rules) -> "ThresholdsSection":
        return ThresholdsSection(self.keep_parts, (with_rules(self.questions, rules)[0],))

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "keep": decimal(self.keep_parts),
            "questions": [self.question.as_json()],
            **self.presentation.as_json(),
        }

    def check(self, codes: Sequence[int], start: int, withheld: bool) -> None:
        """Refuse what a device could not have sent; the section's code stands at `start`."""
        _check(self.question, codes, start, withheld)


def _check(question: Question, codes: Sequence[int], start: int, withheld: bool) -> None:
    if codes[start] == question.not_asked:
        raise Refusal(question.name, _("a number is always asked"))
    if question.show_if or codes[start] == question.not_applicable:
        check_applies(question, codes[start], None if withheld else codes)


def read(node: Node, sofar: ParsedSoFar) -> WindowSection | ThresholdsSection:
    members = node.members(frozenset({"kind", "questions"}), frozenset({"keep", INTRO}))
    questions = read_questions(members["questions"], sofar, _question, may_rule=False)
    if len(questions) > 1:
        raise members["questions"].refuse(_("a section of numbers has one question"))
    keep, question = members.get("keep"), questions[0]
    presentation = read_presentation(members, sofar, questions)
    if isinstance(question, WindowQuestion):
        if keep is not None:
            raise keep.refuse(_("the law window has no probability of sending the true answers (keep)"))
        return WindowSection((question,), presentation)
    if keep is None:
        raise node.refuse(_("%(key)s is missing"), key=quoted("keep"))
    return ThresholdsSection(keep.parts(), (question,), presentation)


def _question(node: Node, sofar: ParsedSoFar) -> WindowQuestion | ThresholdsQuestion:
    law = node.pairs().get("law")
    if law is None:
        raise node.refuse(_("%(key)s is missing"), key=quoted("law"))
    if law.text() == WINDOW:
        return _window(node, sofar)
    if law.text() == THRESHOLDS:
        return _thresholds(node, sofar)
    raise law.refuse(
        _("%(law)s is not a law of numbers (%(laws)s)"),
        law=quoted(law.text()),
        laws=f"{WINDOW}, {THRESHOLDS}",
    )


def _common(members: dict[str, Node], sofar: ParsedSoFar) -> dict[str, Any]:
    return read_choiceless(members, sofar) | {
        "unit": read_texts(members.get("unit"), sofar.languages),
        "step": members["step"].integer(1, FURTHEST) if "step" in members else 1,
    }


def _window(node: Node, sofar: ParsedSoFar) -> WindowQuestion:
    members = node.members(REQUIRED | {"values", "window", "uniform"}, OPTIONAL | {"low"})
    common = _common(members, sofar)
    low = members["low"].integer(-FURTHEST, FURTHEST) if "low" in members else 0
    values = members["values"].integer(FEWEST_VALUES, MOST_VALUES)
    if low + common["step"] * (values - 1) > FURTHEST:
        raise members["values"].refuse(_("the highest number is above %(most)s"), most=FURTHEST)
    half = members["window"].integer(0, (values - 2) // 2)
    law = WindowLaw(values, half, members["uniform"].parts())
    if gcd(law.width, values) > 1:
        raise members["window"].refuse(
            _("the %(width)s numbers of the window and the %(values)s values share the factor %(factor)s"),
            width=law.width,
            values=values,
            factor=gcd(law.width, values),
        )
    if law.first_eigenvalue < LEAST_EIGENVALUE:
        raise members["window"].refuse(
            _("the window is so wide, or uniform so large, that not even the roughest shape can be seen")
        )
    return WindowQuestion(**common, lowest=low, values=values, half=half, uniform_parts=law.uniform_parts)


def _thresholds(node: Node, sofar: ParsedSoFar) -> ThresholdsQuestion:
    members = node.members(REQUIRED | {"thresholds"}, OPTIONAL | {"mean"})
    common = _common(members, sofar)
    points = _points(members["thresholds"], common["step"])
    mean = members["mean"].switch() if "mean" in members else False
    question = ThresholdsQuestion(**common, points=points, mean=mean)
    if mean and question.multiple > MOST_MULTIPLE:
        raise members["thresholds"].refuse(
            _(
                "the least common multiple of the gaps is %(multiple)s, more than %(most)s: choose rounder numbers"
            ),
            multiple=question.multiple,
            most=MOST_MULTIPLE,
        )
    return question


def _points(node: Node, step: int) -> tuple[int, ...]:
    points: list[int] = []
    for item in node.items():
        point = item.integer(-FURTHEST, FURTHEST)
        if points and point <= points[-1]:
            raise item.refuse(_("%(point)s does not lie above %(before)s"), point=point, before=points[-1])
        if points and (point - points[0]) % step:
            raise item.refuse(
                _("%(point)s is no multiple of the step %(step)s away from %(low)s"),
                point=point,
                step=step,
                low=points[0],
            )
        points.append(point)
    if not FEWEST_POINTS <= len(points) <= MOST_POINTS:
        raise node.refuse(
            _("%(given)s numbers; the two ends and thresholds between them are %(fewest)s to %(most)s"),
            given=len(points),
            fewest=FEWEST_POINTS,
            most=MOST_POINTS,
        )
    return tuple(points)
