"""Which cells of a place a publication may not show after the earlier ones of its survey."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from mining.disclosure.places import EarlierCells, counts_outside, hidden_cells
from mining.document.codec import load
from mining.document.places import PlaceNode
from privacy.kinds.place.law import PlaceLaw
from reports.models import Publication
from reports.review.plain_counts import tables_of
from runs.models import Run


def hidden_of(run: Run, node: PlaceNode, law: PlaceLaw, place: int, regions: Collection[int]) -> set[int]:
    """By number; `place` is that of the question in mining, `regions` its withheld choices, *elsewhere* the last."""
    hidden = {cell for region, cells in enumerate(law.regions) if region in regions for cell in cells}
    if len(law.regions) in regions or not law.outside:
        return hidden | {*law.outside}
    publications = Publication.objects.filter(run__survey=run.survey_id).exclude(run=run)
    rows = publications.select_related("run").defer("rules").order_by("run_id")
    earlier = [before for one in rows if (before := _before(one, run.through, node.question, law, place))]
    counts = counts_outside(node, law, tables_of(run).get((place,)))
    chosen = hidden_cells(counts, earlier) | np.array([one is None for one in node.outside])
    return hidden | {cell for cell, is_hidden in zip(law.outside, chosen, strict=True) if is_hidden}


def _before(
    publication: Publication, through: int, question: str, law: PlaceLaw, place: int
) -> EarlierCells | None:
    """The counts of an earlier publication, the cells that it withheld, and whether it is of the same records."""
    run = publication.run
    counted, told = (
        _named(content.get("places"), question) for content in (run.findings, publication.content)
    )
    if counted is None:
        return None
    shown = told.received if told and told.is_known else (None,) * len(law.points)
    gone = np.array([shown[cell] is None for cell in law.outside], np.bool_)
    counts = counts_outside(counted, law, tables_of(run).get((place,)))
    return EarlierCells(counts, gone, run.through == through)


def _named(rows: Sequence[Any] | None, question: str) -> PlaceNode | None:
    return next((load(PlaceNode, row) for row in rows or [] if row["question"] == question), None)
