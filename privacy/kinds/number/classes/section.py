"""A number question disguised by the law `classes`, which allows estimates of shares, quantiles and the mean.

A section's coins:

1. only if m < N: m shuffle coins, the l-th (from 0) below N - l: it swaps the places l and l + coin of the list of the
   limits, and the first m places are drawn;
2. a keep coin below the modulus, and a class coin below m + 1;
3. only if R > 0: a kind coin below 20, a move coin below D, a keep coin of the rest below the modulus, a noise coin
   below 2.

If the kind coin is below R, a position bit is sent: if the rest is kept, whether the move coin is below the number's
distance from the start of its class; else the noise coin. Otherwise one of the classes between the limits drawn is
sent: if the class is kept, the one that holds the number; else the one of the class coin. See
privacy/kinds/number/classes/law.py.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

from privacy.grammar.input_error import mark_for_translation as _, quote_value
from privacy.grammar.json_node import PARTS, Node, parts_to_decimal
from privacy.grammar.number_range import FURTHEST
from privacy.grammar.question import Choice
from privacy.grammar.question_reading import ParsedSoFar
from privacy.kinds.disguise_law_interface import MinedLaw
from privacy.kinds.number.classes.law import ClassesLaw, interval_code, intervals, intervals_never_sent
from privacy.kinds.number.number_question import (
    OPTIONAL,
    REQUIRED,
    NumberQuestion,
    NumberSection,
    at_least_and_below_name,
    at_least_name,
    below_name,
    read_number_fields,
)
from privacy.kinds.scored_items import ScoredItems, ScoredSection
from privacy.kinds.section_intro_and_random_order import BARE, Presentation

CLASSES = "classes"
MOST_LIMITS = 20
REST_PARTS = 20
MOST_REST = REST_PARTS // 2
"""Most twentieths of the records that may send the bit instead of a class: one half."""
REST = "rest="


@dataclass(frozen=True, slots=True)
class ClassesQuestion(NumberQuestion):
    """A question for a number that is disguised as a class.

    `limits`: t_1 .. t_N. `ends`: t_0 and t_(N+1), beyond which numbers count as the end; None: no ends. `cuts`: m, how
    many limits a device draws. `rest`: how many of twenty records send a position bit instead of a class.
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
        return len(self.limits) + 1

    @property
    def n_intervals(self) -> int:
        """T, the number of intervals of classes; the codes T and T + 1 are the position bits 0 and 1."""
        return self.classes * (self.classes + 1) // 2

    @property
    def low(self) -> int:
        """The lowest number: the lower end, or without ends the lowest number that people can give."""
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
        """The numbers t_0 .. t_N at which the classes begin."""
        return (self.low, *self.limits)

    @property
    def widest_class_span(self) -> int:
        """The largest distance D between a number and the lowest number of its class."""
        tops = (*(limit - self.step for limit in self.limits), self.high)
        return max(top - start for top, start in zip(tops, self.starts, strict=True))

    @property
    def is_scale(self) -> bool:
        """True if every value is a class of its own."""
        return self.ends is not None and self.widest_class_span == 0

    @property
    def law_name(self) -> str:
        """Whether devices draw limits, or divide the numbers at all of them, and whether each value is a class."""
        if self.cuts == len(self.limits):
            return "each-value" if self.is_scale else "all-limits"
        return "drawn-values" if self.is_scale else "drawn-limits"

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
        return (
            at_least_and_below_name(self.limits[a - 1], self.limits[z - 1])
            if a
            else below_name(self.limits[z - 1])
        )

    def codes_never_sent(self, is_open: bool) -> frozenset[int]:
        """Returns the codes that no device sends.

        In the open group these are all intervals but the single classes, else the intervals that no draw of limits
        makes.
        """
        return intervals_never_sent(len(self.limits), self.cuts, is_open=is_open)

    def class_of(self, number: int) -> int:
        """Returns the class that holds a number."""
        return bisect_right(self.limits, number)

    def true_code(self, number: int) -> int | None:
        """Returns the code of a number, after limiting it to the ends; None if it lies between two steps."""
        return NumberQuestion.true_code(self, min(max(number, self.low), self.high))

    def mined_code(self, true: int | None) -> int:
        """Returns the code of the single class that holds the number of a true code; *not applicable* if `true` is
        None."""
        if true is None:
            return self.not_applicable
        own = self.class_of(self.number(true))
        return int(interval_code(self.classes, own, own + 1))

    @property
    def item_names(self) -> tuple[str, ...]:
        """Names of the items to estimate: x >= t_i, the classes between two limits, x < t_i."""
        between = (at_least_and_below_name(low, high) for low, high in pairwise(self.limits))
        return (*map(at_least_name, self.limits), *between, *map(below_name, self.limits))

    def as_json(self) -> dict[str, Any]:
        ends = dict(zip(("low", "high"), self.ends, strict=True)) if self.ends else {}
        members = {"limits": list(self.limits), "cuts": self.cuts, "rest": self.rest}
        return NumberQuestion.as_json(self) | ends | members


class NumberItemsSection(ScoredSection):
    """A number by classes as mining uses it: a section of one question whose items are estimated by scores."""

    kind: ClassVar[str] = NumberSection.kind


