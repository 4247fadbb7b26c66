"""What mining sees of a place: its region, or that it is elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from privacy.grammar.question import Question, check_applies
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.mined_law import MinedLaw, Rules, with_rules
from privacy.kinds.place.law import PlaceLaw
from privacy.kinds.presentation import BARE, Presentation

ELSEWHERE = "elsewhere"
"""The name of the choice that stands for all cells outside the regions."""


@dataclass(frozen=True, slots=True)
class PlaceItems(Question):
    """Where a rule hides a place, it counts as not asked: all about it is among those to whom it applies."""

    asked_if_shown: ClassVar[bool] = True
    made_of_integers: ClassVar[bool] = True
    withheld_if_open: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class PlaceItemsSection:
    """An unrelated question with keep b: the noise of a region is its share of all cells inside, elsewhere has none."""

    kind: ClassVar[str] = "place"
    sensitive: ClassVar[bool] = True
    counted_by_code: ClassVar[bool] = False
    presentation: ClassVar[Presentation] = BARE
    asked: ClassVar[int] = 1

    law: PlaceLaw
    questions: tuple[PlaceItems]

    @property
    def rotates(self) -> bool:
        """Whether there are records without it: those from which a rule hides it."""
        return bool(self.questions[0].show_if)

    @property
    def itemset_law(self) -> SectionLaw:
        return self.law.of_regions

    @property
    def mined(self) -> MinedLaw:
        return self.law.mined

    def reduced(self, rules: Rules) -> "PlaceItemsSection":
        """The question with these rules."""
        return PlaceItemsSection(self.law, (with_rules(self.questions, rules)[0],))

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "questions": [question.as_json() for question in self.questions]}

    def check(self, codes: Sequence[int], start: int, withheld: bool) -> None:
        if codes[start] != self.questions[0].not_asked:
            check_applies(self.questions[0], codes[start], None if withheld else codes)
