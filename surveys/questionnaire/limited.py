"""Sections that give away no more than a limit allows, one table by kind."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import ceil, floor, prod

from privacy.grammar.node import PARTS, decimal
from privacy.grammar.refusal import Refusal
from privacy.guarantee.amplification import Disguised, GammaLimit
from privacy.guarantee.by_guarantee import admissible_keep
from privacy.kinds.number.section import WINDOW
from surveys.draft import Draft
from surveys.kinds.number.draft import NUMBER, found_section, written_keep
from surveys.kinds.place.draft import PLACE
from surveys.kinds.place.levels import limited_place
from surveys.kinds.subset.draft import SUBSET, limited_subset
from surveys.questionnaire.laws import grouped_law, laws
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.protection import keep_text
from surveys.questionnaire.section_kinds import GROUPED, has_settings


def adjustable_laws(draft: Draft) -> Iterator[tuple[int, Disguised]]:
    """The laws that settings can change: all but those that a respondent's secret makes."""
    return ((number, law) for number, law in laws(draft) if has_settings(draft["sections"][number]))


def left_by_fixed(draft: Draft, limit: GammaLimit) -> GammaLimit:
    """What the sections that no setting changes leave of the limit for all others together."""
    fixed = (law for number, law in laws(draft) if not has_settings(draft["sections"][number]))
    return GammaLimit(limit.gamma / prod((law.gamma for law in fixed), start=Fraction(1)), limit.strict)


def limited(section: Node, limit: GammaLimit) -> Node | None:
    """The section with as much kept as the limit allows; None where so little would show nothing."""
    return LIMITED[section["kind"]](section, limit)


def _limited_grouped(section: Node, limit: GammaLimit) -> Node | None:
    law = grouped_law(section)
    keep = admissible_keep(law.noise, law.asked, limit) if law else None
    return {**section, "keep": keep_text(keep)} if keep else None


def _limited_number(section: Node, limit: GammaLimit) -> Node | None:
    question = section["questions"][0]
    if question["law"] != WINDOW:
        return _limited_classes(section, limit)
    parts = least_uniform(question["values"], question["window"], limit)
    made = {**section, "questions": [{**question, "uniform": decimal(parts)}]} if parts < PARTS else None
    return made if made and found_section(made) else None


def _limited_classes(section: Node, limit: GammaLimit) -> Node | None:
    question = section["questions"][0]
    try:
        rest = {"keep_rest": written_keep(limit, 1)} if question["rest"] else {}
        return {**section, "keep": written_keep(limit, question["cuts"]), **rest}
    except Refusal:
        return None


def least_uniform(values: int, half: int, limit: GammaLimit) -> int:
    """1 - u in ten-thousandths: gamma = 1 + u V / ((1-u) (2h+1)) is at most G if 1-u is 1 / (1 + (G-1) (2h+1)/V)."""
    least = PARTS / (1 + (limit.gamma - 1) * (2 * half + 1) / values)
    return max(floor(least) + 1 if limit.strict else ceil(least), 1)


LIMITED: dict[str, Callable[[Node, GammaLimit], Node | None]] = {
    GROUPED: _limited_grouped,
    NUMBER: _limited_number,
    PLACE: limited_place,
    SUBSET: limited_subset,
}
