"""Design by guarantee for a number: the limits or the window that err least within a limit."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import gcd
from typing import Any

from django.utils.translation import gettext as _

from look.numbers import count
from privacy.grammar.node import decimal
from privacy.grammar.refusal import Refusal
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.classes_keep import rounded_keep
from privacy.guarantee.classes_search import (
    Classes,
    classes_for_mean,
    classes_for_shares,
    even_limits,
    likely_limits,
    round_limits,
)
from privacy.guarantee.expected_numbers import ExpectedNumbers
from privacy.guarantee.number_range import NumberRange
from privacy.guarantee.window_search import ShapeError, window_for_shape
from privacy.kinds.number.classes.law import ClassesLaw
from privacy.kinds.number.classes.section import CLASSES, MOST_LIMITS
from privacy.kinds.number.window.section import WINDOW
from surveys.kinds.number.draft import (
    HIGH,
    HIGH_OF_SCALE,
    LOW,
    MEAN,
    NUMBER,
    SCALE,
    SHAPE,
    SHARES,
    range_of,
    wanted_of,
)
from surveys.kinds.number.expected import expected_of
from surveys.problems import Problem, reason_of
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.protection import keep_text
from surveys.refused import Refused

SHARES_PROPOSED = 4
QUARTILES = (0.25, 0.5, 0.75)


def proposed(section: Node, wanted: str, limit: GammaLimit, respondents: int) -> Node:
    """The section of this number with the law that shows best what is wanted; refused in words where there is none."""
    try:
        return _proposed(section["questions"][0], wanted, limit, respondents)
    except Refusal as refusal:
        raise Refused(Problem(refusal.path, reason_of(refusal)).sentence) from None


def _proposed(question: Node, wanted: str, limit: GammaLimit, respondents: int) -> Node:
    numbers, expected = range_of(question), expected_of(question)
    common = {key: question[key] for key in ("name", "text", "help", "unit", "show_if", "step")}
    common |= {key: question[key] for key in ("label", "expected") if key in question}
    if wanted == SHAPE:
        law = best_window(numbers, limit, respondents).law
        uniform = decimal(law.uniform_parts)
        own = {
            "law": WINDOW,
            "low": numbers.low,
            "values": law.values,
            "window": law.half,
            "uniform": uniform,
        }
        return {"kind": NUMBER, "questions": [{**common, **own}]}
    if wanted == SCALE and numbers == NumberRange(LOW, HIGH):
        expected = ExpectedNumbers.even(NumberRange(LOW, HIGH_OF_SCALE))
    limits = proposed_limits(wanted, expected)
    found = (
        classes_for_mean(expected, limit) if wanted == MEAN else classes_for_shares(expected, limit, limits)
    )
    made = {**common, **classes_settings(found)}
    made |= {"wanted": wanted} if wanted != SHARES or wanted_of(made) != SHARES else {}
    return {"kind": NUMBER, **keeps(found), "questions": [made]}


def section_of_scale(question: Mapping[str, Any], values: Sequence[int], limit: GammaLimit) -> Node:
    """The number of a question whose choices are these values: each is a class."""
    number: Node = {"help": {}, "show_if": {}, "unit": {}}
    number |= {key: question[key] for key in ("name", "text", "label", "help", "show_if") if key in question}
    step = gcd(*(above - below for below, above in pairwise(values)))
    numbers = NumberRange(values[0], values[-1], step)
    found = classes_for_shares(ExpectedNumbers.even(numbers), limit, tuple(values[1:]))
    made = {**number, "step": step, **classes_settings(found)}
    is_even = numbers.steps == len(values) - 1
    return {"kind": NUMBER, **keeps(found), "questions": [{**made, **({"wanted": SCALE} if is_even else {})}]}


def proposed_limits(wanted: str, expected: ExpectedNumbers) -> tuple[int, ...]:
    """Refused where the range has too many numbers for a scale."""
    numbers = expected.range
    if wanted == SCALE and numbers.steps > MOST_LIMITS:
        words = _(
            "A scale has at most %(most)s steps; these are %(values)s. Take a shorter range or larger steps."
        )
        raise Refused(words % {"most": MOST_LIMITS + 1, "values": count(numbers.values)})
    if wanted in (MEAN, SCALE):
        return even_limits(numbers, MOST_LIMITS)
    if wanted == SHARES:
        return round_limits(numbers, SHARES_PROPOSED)
    is_even = len(expected.starts) == 1
    return (
        round_limits(numbers, MOST_LIMITS)
        if is_even
        else likely_limits(expected, min(MOST_LIMITS, numbers.steps))
    )


def classes_settings(found: Classes) -> Node:
    ends = {"low": found.range.low, "high": found.range.high}
    return {"law": CLASSES, **ends, "limits": list(found.limits), "cuts": found.cuts, "rest": found.rest}


def keeps(found: Classes) -> Node:
    """The keys of its section."""
    rest = {"keep_rest": keep_text(found.rest_keep)} if found.rest else {}
    return {"keep": keep_text(found.keep), **rest}


def proposal(question: Node) -> list[int]:
    """The limits proposed for its range; nothing where none can be."""
    try:
        return list(proposed_limits(wanted_of(question), expected_of(question)))
    except (Refusal, Refused):
        return []


def replanned(section: Node, question: Node) -> Node:
    """The section with this question, and what shows it best within the gamma that the section has."""
    limit, expected = _limit_of(section), expected_of(question)
    limits = question["limits"]
    if wanted_of(question) == MEAN and tuple(limits) == even_limits(expected.range, MOST_LIMITS):
        found = classes_for_mean(expected, limit)
    else:
        found = classes_for_shares(expected, limit, limits, mean=bool(question["rest"]))
    return _with_classes(section, question, found)


def redrawn(section: Node, question: Node) -> Node:
    """The same for a question whose m and R were set by hand."""
    limit = _limit_of(section)
    found = Classes(
        range_of(question),
        tuple(question["limits"]),
        question["cuts"],
        question["rest"],
        rounded_keep(limit, question["cuts"]),
        rounded_keep(limit, 1),
    )
    return _with_classes(section, question, found)


def _with_classes(section: Node, question: Node, found: Classes) -> Node:
    others = {key: value for key, value in section.items() if key != "keep_rest"}
    return {**others, **keeps(found), "questions": [{**question, **classes_settings(found)}]}


def _limit_of(section: Node) -> GammaLimit:
    question = section["questions"][0]
    law = ClassesLaw(len(question["limits"]), question["cuts"], Fraction(section["keep"]))
    return GammaLimit(law.gamma_of_class, strict=False)


@lru_cache(maxsize=64)
def best_window(numbers: NumberRange, limit: GammaLimit, respondents: int) -> ShapeError:
    return window_for_shape(numbers, limit, respondents)
