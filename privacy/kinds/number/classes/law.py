"""Disguise law `classes` of a number: a device draws m of N limits and sends the class that holds the number, or a
random class.

N limits make K = N + 1 classes. The m limits drawn make m + 1 wider classes; the one that holds the number is sent with
probability p, else each is equally likely ((m+1)-ary response). Which limits were drawn is not sent: a record is an
interval [a, z) of classes, whatever draw it came from. A share of the records may send one disguised bit instead, for
the position inside the class (docs/mathematics.md, Numbers by classes).
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

from privacy.kinds.disguise_law_interface import Protected, RecordKind

LEAST_CLASSES, LEAST_REST = 200, 10
"""Least number of records with a class for a mean, and of records with the bit if the mean needs them."""

Interval = tuple[int, int]
"""An interval of classes: its first class, and the class after its last."""


@cache
def intervals(classes: int) -> tuple[Interval, ...]:
    """Returns all intervals [a, z) of consecutive classes, in the order of their codes; `classes`: number of
    classes."""
    return tuple((a, z) for a in range(classes) for z in range(a + 1, classes + 1))


def interval_code(classes: int, a: Any, z: Any) -> Any:
    """Returns the code of the interval [a, z) of classes; `a` and `z` may be arrays."""
    return a * (2 * classes + 1 - a) // 2 + z - a - 1


@dataclass(frozen=True, slots=True)
class ClassesLaw:
    """Disguise law of a number: a device draws m = `cuts` of N = `limits` limits and sends the true class with
    probability p = `keep`.

    `rest_keep`: keep probability of the bit for the position inside a class; None if no record sends such a bit.
    """

    limits: int
    cuts: int
    keep: Fraction
    rest_keep: Fraction | None = None

    @property
    def classes(self) -> int:
        """K = N + 1, the number of classes."""
        return self.limits + 1

    @property
    def gamma_of_class_records(self) -> Fraction:
        return 1 + self.keep * (self.cuts + 1) / (1 - self.keep)

    @property
    def gamma_of_position_bit(self) -> Fraction:
        """gamma of the records that send a position bit instead of a class; 1 if there are none."""
        return (1 + self.rest_keep) / (1 - self.rest_keep) if self.rest_keep is not None else Fraction(1)

    @property
    def gamma(self) -> Fraction:
        return max(self.gamma_of_class_records, self.gamma_of_position_bit)

    @property
    def protected_people(self) -> Protected:
        return Protected.EVERYBODY

    def record_kinds(self) -> Counter[RecordKind] | None:
        """Returns the number of possible records of each kind (guarantee/leakage.py); None if some send a position
        bit."""
        if self.rest_keep is not None:
            return None
        kinds = Counter[RecordKind]()
        for a, z in intervals(self.classes):
            if self.count_draws_with_class(a, z):
                share, other = Fraction(z - a, self.classes), z if z < self.classes else a - 1
                kinds[(share, self.probability(a, z, a)), (1 - share, self.probability(a, z, other))] += 1
        return kinds

    def count_draws_with_class(self, a: int, z: int) -> int:
        """Returns the number of the C(N, m) draws of limits in which the interval [a, z) is one class."""
        drawn = (a > 0) + (z < self.classes)
        others = self.limits - (z - a - 1) - drawn
        return comb(others, self.cuts - drawn) if self.cuts >= drawn and others >= self.cuts - drawn else 0

    def probability(self, a: int, z: int, true: int) -> Fraction:
        """Returns the probability that a record that sends a class sends [a, z); `true`: the class of the true
        number."""
        noise = (1 - self.keep) / (self.cuts + 1)
        return Fraction(self.count_draws_with_class(a, z), comb(self.limits, self.cuts)) * (
            self.keep * (a <= true < z) + noise
        )


@cache
def intervals_never_sent(limits: int, cuts: int, *, is_open: bool) -> frozenset[int]:
    """Returns the codes of intervals that no device sends.

    In the open group these are all but the single classes, else the intervals that no draw of limits makes.
    """
    law = ClassesLaw(limits, cuts, Fraction(1, 2))
    sent = (
        z - a == 1 if is_open else law.count_draws_with_class(a, z) > 0 for a, z in intervals(law.classes)
    )
    return frozenset(code for code, is_sent in enumerate(sent) if not is_sent)
