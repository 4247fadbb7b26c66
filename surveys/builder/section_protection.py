"""What one section guarantees and what errors to expect, one table by kind."""

from collections.abc import Callable
from fractions import Fraction

from surveys.kinds.crosswise.draft import CROSSWISE
from surveys.kinds.crosswise.protection import crosswise_protection
from surveys.kinds.grouped.protection import grouped_protection
from surveys.kinds.number.draft import NUMBER
from surveys.kinds.number.protection import number_protection
from surveys.kinds.place.draft import PLACE
from surveys.kinds.place.protection import place_protection
from surveys.kinds.subset.draft import SUBSET
from surveys.kinds.subset.protection import subset_protection
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.protection import Protection
from surveys.questionnaire.section_kinds import GROUPED

PROTECTIONS: dict[str, Callable[[Node, int, Fraction], Protection | None]] = {
    GROUPED: grouped_protection,
    NUMBER: number_protection,
    PLACE: place_protection,
    CROSSWISE: crosswise_protection,
    SUBSET: subset_protection,
}


def section_protection(section: Node, respondents: int, prior: Fraction) -> Protection | None:
    """None where nothing is disguised, or not yet."""
    find = PROTECTIONS.get(section.get("kind", ""))
    return find(section, respondents, prior) if find else None
