"""The kind `number`: one number, disguised by one of two laws.

`classes` (privacy/kinds/number/classes.py) shows shares, quantiles and the mean: it sends an interval of classes, or
one bit for the place inside the class. `window` (privacy/kinds/number/window.py) shows the shape of the distribution.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from math import gcd
from typing import Any, ClassVar

from privacy.grammar.node import PARTS, Node, decimal
from privacy.grammar.question import Choice, Question, check_applies
from privacy.grammar.reading import ParsedSoFar, read_choiceless, read_questions
from privacy.grammar.refusal import Refusal, marked as _, quoted
from privacy.grammar.texts import Texts, read_texts
from privacy.kinds.mined_law import MinedLaw, Rules, with_rules
from privacy.kinds.number.classes import ClassesLaw, foreign_intervals, intervals
from privacy.kinds.number.mined import UnminedSection, at_least_name, below_name, between_name
from privacy.kinds.number.window import LEAST_EIGENVALUE, WindowLaw
from privacy.kinds.presentation import BARE, INTRO, Presentation, read_presentation
from privacy.kinds.scored import ScoredItems, ScoredSection

FURTHEST = 10**9
"""How far from 0 a number may lie."""
FEWEST_VALUES, MOST_VALUES = 2, 65_000
MOST_LIMITS = 20
REST_PARTS = 20
MOST_REST = REST_PARTS // 2
"""The share of the records that send the bit is counted in twentieths, at most one half."""
REST = "rest="
REQUIRED = frozenset({"name", "law"})
OPTIONAL = frozenset({"text", "help", "unit", "show_if", "label", "step"})
INTEGER = re.compile(r"-?[0-9]{1,10}", re.ASCII)
WINDOW, CLASSES = "window", "classes"


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
class ClassesQuestion(NumberQuestion):
    """`limits` are t_1 .. t_N, `ends` t_0 and t_(N+1): whoever lies beyond them counts as there. None: no ends.

    `cuts` is m; `rest` of twenty records send the bit.
    """

    law: ClassVar[str] = CLASSES
    stored_as_integers: ClassVar[bool] = True
    codes_by_group: ClassVar[bool] = True

    limits: tuple[int, ...] = (1,)
    ends: tuple[int, int] | None = None
    cuts: int = 1
    rest: int = 0

    def __post_init__(self) -> None:
        self._set_codes(self.n_intervals + 2 * bool(self.rest), (self.high - self.low) // self.step + 1)

    @property
    def classes(self) -> int:
        """K."""
        return len(self.limits) + 1

    @property
    def n_intervals(self) -> int:
        """T: codes from there on are the bit 0 and the bit 1."""
        return self.classes * (self.classes + 1) // 2

    @property
    def low(self) -> int:
        """The lowest number; without ends the lowest that can be given."""
        return (
            self.ends[0]
            if self.ends
            else self.limits[0] - (self.limits[0] + FURTHEST) // self.step * self.step
        )

    @property
    def high(self) -> int:
        return (
            self.ends[1]
            if self.ends
            else self.limits[0] + (FURTHEST - self.limits[0]) // self.step * self.step
        )

    @property
    def starts(self) -> tuple[int, ...]:
        """t_0 .. t_N, where the classes begin."""
        return (self.low, *self.limits)

    @property
    def span(self) -> int:
        """D, the largest distance of a number from where its class begins."""
        tops = (*(limit - self.step for limit in self.limits), self.high)
        return max(top - start for top, start in zip(tops, self.starts, strict=True))

    @property
    def is_scale(self) -> bool:
        """Whether every value is a class of its own."""
        return self.ends is not None and self.span == 0

    @property
    def has_mean(self) -> bool:
        return self.rest > 0 or self.is_scale

    @property
    def code_names(self) -> tuple[str, ...]:
        bits = (f"{REST}0", f"{REST}1") if self.rest else ()
        return (*(self._name(a, z) for a, z in intervals(self.classes)), *bits)

    def _name(self, a: int, z: int) -> str:
        if z == self.classes:
            return at_least_name(self.starts[a])
        return between_name(self.limits[a - 1], self.limits[z - 1]) if a else below_name(self.limits[z - 1])

    def foreign(self, is_open: bool) -> frozenset[int]:
        """Somebody who answers openly sends one class, others what a draw of limits makes a class."""
        return foreign_intervals(len(self.limits), self.cuts, is_open=is_open)

    def class_of(self, number: int) -> int:
        return bisect_right(self.limits, number)

    def true_code(self, number: int) -> int | None:
        """The code of a number, cut to the ends; None where it lies between two steps."""
        return NumberQuestion.true_code(self, min(max(number, self.low), self.high))

    @property
    def item_names(self) -> tuple[str, ...]:
        """x >= t_i, the classes between two limits, x < t_i."""
        between = (between_name(low, high) for low, high in pairwise(self.limits))
        return (*map(at_least_name, self.limits), *between, *map(below_name, self.limits))

    def as_json(self) -> dict[str, Any]:
        ends = dict(zip(("low", "high"), self.ends, strict=True)) if self.ends else {}
        members = {"limits": list(self.limits), "cuts": self.cuts, "rest": self.rest}
        return NumberQuestion.as_json(self) | ends | members


@dataclass(frozen=True, slots=True)
class WindowSection:
    kind: ClassVar[str] = "number"
    sensitive: ClassVar[bool] = True
    counted_by_code: ClassVar[bool] = True
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

    def as_mined(self) -> UnminedSection:
        """As mining sees it: no answers."""
        of = self.question
        bare = Question(of.name, of.form, (), text=of.text, help=of.help, show_if=of.show_if, label=of.label)
        return UnminedSection((bare,))

    def reduced(self, rules: Rules) -> "WindowSection":
        return WindowSection((with_rules(self.questions, rules)[0],))

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "questions": [self.question.as_json()], **self.presentation.as_json()}

    def check(self, codes: Sequence[int], start: int, withheld: bool) -> None:
        """Refuse what a device could not have sent; the section's code stands at `start`."""
        _check(self.question, codes, start, withheld)


