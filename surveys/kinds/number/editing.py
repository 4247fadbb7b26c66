"""Adding a sensitive number, and editing its limits."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _

from privacy.grammar.refusal import Refusal
from privacy.guarantee.number_range import NumberRange
from privacy.guarantee.presets import DEFAULT
from privacy.kinds.number.classes.section import CLASSES, MOST_LIMITS
from surveys.draft import PRESET, Draft
from surveys.kinds.number.draft import (
    HIGH,
    LIMITS,
    LOW,
    NUMBER,
    WANTED,
    found_section,
    is_scale,
    number_question,
    number_settings,
    range_of,
    wanted_of,
)
from surveys.kinds.number.proposals import proposed, redrawn, replanned, section_of_scale
from surveys.questionnaire.blocks import find, new_name, section_at, with_section
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.presets import limit_of_section
from surveys.questionnaire.protection import expected
from surveys.questionnaire.scales import scale_values
from surveys.refused import Refused

SETTINGS = (
    *(
        "law",
        "limits",
        "cuts",
        "rest",
        "wanted",
        "low",
        "high",
        "values",
        "window",
        "uniform",
        "keep",
        "keep_rest",
    ),
)
"""What the law of a number is set by, beside its step."""


def new_number(draft: Draft) -> Node:
    """A section with a number without words: shares above a few limits from 0 to 100."""
    question: Node = {"name": new_name(draft), "text": {}, "help": {}, "unit": {}, "show_if": {}, "step": 1}
    question |= {"law": CLASSES, "low": LOW, "high": HIGH, "limits": list(LIMITS), "cuts": 1, "rest": 0}
    section = {"kind": NUMBER, "questions": [question]}
    made = proposed(section, wanted_of(question), limit_of_section(draft), expected(draft))
    return {**made, PRESET: DEFAULT.name}


def scale_section(question: Mapping[str, Any]) -> Node | None:
    """The sensitive number that an even scale of numbers is, such as 0 to 10; None where it is none."""
    values = scale_values(question)
    if len({above - below for below, above in pairwise(values)}) != 1:
        return None
    return {**section_of_scale(question, values, DEFAULT.limit), PRESET: DEFAULT.name}


def with_wanted(draft: Draft, key: str, wanted: str) -> Draft:
    """What was set the last time this was wanted, else the law that shows it best.

    So nothing is lost where somebody tries one after the other.
    """
    number, section = _section(draft, key)
    question = section["questions"][0]
    if wanted not in WANTED:
        raise Refused(_("That could not be understood. Reload the page and try again."))
    if wanted == wanted_of(question):
        return draft
    earlier = {**question.get("earlier", {}), wanted_of(question): _settings(section)}
    made = _restored(section, earlier.pop(wanted, {})) or _proposed(draft, number, wanted)
    return _with_law(draft, number, made, earlier=earlier)


def with_proposal(draft: Draft, key: str) -> Draft:
    """The law that shows best what is wanted, for the range as it is now."""
    number, section = _section(draft, key)
    [question] = section["questions"]
    made = _proposed(draft, number, wanted_of(question))
    kept = {"earlier": question["earlier"]} if "earlier" in question else {}
    return _with_law(draft, number, made, **kept)


def _with_law(draft: Draft, number: int, made: Node, **kept: Any) -> Draft:
    """The draft with the law of `made` in this section; its question has `kept` too, the section all else it had."""
    rest = {key: value for key, value in draft["sections"][number].items() if key not in SETTINGS}
    [question] = made["questions"]
    return with_section(draft, number, {**rest, **made, "questions": [{**question, **kept}]})


def _proposed(draft: Draft, number: int, wanted: str) -> Node:
    return proposed(draft["sections"][number], wanted, limit_of_section(draft, number), expected(draft))


def _settings(section: Node) -> Node:
    question = section["questions"][0]
    return {key: value for key, value in {**question, **section}.items() if key in SETTINGS}


def _restored(section: Node, earlier: Node) -> Node | None:
    """The section with these settings, if they fit the range as it is now."""
    question = section["questions"][0]
    common = {key: value for key, value in question.items() if key not in SETTINGS}
    restored = number_question(earlier, common, ()) | {"step": question["step"]}
    made: Node = {"kind": NUMBER, **number_settings(earlier, [restored]), "questions": [restored]}
    if not earlier or found_section(made) is None:
        return None
    return made if range_of(restored) == range_of(question) else None


def add_limit(draft: Draft, key: str, row: int | None) -> tuple[Draft, int]:
    """A limit in the middle of the gap below the one in this row, else of the widest; and its row."""
    number, section = _section(draft, key)
    limits, place = _with_another(section, row)
    return _with_limits(draft, number, section, limits), place


def with_widest_divided(draft: Draft, number: int) -> Draft:
    """The draft with three more limits, each in the class that is the widest by then, as far as they fit."""
    section = section_at(draft, number)
    if section.get("kind") != NUMBER:
        raise Refused(_("This question is not a number."))
    [question], limits = section["questions"], _limits(section)
    for _each in range(max(1, min(ADDED, MOST_LIMITS - len(limits)))):
        limits = _with_another({**section, "questions": [{**question, "limits": limits}]}, None)[0]
    return _with_limits(draft, number, section, limits)


ADDED = 3
"""Limits that divide a class into four."""


def _with_another(section: Node, row: int | None) -> tuple[list[int], int]:
    limits = _limits(section)
    if len(limits) >= MOST_LIMITS:
        raise Refused(_("A number has at most %(most)s limits.") % {"most": MOST_LIMITS})
    numbers = _range(section)
    points = [numbers.low, *limits, numbers.high]
    gaps = [(above - below) // numbers.step for below, above in pairwise(points)]
    place = row + 1 if row is not None and row + 1 < len(gaps) else gaps.index(max(gaps))
    if gaps[place] < 2:
        raise Refused(_("There is no number left between these limits."))
    made = points[place] + gaps[place] // 2 * numbers.step
    return [*limits[:place], made, *limits[place:]], place


def remove_limit(draft: Draft, key: str, row: int) -> Draft:
    number, section = _section(draft, key)
    limits = _limits(section)
    if not 0 <= row < len(limits):
        raise Refused(_("This limit is not there any more."))
    if len(limits) == 1:
        raise Refused(_("A number needs a limit."))
    _range(section)
    return _with_limits(draft, number, section, [*limits[:row], *limits[row + 1 :]])


def _section(draft: Draft, key: str) -> tuple[int, Node]:
    place, _block = find(draft, key)
    section: Node = draft["sections"][place.section]
    if section["kind"] != NUMBER:
        raise Refused(_("This question is not a number."))
    return place.section, section


def _limits(section: Node) -> list[int]:
    question = section["questions"][0]
    if question["law"] != CLASSES:
        raise Refused(_("This number has no limits."))
    limits: list[int] = question["limits"]
    return limits


def _range(section: Node) -> NumberRange:
    try:
        return range_of(section["questions"][0])
    except Refusal:
        raise Refused(_("Correct the ends and the step first.")) from None


def _with_limits(draft: Draft, number: int, section: Node, limits: list[int]) -> Draft:
    [question] = section["questions"]
    return with_section(draft, number, replanned(section, {**question, "limits": limits}))


PLANNED_BY = "limits", "low", "high", "step", "expected"


def with_plan(draft: Draft, number: int, before: Node) -> Draft:
    """The draft after the question of this section was changed; `before` is the section until then.

    m and R follow limits and range, but where they were changed themselves.
    """
    [old], [question] = before["questions"], draft["sections"][number]["questions"]
    if question["law"] != CLASSES:
        return draft
    rest = old["rest"] if not is_scale(question) else 0
    if (question["cuts"], question["rest"]) != (min(old["cuts"], len(question["limits"])), rest):
        return with_section(draft, number, redrawn(before, question))
    if any(old.get(key) != question.get(key) for key in PLANNED_BY):
        return with_section(draft, number, replanned(before, question))
    return draft
