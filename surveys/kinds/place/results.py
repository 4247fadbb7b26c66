"""What a page shows of a place: what it promises to whom, and the errors to expect."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from django.utils.translation import gettext as _

from surveys.kinds.place.draft import PlaceDraft
from surveys.kinds.place.protection import PlaceProtection, place_protection
from surveys.templatetags.builder import points
from ui.numbers import percent


@dataclass(frozen=True)
class PlaceResults:
    template: ClassVar[str] = "builder/place-results.html"

    protection: PlaceProtection
    name: str
    labels: tuple[str, ...]
    """Of the regions, in their order."""

    @property
    def words(self) -> str:
        """Its setting and its error in a few words."""
        said = {"keep": percent(self.protection.keep, 1), "points": points(self.protection.worst)}
        return _("region kept %(keep)s, shares ± %(points)s") % said

    @property
    def rows(self) -> list[tuple[str, object]]:
        return list(zip(self.labels, self.protection.regions, strict=True))


def place_results(
    section: PlaceDraft, respondents: int, prior: Fraction, language: str = ""
) -> PlaceResults | None:
    """None while its cells, regions and levels do not fit."""
    protection = place_protection(section, respondents, prior)
    if protection is None:
        return None
    question = section.question
    labels = tuple(
        each.label.get(language) or next(iter(each.label.values()), "") or each.name
        for each in question.regions
    )
    return PlaceResults(protection, question.name, labels)
