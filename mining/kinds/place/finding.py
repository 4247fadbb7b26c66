"""What a report says about a sensitive place: estimates of everybody and by class of plain questions.

Somebody outside the regions sends the cell as it is, as a plain answer: all are of the disguised records alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.finite_numbers import finite
from mining.kinds.number.finding import PLACES
from mining.kinds.number.floors import Counts, enough
from mining.kinds.place.density import likeliest_density
from mining.kinds.place.shares import PlaceShares, place_shares, withheld
from privacy.kinds.place.section import PlaceQuestion, PlaceSection

Map = tuple[float | None, ...]
"""By cell a share; None: withheld."""


@dataclass(frozen=True, slots=True)
class PlaceShare:
    """The share with an item, a region, elsewhere or a cell outside; None: too few, or withheld."""

    item: str
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class PlaceEstimates:
    """Estimates among `base` records, `opened` of them open, to which the place applies.

    `shares` of the regions, then of elsewhere, where there are cells outside; `outside` of each of these cells, none by
    class. `received` is the share of records in each cell, `illustration` the likeliest density, which no interval
    covers; None: too few records, or withheld. By class there is no illustration, and nothing of single cells outside,
    which are plain answers.
    """

    base: int | None
    opened: int | None
    shares: tuple[PlaceShare, ...] = ()
    outside: tuple[PlaceShare, ...] = ()
    received: Map | None = None
    illustration: Map | None = None


@dataclass(frozen=True, slots=True)
class PlaceClasses:
    """The estimates in each class, a choice of a plain `question`, by code; of the disguised records alone."""

    question: str
    classes: tuple[PlaceEstimates, ...]


@dataclass(frozen=True, slots=True)
class PlaceFinding:
    """A place `question` by name; its estimates are of the disguised records alone."""

    question: str
    everybody: PlaceEstimates
    groups: tuple[PlaceClasses, ...] = ()


def estimates(section: PlaceSection, counts: Counts) -> PlaceEstimates:
    """From the records by group (open, disguised) and cell, to which the place applies.

    Half a second for 4,096 cells, most of it for the illustration.
    """
    question, law = section.question, section.law
    (found,) = place_shares(law, [counts])
    first = len(question.item_choices)
    outside = tuple(_shares([question.cells[at].name for at in law.outside], found, first))
    bare = replace(_of_regions(question, counts, found), outside=outside)
    if not enough(counts.sum(axis=1)):
        return bare
    shown = shown_cells(question, counts)
    received = _map(counts.sum(axis=0) / counts.sum(), shown)
    return replace(bare, received=received, illustration=_map(likeliest_density(law, counts).share, shown))


def class_estimates(section: PlaceSection, several: Sequence[Counts]) -> tuple[PlaceEstimates, ...]:
    """From such a table for each class."""
    question = section.question
    found = []
    for counts, shares in zip(several, place_shares(section.law, several, of_cells=False), strict=True):
        bare = _of_regions(question, counts, shares)
        if enough(counts.sum(axis=1)):
            shown = shown_cells(question, counts) & np.isin(np.arange(question.codes), section.law.inside)
            bare = replace(bare, received=_map(counts.sum(axis=0) / counts.sum(), shown))
        found.append(bare)
    return tuple(found)


def _of_regions(question: PlaceQuestion, counts: Counts, found: PlaceShares) -> PlaceEstimates:
    names = [choice.name for choice in question.item_choices]
    return PlaceEstimates(int(counts.sum()), int(counts[0].sum()), tuple(_shares(names, found, 0)))


def shown_cells(question: PlaceQuestion, counts: Counts) -> NDArray[np.bool_]:
    """By cell, whether a map may show it."""
    law = question.law
    hide = withheld(law, counts)
    shown = np.ones(question.codes, np.bool_)
    for region, is_hidden in zip(law.regions, hide[: len(law.regions)], strict=True):
        shown[list(region)] = not is_hidden
    shown[list(law.outside)] = ~hide[len(question.item_choices) :]
    return shown


def _shares(names: list[str], found: PlaceShares, first: int) -> list[PlaceShare]:
    columns = (column[first : first + len(names)] for column in (found.share, found.low, found.high))
    return [
        PlaceShare(name, *map(finite, row)) for name, *row in zip(names, *map(_listed, columns), strict=True)
    ]


def _listed(column: Any) -> list[float]:
    values: list[float] = np.round(column, PLACES).tolist()
    return values


def _map(shares: Any, shown: NDArray[np.bool_]) -> Map:
    values = zip(_listed(shares), shown.tolist(), strict=True)
    return tuple(share if is_shown else None for share, is_shown in values)
