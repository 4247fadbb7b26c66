"""Design by guarantee for a number: the limits or the window that err least within a limit."""

from fractions import Fraction
from functools import lru_cache

from privacy.grammar.node import decimal
from privacy.grammar.refusal import Refusal
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.classes_search import (
    Classes,
    classes_for_mean,
    classes_for_shares,
    even_limits,
    likely_limits,
)
from privacy.guarantee.number_range import NumberRange
from privacy.guarantee.window_search import ShapeError, window_for_shape
from privacy.kinds.number.classes import ClassesLaw
from privacy.kinds.number.form import CLASSES, MOST_LIMITS, WINDOW
from surveys.builder.expected_numbers import expected_of
from surveys.builder.normal_values import Node
from surveys.builder.number_draft import MEAN, NUMBER, QUANTILES, SHAPE, range_of
from surveys.builder.protection import keep_text
from surveys.problems import Problem, reason_of
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
    if wanted == MEAN:
        found = classes_for_mean(expected, limit)
    elif wanted == QUANTILES:
        found = classes_for_shares(expected, limit, likely_limits(expected, min(MOST_LIMITS, numbers.steps)))
    else:
        found = classes_for_shares(expected, limit, even_limits(numbers, SHARES_PROPOSED))
    own = classes_settings(found) | ({"wanted": wanted} if wanted in (MEAN, QUANTILES) else {})
    return {"kind": NUMBER, **keeps(found), "questions": [{**common, **own}]}


def classes_settings(found: Classes) -> Node:
    ends = {"low": found.range.low, "high": found.range.high}
    return {"law": CLASSES, **ends, "limits": list(found.limits), "cuts": found.cuts, "rest": found.rest}


def keeps(found: Classes) -> Node:
    """The keys of its section."""
    rest = {"keep_rest": keep_text(found.rest_keep)} if found.rest else {}
    return {"keep": keep_text(found.keep), **rest}


def with_limits(section: Node, limits: list[int]) -> Node:
    """The section with other limits, and what shows their shares best within the gamma that it has."""
    question = section["questions"][0]
    law = ClassesLaw(len(question["limits"]), question["cuts"], Fraction(section["keep"]))
    limit = GammaLimit(law.gamma_of_class, strict=False)
    found = classes_for_shares(expected_of(question), limit, limits, mean=bool(question["rest"]))
    rest = {key: value for key, value in section.items() if key != "keep_rest"}
    return {**rest, **keeps(found), "questions": [{**question, **classes_settings(found)}]}


@lru_cache(maxsize=64)
def best_window(numbers: NumberRange, limit: GammaLimit, respondents: int) -> ShapeError:
    return window_for_shape(numbers, limit, respondents)
