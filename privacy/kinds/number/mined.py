"""What mining sees of a number: of `thresholds` yes/no questions "at least t", of a `window` only its rules."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from privacy.grammar.node import PARTS
from privacy.grammar.question import Choice, Question, check_applies
from privacy.grammar.texts import Texts
from privacy.kinds.grouped.form import SensitiveQuestion
from privacy.kinds.presentation import BARE, Presentation
from privacy.kinds.section import MinedLaw, Rules, moved, with_rules

HALVES = (PARTS // 2, PARTS // 2)
"""The noise law of each threshold."""
AT_LEAST, BELOW = ">=", "<"


@dataclass(frozen=True, slots=True)
class ThresholdItem(SensitiveQuestion):
    """Whether a number is at least `threshold`; `about`: after it was moved to a threshold near it, by chance.

    All items of a number bear its name; their choices differ.
    """

    asked_if_shown: ClassVar[bool] = True

    threshold: int = 0
    about: bool = False
    unit: Texts = field(default_factory=Texts)

    @classmethod
    def of_number(cls, number: Question, threshold: int, unit: Texts, *, about: bool) -> "ThresholdItem":
        return cls(
            name=number.name,
            form="threshold",
            choices=(Choice(below_name(threshold)), Choice(at_least_name(threshold))),
            text=number.text,
            help=number.help,
            show_if=number.show_if,
            label=number.label,
            parts=HALVES,
            threshold=threshold,
            about=about,
            unit=unit,
        )


def at_least_name(threshold: int) -> str:
    return f"{AT_LEAST}{threshold}"


def below_name(threshold: int) -> str:
    return f"{BELOW}{threshold}"


@dataclass(frozen=True, slots=True)
class UnminedSection:
    """A number of which mining sees no answer, but whether it applies."""

    kind: ClassVar[str] = "number"
    sensitive: ClassVar[bool] = True
    mined_as_it_is: ClassVar[bool] = True
    presentation: ClassVar[Presentation] = BARE
    asked: ClassVar[int] = 1
    rotates: ClassVar[bool] = False
    law: ClassVar[None] = None
    itemset_law: ClassVar[None] = None

    questions: tuple[Question]

    @property
    def mined(self) -> MinedLaw:
        return MinedLaw(PARTS, ((),))

    def as_mined(self, places: Sequence[int]) -> "UnminedSection":
        return UnminedSection((moved(self.questions, places)[0],))

    def reduced(self, rules: Rules) -> "UnminedSection":
        """The question with these rules."""
        return UnminedSection((with_rules(self.questions, rules)[0],))

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "questions": [question.as_json() for question in self.questions]}

    def check(self, codes: Sequence[int], start: int, withheld: bool) -> None:
        check_applies(self.questions[0], codes[start], None if withheld else codes)
