"""What mining sees of a place: its region, or that it is elsewhere.

See docs/mathematics.md, Places in surveys.
"""

from dataclasses import dataclass
from typing import ClassVar

from privacy.grammar.question import Question
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.mined_law import MinedLaw
from privacy.kinds.place.law import PlaceLaw
from privacy.kinds.section import MinedSection

ELSEWHERE = "elsewhere"
"""The name of the choice that means all cells outside the regions."""


@dataclass(frozen=True, slots=True)
class PlaceItems(Question):
    """Where a rule hides a place, it counts as not asked: all about it is among those to whom it applies."""

    asked_if_shown: ClassVar[bool] = True
    made_of_integers: ClassVar[bool] = True
    withheld_if_open: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class PlaceItemsSection(MinedSection):
    """An unrelated question with keep b: the noise of a region is its share of all cells inside, elsewhere has none."""

    kind: ClassVar[str] = "place"

    place_law: PlaceLaw
    questions: tuple[PlaceItems]

    @property
    def law(self) -> PlaceLaw:
        return self.place_law

    @property
    def rotates(self) -> bool:
        """Whether there are records without it: those from which a rule hides it."""
        return bool(self.questions[0].show_if)

    @property
    def itemset_law(self) -> SectionLaw:
        return self.law.of_regions

    @property
    def sends_some_as_they_are(self) -> bool:
        return bool(self.place_law.outside)

    @property
    def mined(self) -> MinedLaw:
        return self.law.mined
