"""What mining says of sensitive places."""

from collections.abc import Sequence
from typing import Any, ClassVar

from mining.counts import Counts
from mining.kinds.counted import ByClass, CountedKind, named_shares
from mining.kinds.place.finding import PlaceClasses, PlaceFinding, class_estimates, estimates
from privacy.kinds.place.section import PlaceSection


class PlaceKind(CountedKind[PlaceSection]):
    findings: ClassVar[str] = "places"

    def finding(self, section: PlaceSection, counts: Counts, by_class: ByClass) -> PlaceFinding:
        groups = tuple(PlaceClasses(name, class_estimates(section, rows)) for name, rows in by_class)
        of_disguised = counts.copy()
        # Somebody outside the regions sends the cell as it is.
        of_disguised[0] = 0
        return PlaceFinding(section.question.name, estimates(section, of_disguised), groups)

    def described(self, section: PlaceSection, counts: Counts, quantiles: Sequence[float]) -> dict[str, Any]:
        """The shares of the regions and of each cell outside; cell by cell what was received, and the illustration."""
        found = estimates(section, counts)
        regions = found.shares[: len(section.question.regions)]
        named = [(of.item, of.share, of.low, of.high) for of in (*regions, *found.outside)]
        cells = section.question.code_names
        return {
            "base": found.base,
            "shares": named_shares(section.question.name, named),
            "mean": None,
            "quantiles": None,
            "distribution": None
            if found.received is None or found.illustration is None
            else [
                {
                    "value": cell,
                    "received": received,
                    "blurred": None,
                    "low": None,
                    "high": None,
                    "illustration": illustration,
                }
                for cell, received, illustration in zip(
                    cells, found.received, found.illustration, strict=True
                )
            ],
            "modes": None,
        }
