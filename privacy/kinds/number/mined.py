"""What mining sees of a number: of `classes` scored items (privacy/kinds/scored.py), of a `window` only its rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from privacy.grammar.node import PARTS
from privacy.grammar.question import Question, check_applies
from privacy.kinds.mined_law import MinedLaw, Rules, with_rules
from privacy.kinds.presentation import BARE, Presentation

AT_LEAST, BELOW = ">=", "<"


def at_least_name(limit: int) -> str:
    return f"{AT_LEAST}{limit}"


def below_name(limit: int) -> str:
    return f"{BELOW}{limit}"


def between_name(low: int, high: int) -> str:
    return f"{at_least_name(low)} {below_name(high)}"


@dataclass(frozen=True, slots=True)
class UnminedSection:
    """A number of which mining sees no answer, but whether it applies."""

    kind: ClassVar[str] = "number"
    sensitive: ClassVar[bool] = True
    counted_by_code: ClassVar[bool] = False
    presentation: ClassVar[Presentation] = BARE
    asked: ClassVar[int] = 1
    rotates: ClassVar[bool] = False
    law: ClassVar[None] = None
    itemset_law: ClassVar[None] = None

    questions: tuple[Question]

    @property
    def mined(self) -> MinedLaw:
        return MinedLaw(PARTS, ((),))

    def reduced(self, rules: Rules) -> "UnminedSection":
        """The question with these rules."""
        return UnminedSection((with_rules(self.questions, rules)[0],))

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "questions": [question.as_json() for question in self.questions]}

    def check(self, codes: Sequence[int], start: int, withheld: bool) -> None:
        check_applies(self.questions[0], codes[start], None if withheld else codes)