@dataclass(frozen=True, slots=True)
class ClassesSection:
    """`rest_keep_parts`: of the records that send the bit, None where none do."""

    kind: ClassVar[str] = "number"
    sensitive: ClassVar[bool] = True
    counted_by_code: ClassVar[bool] = True
    asked: ClassVar[int] = 1
    rotates: ClassVar[bool] = False
    itemset_law: ClassVar[None] = None

    keep_parts: int
    questions: tuple[ClassesQuestion]
    presentation: Presentation = BARE
    rest_keep_parts: int | None = None

    @property
    def question(self) -> ClassesQuestion:
        return self.questions[0]

    @property
    def law(self) -> ClassesLaw:
        rest = None if self.rest_keep_parts is None else Fraction(self.rest_keep_parts, PARTS)
        return ClassesLaw(
            len(self.question.limits), self.question.cuts, Fraction(self.keep_parts, PARTS), rest
        )

    @property
    def mined(self) -> MinedLaw:
        return self.as_mined().mined

    def as_mined(self) -> ScoredSection:
        """As mining sees it: the records that send a class, with the scores of its items."""
        of, law = self.question, self.law
        n = len(of.limits)
        items = ScoredItems(
            of.name,
            of.form,
            tuple(map(Choice, of.item_names)),
            text=of.text,
            help=of.help,
            show_if=of.show_if,
            label=of.label,
            score_law=law,
            n_codes=of.codes,
            n_listed=2 * n - 1,
            class_items=(2 * n - 1, *range(n, 2 * n - 1), n - 1),
            unit=of.unit,
            scale_step=of.step if of.is_scale else 0,
        )
        return ScoredSection(self.kind, (items,), rotates=bool(of.rest or of.show_if))

    def reduced(self, rules: Rules) -> "ClassesSection":
        return replace(self, questions=(with_rules(self.questions, rules)[0],), presentation=BARE)

    def as_json(self) -> dict[str, Any]:
        rest = {} if self.rest_keep_parts is None else {"keep_rest": decimal(self.rest_keep_parts)}
        return {
            "kind": self.kind,
            "keep": decimal(self.keep_parts),
            **rest,
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


def read(node: Node, sofar: ParsedSoFar) -> WindowSection | ClassesSection:
    members = node.members(frozenset({"kind", "questions"}), frozenset({"keep", "keep_rest", INTRO}))
    questions = read_questions(members["questions"], sofar, _question, may_rule=False)
    if len(questions) > 1:
        raise members["questions"].refuse(_("a section of numbers has one question"))
    keep, keep_rest, question = members.get("keep"), members.get("keep_rest"), questions[0]
    presentation = read_presentation(members, sofar, questions)
    if isinstance(question, WindowQuestion):
        for key in (keep, keep_rest):
            if key is not None:
                raise key.refuse(_("the law window has no probability of sending the true answers (keep)"))
        return WindowSection((question,), presentation)
    if keep is None:
        raise node.refuse(_("%(key)s is missing"), key=quoted("keep"))
    if question.rest and keep_rest is None:
        raise node.refuse(_("%(key)s is missing"), key=quoted("keep_rest"))
    if keep_rest is not None and not question.rest:
        raise keep_rest.refuse(_("no record sends the place within its class: rest is 0"))
    rest_parts = None if keep_rest is None else keep_rest.parts()
    return ClassesSection(keep.parts(), (question,), presentation, rest_parts)


def _question(node: Node, sofar: ParsedSoFar) -> WindowQuestion | ClassesQuestion:
    law = node.pairs().get("law")
    if law is None:
        raise node.refuse(_("%(key)s is missing"), key=quoted("law"))
    if law.text() == WINDOW:
        return _window(node, sofar)
    if law.text() == CLASSES:
        return _classes(node, sofar)
    raise law.refuse(
        _("%(law)s is not a law of numbers (%(laws)s)"),
        law=quoted(law.text()),
        laws=f"{CLASSES}, {WINDOW}",
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


def _classes(node: Node, sofar: ParsedSoFar) -> ClassesQuestion:
    members = node.members(REQUIRED | {"limits", "cuts"}, OPTIONAL | {"low", "high", "rest"})
    common = _common(members, sofar)
    step = common["step"]
    for key, other in (("low", "high"), ("high", "low")):
        if key in members and other not in members:
            raise members[key].refuse(_("%(low)s and %(high)s stand both or neither"), low="low", high="high")
    low = members["low"].integer(-FURTHEST, FURTHEST) if "low" in members else None
    limits = _limits(members["limits"], low, step)
    ends = None
    if low is not None:
        high = members["high"].integer(-FURTHEST, FURTHEST)
        _check_step(members["high"], high, low, step)
        if high < limits[-1]:
            raise members["high"].refuse(
                _("%(high)s lies below the last limit, %(limit)s"), high=high, limit=limits[-1]
            )
        ends = low, high
    cuts = members["cuts"].integer(1, len(limits))
    rest = members["rest"].integer(0, MOST_REST) if "rest" in members else 0
    question = ClassesQuestion(**common, limits=limits, ends=ends, cuts=cuts, rest=rest)
    if rest and ends is None:
        raise members["rest"].refuse(_("the mean needs %(low)s and %(high)s"), low="low", high="high")
    if rest and not question.span:
        raise members["rest"].refuse(_("every class is one value, so the mean needs no rest: it must be 0"))
    return question


def _limits(node: Node, low: int | None, step: int) -> tuple[int, ...]:
    limits: list[int] = []
    for item in node.items():
        limit = item.integer(-FURTHEST, FURTHEST)
        before = limits[-1] if limits else low
        if before is not None and limit <= before:
            raise item.refuse(_("%(point)s does not lie above %(before)s"), point=limit, before=before)
        _check_step(item, limit, limit if before is None else before, step)
        limits.append(limit)
    if not 1 <= len(limits) <= MOST_LIMITS:
        raise node.refuse(
            _("%(given)s limits; a number has 1 to %(most)s"), given=len(limits), most=MOST_LIMITS
        )
    return tuple(limits)


def _check_step(node: Node, point: int, other: int, step: int) -> None:
    if (point - other) % step:
        raise node.refuse(
            _("%(point)s is no multiple of the step %(step)s away from %(low)s"),
            point=point,
            step=step,
            low=other,
        )
