"""A sensitive number in a draft: its normal form, and what is wanted of it.

Beside the keys of a design a question may have the builder's own: `wanted`, where quantiles are wanted rather than
shares; `expected`, below which numbers a quarter, half and three quarters of people are thought to lie; `earlier`, by
what was wanted before, the settings of then.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from privacy.grammar.node import read_json
from privacy.grammar.reading import ParsedSoFar
from privacy.grammar.refusal import Refusal
from privacy.guarantee.number_range import NumberRange
from privacy.kinds.number import form
from privacy.kinds.number.form import FURTHEST, THRESHOLDS, WINDOW, ThresholdsSection, WindowSection
from surveys.builder.normal_values import Node, law_node, probability
from surveys.draft import NUMBER_KEYS

NUMBER = ThresholdsSection.kind
SHARES, MEAN, QUANTILES, SHAPE = "shares", "mean", "quantiles", "shape"
WANTED: dict[str, str | Promise] = {
    SHARES: _("The share of people at or above chosen numbers"),
    MEAN: _("The average"),
    QUANTILES: _("A typical value (median and quartiles)"),
    SHAPE: _("The shape of the distribution"),
}
KEEP, UNIFORM = "0.8999", "0.5000"
"""Where nobody says otherwise; (1 + .8999) / (1 - .8999) is just below 19."""
POINTS = [0, 25, 50, 75, 100]
QUARTERS = 3


def number_question(question: Mapping[str, Any], common: Node, _spoken: Sequence[str]) -> Node:
    own = _window(question) if question.get("law") == WINDOW else _thresholds(question)
    made = {**common, "step": max(1, _integer(question.get("step"), 1)), **own}
    expected = question.get("expected")
    if isinstance(expected, list) and len(expected) == QUARTERS and all(map(_is_integer, expected)):
        made["expected"] = expected
    if isinstance(earlier := question.get("earlier"), Mapping):
        kept = {key: each for key, each in earlier.items() if key in WANTED and isinstance(each, Mapping)}
        made |= {"earlier": kept} if kept else {}
    return made


def _window(question: Mapping[str, Any]) -> Node:
    return {
        "law": WINDOW,
        "low": _integer(question.get("low"), 0),
        "values": max(2, _integer(question.get("values"), len(POINTS))),
        "window": max(0, _integer(question.get("window"), 0)),
        "uniform": probability(question.get("uniform")) or UNIFORM,
    }


def _thresholds(question: Mapping[str, Any]) -> Node:
    given = question.get("thresholds")
    points = [each for each in given if _is_integer(each)] if isinstance(given, list) else []
    mean = question.get("mean") is True
    quantiles = not mean and question.get("wanted") == QUANTILES
    return {
        "law": THRESHOLDS,
        "thresholds": points if len(points) > 1 else list(POINTS),
        "mean": mean,
        **({"wanted": QUANTILES} if quantiles else {}),
    }


def _is_integer(value: object) -> bool:
    return type(value) is int and -FURTHEST <= value <= FURTHEST


def _integer(value: object, otherwise: int) -> int:
    return value if type(value) is int and _is_integer(value) else otherwise


def number_settings(section: Mapping[str, Any], questions: Sequence[Node]) -> Node:
    """Thresholds are kept as a section; a window has its own law in its question."""
    if not questions or questions[0]["law"] == WINDOW:
        return {}
    return {"keep": probability(section.get("keep")) or KEEP}


def wanted_of(question: Node) -> str:
    """What the researcher wants to learn: the law says it, but for quantiles."""
    if question["law"] == WINDOW:
        return SHAPE
    return MEAN if question["mean"] else str(question.get("wanted", SHARES))


def range_of(question: Node) -> NumberRange:
    """Refused where its ends and steps do not fit."""
    if question["law"] == WINDOW:
        low, step = question["low"], question["step"]
        return NumberRange(low, low + step * (question["values"] - 1), step)
    return NumberRange(question["thresholds"][0], question["thresholds"][-1], question["step"])


def read_section(section: Node) -> ThresholdsSection | WindowSection:
    """The section as a design has it, without texts and rules; a `Refusal` says what is wrong with its numbers."""
    bare = {**law_node(section), "questions": [law_node(section["questions"][0], *NUMBER_KEYS)]}
    return form.read(read_json(json.dumps(bare), "section"), ParsedSoFar(("en",)))


def found_section(section: Node) -> ThresholdsSection | WindowSection | None:
    """None while its numbers do not fit."""
    try:
        return read_section(section)
    except Refusal:
        return None
