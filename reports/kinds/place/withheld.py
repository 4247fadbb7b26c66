"""What a publication leaves out of the maps of a place."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.outside_cells import Chosen, EarlierCells, hidden_cells
from mining.document.codec import load
from privacy.kinds.place.law import PlaceLaw
from reports.kinds.place.reported import ReportedPlace, from_finding
from reports.models import Publication
from reports.plain_counts import tables_of
from runs.models import Run

Counts = NDArray[np.int64]


def without_cells(found: ReportedPlace) -> ReportedPlace:
    return ReportedPlace(found.question, None)


@dataclass(frozen=True)
class MapWithholding:
    """Decides which cells of a place by this law a publication of the run may show; `place` is its number in mining."""

    run: Run
    law: PlaceLaw
    place: int

    def allowed(self, found: ReportedPlace, hidden: Collection[int]) -> ReportedPlace:
        """`hidden` are the regions that are withheld, as choices of mining, the last that for *elsewhere*."""
        if not found.is_known:
            return without_cells(found)
        outside = self._hidden_outside(found, everything=len(self.law.regions) in hidden).tolist()
        cells = {cell for place, region in enumerate(self.law.regions) if place in hidden for cell in region}
        cells |= {cell for cell, is_hidden in zip(self.law.outside, outside, strict=True) if is_hidden}
        kept = [None if is_hidden else one for is_hidden, one in zip(outside, found.outside, strict=True)]
        return replace(
            found,
            received=_without(found.received, cells),
            illustration=_without(found.illustration, cells),
            outside=tuple(kept),
        )

    def _hidden_outside(self, found: ReportedPlace, *, everything: bool) -> Chosen:
        """By cell outside."""
        hidden = np.array([one is None for one in found.outside], np.bool_) | everything
        if not len(hidden):
            return hidden
        publications = Publication.objects.filter(run__survey=self.run.survey_id).exclude(run=self.run)
        rows = publications.select_related("run").defer("rules").order_by("run_id")
        before = [one for publication in rows if (one := self._before(publication, found.question))]
        return hidden | hidden_cells(self._counts(found, self.run), before)

    def _before(self, publication: Publication, question: str) -> EarlierCells | None:
        """The counts of an earlier publication, the cells that it withheld, and whether it is of the same records."""
        run = publication.run
        rows = [row for row in run.findings.get("places") or [] if row["question"] == question]
        if not rows:
            return None
        published = [load(ReportedPlace, row) for row in publication.content.get("places") or []]
        shown = next((one for one in published if one.question == question and one.is_known), None)
        gone = np.array(
            [shown is None or shown.received[cell] is None for cell in self.law.outside], np.bool_
        )
        return EarlierCells(self._counts(from_finding(rows[0]), run), gone, run.through == self.run.through)

    def _counts(self, found: ReportedPlace, run: Run) -> Counts:
        """By cell outside the disguised records received there.

        Where a run has withheld cells, the first of them stands for all: they are only ever withheld together.
        """
        table = tables_of(run).get((self.place,))
        base = found.base or 0
        received = np.array([found.received[at] or 0 if found.received else 0 for at in self.law.outside])
        known = [one is not None for one in found.outside]
        counts = np.where(known, np.rint(received * base), 0).astype(np.int64)
        if table is not None and not all(known):
            counts[known.index(False)] = table.counts[len(self.law.regions)] - counts.sum()
        return counts


def _without(values: tuple[float | None, ...], cells: Collection[int]) -> tuple[float | None, ...]:
    return tuple(None if cell in cells else value for cell, value in enumerate(values))
