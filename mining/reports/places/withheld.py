"""What a publication leaves out of the maps of a place."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.outside_cells import Chosen, EarlierCells, hidden_cells
from mining.models import Run
from mining.reports.models import Publication
from mining.reports.places.reported import ReportedPlace, from_finding, from_json
from privacy.kinds.place.law import PlaceLaw

Counts = NDArray[np.int64]


def without_cells(found: ReportedPlace) -> ReportedPlace:
    return ReportedPlace(found.question, found.disguised_alone, None, None)


@dataclass(frozen=True)
class MapWithholding:
    """Decides which cells of a place by this law a publication of the run may show."""

    run: Run
    earlier: Sequence[Publication]
    law: PlaceLaw

    def allowed(self, found: ReportedPlace, hidden: Collection[int]) -> ReportedPlace:
        """`hidden` are the regions that are withheld, as choices of mining, the last that for *elsewhere*."""
        if not found.is_known:
            return without_cells(found)
        outside = self._hidden_outside(found, everything=len(self.law.regions) in hidden)
        cells = {cell for place, region in enumerate(self.law.regions) if place in hidden for cell in region}
        cells |= {cell for cell, is_hidden in zip(self.law.outside, outside, strict=True) if is_hidden}
        kept = [None if is_hidden else one for is_hidden, one in zip(outside, found.outside, strict=True)]
        return replace(
            found,
            received=_without(found.received, cells),
            illustration=_without(found.illustration, cells),
            outside=tuple(kept),
        )

    def _hidden_outside(self, found: ReportedPlace, *, everything: bool) -> list[bool]:
        now = _counts(found, self.law)
        unknown = np.array([one is None for one in found.outside], np.bool_)
        hidden = np.zeros(len(self.law.outside), np.bool_) | everything | unknown
        before = [one for publication in self.earlier if (one := self._before(publication, found.question))]
        for universe, counts in enumerate(now):
            earlier = [EarlierCells(counts_of[universe], gone, same) for counts_of, gone, same in before]
            hidden |= hidden_cells(counts, earlier) if len(counts) else hidden
        return [bool(one) for one in hidden]

    def _before(
        self, publication: Publication, question: str
    ) -> tuple[tuple[Counts, Counts], Chosen, bool] | None:
        """The counts of an earlier publication, the cells that it withheld, and whether it is of the same records."""
        run = publication.run
        rows = [row for row in run.findings.get("places") or [] if row["question"] == question]
        if not rows:
            return None
        published = [from_json(row) for row in publication.content.get("places") or []]
        shown = next((one for one in published if one.question == question), None)
        gone = (
            np.array([shown.received[cell] is None for cell in self.law.outside], np.bool_)
            if shown and shown.is_known
            else np.ones(len(self.law.outside), np.bool_)
        )
        opened = 0 if run.findings.get("alone") else run.n_open or 0
        counts = _counts(from_finding(rows[0], opened), self.law)
        return counts, gone, run.through == self.run.through


def _counts(found: ReportedPlace, law: PlaceLaw) -> tuple[Counts, Counts]:
    """By cell outside the records received there, of everybody and of the disguised.

    The estimate of a cell counts an open record once and a disguised one 1/b times, so that the latter follow.
    """
    base = found.base or 0
    received = np.array([found.received[cell] if found.received else 0 for cell in law.outside], np.float64)
    shares = np.array([one.share if one else np.nan for one in found.outside], np.float64)
    everybody = np.rint(received * base)
    if not found.opened:
        return everybody.astype(np.int64), everybody.astype(np.int64)
    disguised = np.rint((shares - received) * base / float(1 / law.keep - 1))
    # Where nothing is estimated the records are too few, whoever they are of.
    known = np.where(np.isnan(disguised), np.minimum(everybody, 0), disguised)
    return everybody.astype(np.int64), known.astype(np.int64)


def _without(values: tuple[float | None, ...], cells: Collection[int]) -> tuple[float | None, ...]:
    return tuple(None if cell in cells else value for cell, value in enumerate(values))
