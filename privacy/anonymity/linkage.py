"""People of another table beside classes: who fits what a class shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.dates import first_day
from privacy.anonymity.hierarchies import MISSING
from privacy.anonymity.losses import Partition
from privacy.anonymity.table import QuasiColumn

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fits:
    """By class, the people who fit; by person, the classes and the records in them."""

    people: Integers
    classes: Integers
    records: Integers


def fits(quasi: Sequence[QuasiColumn], shown: Partition, people: Sequence[QuasiColumn]) -> Fits:
    """Compare the columns of the same name; `people` may know some of the quasi-identifiers only.

    A value that the published column does not know fits a class only between the ends of an interval, or where the
    class shows everything.
    """
    known = {column.name: column for column in people}
    asked = [(at, column) for at, column in enumerate(quasi) if column.name in known]
    places = [places_in(column, known[column.name]) for _at, column in asked]
    ends = [_ends(column, shown, at) for at, column in asked]
    found = Fits(
        np.zeros(shown.number, np.int64),
        np.zeros(len(people[0].codes), np.int64),
        np.zeros(len(people[0].codes), np.int64),
    )
    sizes = shown.sizes.tolist()
    for number in range(shown.number):
        inside = _inside(places, [(first[number], last[number]) for first, last in ends], found.classes)
        found.people[number] = len(inside)
        found.classes[inside] += 1
        found.records[inside] += sizes[number]
    return found


def _ends(column: QuasiColumn, shown: Partition, at: int) -> tuple[Floats, Floats]:
    """The first and last place that fits; of a class that shows a whole hierarchy, any."""
    first, last = (end.astype(np.float64) for end in column.covered(shown.lows[:, at], shown.highs[:, at]))
    if column.hierarchy:
        whole = (first == 0) & (last == len(column.texts) - 1)
        first[whole], last[whole] = -np.inf, np.inf
    return first, last


def _inside(places: Sequence[Floats], ends: Sequence[tuple[float, float]], everybody: Integers) -> Integers:
    """The people between the ends in every column."""
    inside = np.arange(len(everybody))
    for place, (first, last) in zip(places, ends, strict=True):
        values = place[inside]
        inside = inside[(first <= values) & (values <= last)]
    return inside


def places_in(column: QuasiColumn, people: QuasiColumn) -> Floats:
    """The place of each person's value among the codes of a column: between two of them, or infinite if unknown."""
    codes = {text: float(code) for code, text in enumerate(column.texts)}
    if not (column.is_number or column.is_date):
        return np.array([codes.get(text, np.inf) for text in people.texts])[people.codes]

    def size(text: str) -> Decimal:
        return Decimal(text) if column.is_number else Decimal(first_day(text).toordinal())

    known = np.array([size(text) for text in column.texts if text != MISSING], object)
    asked = np.array([size(text) for text in people.texts if text != MISSING], object)
    after, upto = np.searchsorted(known, asked, "left"), np.searchsorted(known, asked, "right")
    places = np.full(len(people.texts), codes.get(MISSING, np.inf))
    places[[text != MISSING for text in people.texts]] = (after + upto - 1) / 2
    return places[people.codes]
