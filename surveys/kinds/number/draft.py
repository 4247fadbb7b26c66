"""A sensitive number in a draft: its normal form, and what is wanted of it.

Beside the keys of a design a question may have the builder's own: `wanted`, what the law alone does not tell;
`expected`, below which numbers a quarter, half and three quarters of people are thought to lie; `earlier`, by what was
wanted before, the settings of then.
"""

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from privacy.grammar.node import PARTS, decimal, read_json
from privacy.grammar.reading import ParsedSoFar
from privacy.grammar.refusal import Refusal
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.classes_keep import rounded_keep
from privacy.guarantee.number_range import NumberRange
from privacy.kinds.mined_law import Disguised
from privacy.kinds.number import section as form
from privacy.kinds.number.classes.section import CLASSES, MOST_REST, ClassesSection
from privacy.kinds.number.number import FURTHEST
from privacy.kinds.number.window.section import WINDOW, WindowSection
from surveys.phrases.answering import TRIES
from surveys.phrases.chances import NUMBER_CHANCES
from surveys.phrases.how_it_works import HOW_IT_WORKS, NEAR_HEADS, TOY
from surveys.phrases.numbers_and_places import NUMBERS
from surveys.questionnaire.normal_values import Node, law_node, probability
from surveys.questionnaire.section_kind import SectionKind

NUMBER = ClassesSection.kind
OWN_KEYS = frozenset({"wanted", "expected", "earlier"})
SHARES, MEAN, QUANTILES, SCALE, SHAPE = "shares", "mean", "quantiles", "scale", "shape"
WANTED: dict[str, str | Promise] = {
    SHARES: _("The share of people at or above chosen numbers"),
    MEAN: _("The average"),
    QUANTILES: _("A typical value (median and quartiles)"),
    SCALE: _("Each step of a scale (at most 21 steps)"),
    SHAPE: _("A shape to look at (window)"),
}
UNIFORM = "0.5000"
USUAL_GAMMA = GammaLimit(Fraction(19), strict=True)
"""Where nobody says otherwise."""
LOW, HIGH, LIMITS = 0, 100, [25, 50, 75]
HIGH_OF_SCALE = 10
QUARTERS = 3


def number_question(question: Mapping[str, Any], common: Node, spoken: Sequence[str]) -> Node:
    own = _window(question) if question.get("law") == WINDOW else _classes(question)
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
        "values": max(2, _integer(question.get("values"), len(LIMITS) + 2)),
        "window": max(0, _integer(question.get("window"), 0)),
        "uniform": probability(question.get("uniform")) or UNIFORM,
    }


def _classes(question: Mapping[str, Any]) -> Node:
    given = question.get("limits")
    limits = [each for each in given if _is_integer(each)] if isinstance(given, list) else []
    limits = limits or list(LIMITS)
    wanted = question.get("wanted")
    return {
        "law": CLASSES,
        "low": _integer(question.get("low"), min(LOW, limits[0] - 1)),
        "high": _integer(question.get("high"), max(HIGH, limits[-1])),
        "limits": limits,
        "cuts": min(max(_integer(question.get("cuts"), len(limits)), 1), len(limits)),
        "rest": min(max(_integer(question.get("rest"), 0), 0), MOST_REST),
        **({"wanted": wanted} if wanted in WANTED and wanted != SHAPE else {}),
    }


def _is_integer(value: object) -> bool:
    return type(value) is int and -FURTHEST <= value <= FURTHEST


def _integer(value: object, otherwise: int) -> int:
    return value if type(value) is int and _is_integer(value) else otherwise


def number_settings(section: Mapping[str, Any], questions: Sequence[Node]) -> Node:
    """The keeps of classes are kept as a section; a window has its own law in its question."""
    if not questions or questions[0]["law"] == WINDOW:
        return {}
    cuts, rest = questions[0]["cuts"], questions[0]["rest"]
    keep = probability(section.get("keep")) or written_keep(USUAL_GAMMA, cuts)
    rest_keep = probability(section.get("keep_rest")) or written_keep(USUAL_GAMMA, 1)
    return {"keep": keep, **({"keep_rest": rest_keep} if rest else {})}


def written_keep(limit: GammaLimit, cuts: int) -> str:
    """The largest keep of a law that draws so many limits; 1 of the rest, too."""
    return decimal(int(rounded_keep(limit, cuts) * PARTS))


def wanted_of(question: Node) -> str:
    """What the researcher wants to learn: the law says it where nobody does."""
    if question["law"] == WINDOW:
        return SHAPE
    by_law = SCALE if is_scale(question) else MEAN if question["rest"] else SHARES
    return str(question.get("wanted", by_law))


def is_scale(question: Node) -> bool:
    """Whether each number is a class of its own, so that people choose one rather than type it."""
    steps = (question["high"] - question["low"]) // question["step"] if question["law"] == CLASSES else 0
    return steps > 0 and len(question["limits"]) == steps


def range_of(question: Node) -> NumberRange:
    """Refused where its ends and steps do not fit."""
    if question["law"] == WINDOW:
        low, step = question["low"], question["step"]
        return NumberRange(low, low + step * (question["values"] - 1), step)
    return NumberRange(question["low"], question["high"], question["step"])


def read_section(section: Node) -> ClassesSection | WindowSection:
    """The section as a design has it, without texts and rules; a `Refusal` says what is wrong with its numbers."""
    bare = {**law_node(section), "questions": [law_node(section["questions"][0], *OWN_KEYS)]}
    return form.read(read_json(json.dumps(bare), "section"), ParsedSoFar(("en",)))


def found_section(section: Node) -> ClassesSection | WindowSection | None:
    """None while its numbers do not fit."""
    try:
        return read_section(section)
    except Refusal:
        return None


class NumberDraft(SectionKind):
    kind = NUMBER
    texts = ("text", "label", "help", "unit")
    own_keys = OWN_KEYS
    script_phrases = {**TOY, **TRIES, **NUMBERS}
    phrases = {**HOW_IT_WORKS, **TOY, **TRIES, **NEAR_HEADS, **NUMBER_CHANCES, **NUMBERS}
    normal_question = staticmethod(number_question)
    normal_settings = staticmethod(number_settings)

    def law(self, section: Node) -> Disguised | None:
        found = found_section(section)
        return found.law if found else None


def has_limits(section: Mapping[str, Any]) -> bool:
    """Whether it is a number with classes."""
    return section.get("kind") == NUMBER and section["questions"][0]["law"] == CLASSES
