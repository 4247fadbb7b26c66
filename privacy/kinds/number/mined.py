"""What mining sees of a number: of `classes` scored items (privacy/kinds/scored.py), of a `window` only its rules."""

from dataclasses import dataclass
from typing import ClassVar

from privacy.grammar.node import PARTS
from privacy.grammar.question import Question
from privacy.kinds.mined_law import MinedLaw
from privacy.kinds.section import MinedSection

AT_LEAST, BELOW = ">=", "<"
UNMINED = 3
"""The code of an answer of which mining sees no choice, the number of a `window`; *not applicable* stays."""


def at_least_name(limit: int) -> str:
    return f"{AT_LEAST}{limit}"


def below_name(limit: int) -> str:
    return f"{BELOW}{limit}"


def between_name(low: int, high: int) -> str:
    return f"{at_least_name(low)} {below_name(high)}"


@dataclass(frozen=True, slots=True)
class UnminedSection(MinedSection):
    """A number of which mining sees no answer, but whether it applies."""

    kind: ClassVar[str] = "number"
    rotates: ClassVar[bool] = False
    law: ClassVar[None] = None
    itemset_law: ClassVar[None] = None

    questions: tuple[Question]

    @property
    def mined(self) -> MinedLaw:
        return MinedLaw(PARTS, ((),))
