"""What a report says of a sensitive place beyond the shares of its regions, and its JSON.

The shares of regions, and of *elsewhere*, stand among the single answers (`Content.shares`, by class `Content.groups`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privacy.designs import Design
from privacy.kinds.place.mined import PlaceItemsSection

Values = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class OutsideShare:
    """The estimated share of a cell outside all regions, and its 95 % interval."""

    share: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class ReportedPlace:
    """A place `question` by name, among `base` disguised records.

    By cell the share `received` and the `illustration`; by cell outside, in their order, its estimate. None: this
    cell is withheld. Empty: nothing is said.
    """

    question: str
    base: int | None
    received: Values = ()
    illustration: Values = ()
    outside: tuple[OutsideShare | None, ...] = ()

    @property
    def is_known(self) -> bool:
        return bool(self.received)


def from_finding(found: Mapping[str, Any]) -> ReportedPlace:
    """From a row of `run.findings["places"]`."""
    everybody = found["everybody"]
    return ReportedPlace(
        found["question"],
        everybody["base"],
        tuple(everybody["received"] or ()),
        tuple(everybody["illustration"] or ()),
        tuple(map(_outside, everybody["outside"] or ())),
    )


def _outside(row: Mapping[str, Any] | None) -> OutsideShare | None:
    if row is None or row["share"] is None:
        return None
    return OutsideShare(row["share"], row["low"], row["high"])


def places_asked(design: Design) -> dict[str, PlaceItemsSection]:
    """The places of a mined design, by name."""
    sections = [section for section in design.sections if isinstance(section, PlaceItemsSection)]
    return {section.questions[0].name: section for section in sections}
