"""Randomises published columns (PRAM): each value is kept with probability p, else replaced by a random one.

Law of m values, docs/mathematics.md, Disguised columns: P(y | x) = p [x = y] + (1 - p) / m. It is
gamma-amplifying for gamma = (p + (1 - p) / m) / ((1 - p) / m) = 1 + m p / (1 - p) (Evfimievski, Gehrke and
Srikant, 2003). Its inverse: the share of y before is (share after - (1 - p) / m) / p.
"""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import sqrt
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.anonymisation_result import AnonymisedTable
from privacy.anonymity.tables.specification import Disguised
from privacy.anonymity.tables.table import Column
from privacy.designs.formula_escape import escape_formula
from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value
from privacy.grammar.json_node import PARTS
from privacy.records.csv_row_reader import csv_rows

Integers = NDArray[np.int64]
RandomBytes = Callable[[int], bytes]
"""Source of n secure random bytes. A reproducible seed would let anybody restore the values."""
NORMAL_95 = 1.96


@dataclass(frozen=True, slots=True)
class KeepLaw:
    """The randomisation law of a published column.

    `keep`: the probability that a value is kept, in ten-thousandths. `values`: m, the number of different values.
    """

    keep: int
    values: int

    @property
    def gamma(self) -> Fraction:
        """The amplification: the largest factor by which a published value changes the odds of a true one."""
        return 1 + Fraction(self.values * self.keep, PARTS - self.keep)

    @property
    def keep_probability(self) -> float:
        """The probability that a value is kept, as a fraction of 1."""
        return self.keep / PARTS

    @property
    def noise(self) -> float:
        """The probability that the true value is replaced by one given value: (1 - p) / m."""
        return (1 - self.keep_probability) / self.values


def largest_keep_law(gamma: Decimal, values: int) -> KeepLaw:
    """Returns the randomisation law that keeps values most often within amplification `gamma`."""
    above = Fraction(gamma) - 1
    return KeepLaw(int(above / (above + values) * PARTS), values)


def disguise_columns(
    outcome: AnonymisedTable, attributes: Sequence[Disguised], random_bytes: RandomBytes
) -> AnonymisedTable:
    """Returns the anonymised table with its disguised columns randomised; each call draws again.

    `attributes`: the specification of each disguised column. `random_bytes`: a secure source.
    """
    if not attributes:
        return outcome
    pairs = zip(outcome.table.disguised, attributes, strict=True)
    columns = tuple(disguise_column(column, attribute.gamma, random_bytes) for column, attribute in pairs)
    return replace(outcome, table=replace(outcome.table, disguised=columns))


def disguise_column(column: Column, gamma: Decimal, random_bytes: RandomBytes) -> Column:
    """Draws a random code for each record of one column, with amplification at most `gamma`."""
    law, size = _require_keep_law(column.name, gamma, len(column.texts)), len(column.codes)
    kept = _draw_below(PARTS, size, random_bytes) < law.keep
    drawn = _draw_below(law.values, size, random_bytes)
    return replace(column, codes=np.where(kept, column.codes, drawn).astype(np.int32))


def _require_keep_law(name: str, gamma: Decimal, values: int) -> KeepLaw:
    """Returns the randomisation law of the column `name`; refuses a column that would never keep a value."""
    law = largest_keep_law(gamma, values)
    if not law.keep:
        raise InputError(
            name, _("with so many values a gamma of %(gamma)s keeps none of them"), gamma=f"{gamma:f}"
        )
    return law


def _draw_below(end: int, size: int, random_bytes: RandomBytes) -> Integers:
    """Draws `size` independent uniform integers from 0 to `end` - 1.

    Words at or above the largest multiple of `end` are drawn again.
    """
    limit = 2**32 - 2**32 % end
    words = np.frombuffer(random_bytes(4 * size), np.uint32).astype(np.int64)
    while (again := words >= limit).any():
        words[again] = np.frombuffer(random_bytes(4 * int(again.sum())), np.uint32)
    return words % end


def read_disguised_column(file: BinaryIO, name: str, specification: Disguised) -> Column:
    """Reads one disguised column from a published CSV file.

    `name`: name of the file in error messages. `specification`: name and possible values of the column.
    """
    rows = csv_rows(file, name)
    _where, header = next(rows, ("", []))
    if escape_formula(specification.name) not in header:
        raise InputError(
            f"{name}:1", _("the column %(column)s is missing"), column=quote_value(specification.name)
        )
    column, codes = header.index(escape_formula(specification.name)), array("i")
    codes_by_cell = {escape_formula(value): code for code, value in enumerate(specification.values)}
    for where, cells in rows:
        if cells[column] not in codes_by_cell:
            raise InputError(where, _("%(cell)s is not one of its values"), cell=quote_value(cells[column]))
        codes.append(codes_by_cell[cells[column]])
    if not codes:
        raise InputError(name, _("there are no records"))
    return Column(specification.name, specification.values, np.frombuffer(codes, np.int32))


@dataclass(frozen=True, slots=True)
class CorrectedShare:
    """Estimated share of the records with one `value` before randomisation, with its interval.

    `records`: number of records of the file. `published`: share that shows the value. `low`, `high`: ends of
    the interval of `share`, None if the count contradicts every share.
    """

    value: str
    records: int
    published: float
    share: float
    low: float | None
    high: float | None


def corrected_shares(column: Column, gamma: Decimal) -> list[CorrectedShare]:
    """Estimates the share of each value of a randomised column before randomisation.

    `column.texts` are all values that the column can have.
    """
    law, size = _require_keep_law(column.name, gamma, len(column.texts)), len(column.codes)
    counts = np.bincount(column.codes, minlength=len(column.texts)).tolist()
    return [
        CorrectedShare(
            value,
            size,
            count / size,
            (count / size - law.noise) / law.keep_probability,
            *share_interval(count, size, law),
        )
        for value, count in zip(column.texts, counts, strict=True)
    ]


def share_interval(count: int, size: int, law: KeepLaw) -> tuple[float | None, float | None]:
    """Returns the 95 % score interval of the share t of a value before randomisation; `count` of `size` show it.

    Given t the count has mean n (b + p t) and variance n (t a (1 - a) + (1 - t) b (1 - b)), a = p + b, b = (1
    - p) / m: only the randomisation is random, not the people. The ends solve a quadratic equation; both are
    None if no t fits.
    """
    p, b = law.keep_probability, law.noise
    a = p + b
    z = NORMAL_95**2 / size
    variance, slope = b * (1 - b), a * (1 - a) - b * (1 - b)
    beyond = count / size - b
    # (beyond - p t)^2 = z (variance + slope t)
    middle, square = 2 * p * beyond + z * slope, beyond**2 - z * variance
    root = sqrt(max(middle**2 - 4 * p**2 * square, 0.0))
    low, high = (middle - root) / (2 * p**2), (middle + root) / (2 * p**2)
    if high < 0 or low > 1:
        return None, None
    return max(low, 0.0), min(high, 1.0)
