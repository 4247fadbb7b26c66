"""Leakage: the information of a record in bits, on average and at most; and the distortion of answers.

    I(X;Y) = sum over y of P(y) D(y),   D(y) = sum over x of P(x|y) log2( P(y|x) / P(y) )

D(y) is the Kullback-Leibler divergence of the posterior after y from the prior. The average can be small although a
rare record reveals everything, so the largest divergence is computed, too; neither replaces the guarantee.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import comb

import numpy as np

from privacy.guarantee.bits import Bits
from privacy.guarantee.decimals import up
from privacy.guarantee.records import Beliefs, records_of
from privacy.guarantee.transition import Matrix, Vector, record_distribution
from privacy.kinds.grouped.law import NOT_ASKED, SectionLaw

PLACES = 6
FLOAT_GUARD = 1e-9
"""An upper bound for the rounding error of sums of a million doubles."""

Term = tuple[Fraction, Fraction]
"""P(x) P(y|x) summed over x with one P(y|x), and that P(y|x)."""


@dataclass(frozen=True, slots=True)
class Leakage:
    """In bits, rounded up: the information of a record on average, and of each record (None: never sent)."""

    mutual_information: Decimal
    distances: tuple[Decimal | None, ...]

    @property
    def largest_distance(self) -> Decimal:
        return max(distance for distance in self.distances if distance is not None)


def leakage(prior: Vector, law: Matrix, places: int = PLACES) -> Leakage:
    """For any law: right to the last place for fractions, an upper bound for doubles."""
    if law.dtype != object:
        return _of_doubles(prior, law, places)
    columns = [tuple(zip(prior * sent, sent, strict=True)) for sent in law.T]
    return _of_columns(columns, places)


def section_leakage(law: SectionLaw, beliefs: Beliefs, places: int = PLACES) -> Leakage:
    """The leakage of one section whose questions all apply; fast, since a record has only two likelihoods."""
    drawn = Fraction(1, comb(len(law.noise), law.asked))
    columns = []
    for record in records_of(law):
        said = [(question, code) for question, code in enumerate(record) if code != NOT_ASKED]
        true = sum(
            (belief for answer, belief in beliefs.items() if all(answer[q] == code for q, code in said)),
            start=Fraction(0),
        )
        replaced = drawn * (1 - law.keep) * law.q(said)
        kept = drawn * law.keep + replaced
        columns.append(((true * kept, kept), ((1 - true) * replaced, replaced)))
    return _of_columns(columns, places)


def distortion(prior: Vector, law: Matrix, cost: Matrix) -> Fraction:
    """The expected cost of the disguise: cost[x, y] if x is true and y is sent."""
    expected: Fraction = (prior @ (law * cost)).sum()
    return expected


def section_distortion(law: SectionLaw, beliefs: Beliefs) -> Fraction:
    """The expected number of answers of a record that differ from the true ones."""
    unchanged = sum(
        (
            belief * choices[choice]
            for answer, belief in beliefs.items()
            for choices, choice in zip(law.noise, answer, strict=True)
        ),
        start=Fraction(0),
    )
    return Fraction(law.asked, len(law.noise)) * (1 - law.keep) * (len(law.noise) - unchanged)


def _of_columns(columns: Sequence[tuple[Term, ...]], places: int) -> Leakage:
    terms: list[Term] = []

    @cache
    def distance(column: tuple[Term, ...], total: Fraction) -> Decimal:
        return Bits.total((weight / total, sent / total) for weight, sent in column).up(places)

    distances: list[Decimal | None] = []
    for column in columns:
        total = sum((weight for weight, _ in column), start=Fraction(0))
        distances.append(distance(column, total) if total else None)
        terms += [(weight, sent / total) for weight, sent in column if weight]
    return Leakage(Bits.total(terms).up(places), tuple(distances))


def _of_doubles(prior: Vector, law: Matrix, places: int) -> Leakage:
    total = record_distribution(prior, law)
    ratio = np.divide(law, total, out=np.ones_like(law), where=(law > 0) & (total > 0))
    gains = prior @ (law * np.log2(ratio))
    distances = np.divide(gains, total, out=np.full_like(total, np.nan), where=total > 0)
    return Leakage(
        up(Fraction(gains.sum() + FLOAT_GUARD), places),
        tuple(None if np.isnan(bits) else up(Fraction(bits + FLOAT_GUARD), places) for bits in distances),
    )