@dataclass(frozen=True, slots=True)
class ClassesSection(NumberSection):
    """A section of one number by classes.

    `rest_keep_parts`: keep probability of the position bit, in ten-thousandths; None if no record sends this bit.
    """

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
    def mined_law(self) -> MinedLaw:
        return self.as_mined().mined_law

    def as_mined(self) -> ScoredSection:
        """Returns the section as mining uses it: shares are estimated by scores of the records that send a class."""
        question, law = self.question, self.law
        n = len(question.limits)
        items = ScoredItems(
            question.name,
            question.form,
            tuple(map(Choice, question.item_names)),
            text=question.text,
            help=question.help,
            show_if=question.show_if,
            label=question.label,
            score_law=law,
            n_codes=question.codes,
            n_listed=2 * n - 1,
            class_items=(2 * n - 1, *range(n, 2 * n - 1), n - 1),
            unit=question.unit,
            scale_step=question.step if question.is_scale else 0,
        )
        return NumberItemsSection((items,), is_partial=bool(question.rest or question.show_if))

    def settings_json(self) -> dict[str, Any]:
        rest = {} if self.rest_keep_parts is None else {"keep_rest": parts_to_decimal(self.rest_keep_parts)}
        return {"keep": parts_to_decimal(self.keep_parts), **rest}

    def sides_of_coins(self, modulus: int) -> list[int]:
        question = self.question
        rest = [REST_PARTS, question.widest_class_span, modulus, 2] if question.rest else []
        return [*_shuffle_sides(question), modulus, question.cuts + 1, *rest]

    def code_to_send(
        self, true: int, coins: Sequence[int], modulus: int, is_open: bool, earlier: Sequence[int]
    ) -> int:
        question, number = self.question, self.question.number(true)
        own = question.class_of(number)
        drawn, (keep, other, *rest) = (
            _drawn_limit_indexes(question, coins),
            coins[len(_shuffle_sides(question)) :],
        )
        if rest and rest[0] < question.rest:
            _kind, move, keep_rest, noise = rest
            assert self.rest_keep_parts is not None
            kept = is_open or keep_rest * PARTS < self.rest_keep_parts * modulus
            return question.n_intervals + (int(move < number - question.starts[own]) if kept else noise)
        if is_open:
            return int(interval_code(question.classes, own, own + 1))
        bounds = [0, *drawn, question.classes]
        kept = keep * PARTS < self.keep_parts * modulus
        sent = sum(limit <= own for limit in drawn) if kept else other
        return int(interval_code(question.classes, bounds[sent], bounds[sent + 1]))


def _shuffle_sides(question: ClassesQuestion) -> list[int]:
    n = len(question.limits)
    return [n - index for index in range(question.cuts)] if question.cuts < n else []


def _drawn_limit_indexes(question: ClassesQuestion, coins: Sequence[int]) -> list[int]:
    """Returns the indexes, from 1 .. N, of the limits that the coins draw, ascending."""
    limits = list(range(1, len(question.limits) + 1))
    for index, _sides in enumerate(_shuffle_sides(question)):
        other = index + coins[index]
        limits[index], limits[other] = limits[other], limits[index]
    return sorted(limits[: question.cuts])


def read_section(
    node: Node, members: dict[str, Node], question: ClassesQuestion, presentation: Presentation
) -> ClassesSection:
    """Reads a section of a number by classes, whose question has been read already."""
    keep, keep_rest = members.get("keep"), members.get("keep_rest")
    if keep is None:
        raise node.refuse(_("%(key)s is missing"), key=quote_value("keep"))
    if question.rest and keep_rest is None:
        raise node.refuse(_("%(key)s is missing"), key=quote_value("keep_rest"))
    if keep_rest is not None and not question.rest:
        raise keep_rest.refuse(_("no record sends the place within its class: rest is 0"))
    rest_parts = None if keep_rest is None else keep_rest.probability()
    return ClassesSection(keep.probability(), (question,), presentation, rest_parts)


def read_question(node: Node, sofar: ParsedSoFar) -> ClassesQuestion:
    members = node.members(REQUIRED | {"limits", "cuts"}, OPTIONAL | {"low", "high", "rest"})
    common = read_number_fields(members, sofar)
    step = common["step"]
    for key, other in (("low", "high"), ("high", "low")):
        if key in members and other not in members:
            raise members[key].refuse(_("%(low)s and %(high)s stand both or neither"), low="low", high="high")
    low = members["low"].integer(-FURTHEST, FURTHEST) if "low" in members else None
    limits = _read_limits(members["limits"], low, step)
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
    if rest and not question.widest_class_span:
        raise members["rest"].refuse(_("every class is one value, so the mean needs no rest: it must be 0"))
    return question


def _read_limits(node: Node, low: int | None, step: int) -> tuple[int, ...]:
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


def _check_step(node: Node, point: int, end: int, step: int) -> None:
    if (point - end) % step:
        raise node.refuse(
            _("%(point)s is no multiple of the step %(step)s away from %(low)s"),
            point=point,
            step=step,
            low=end,
        )
