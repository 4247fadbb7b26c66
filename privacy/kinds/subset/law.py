"""The law of subset selection: of K choices of one question, a random set of d is sent.

With probability p = keep the set holds the true choice, otherwise it does not; all such sets are equally
likely. With q = (p (d-1) + (1-p) d) / (K-1), the chance that a set holds a choice that is not true,

    gamma = p (K-d) / ((1-p) d)            score of choice b: z_b = ([b in set] - q) / (p - q)

The mean of z_b is 1 where b is true, else 0, and the scores of all choices sum to 1 (docs/mathematics.md,
Many choices; Ye and Barg 2018; Wang et al. 2016).
"""

from dataclasses import dataclass
from fractions import Fraction
from math import comb

from privacy.grammar.json_node import PARTS
from privacy.kinds.disguise_law_interface import Protected, RecordKind

MOST_CODES = 65_534
"""Most codes of a record: one for each set and, for open answers, each choice; two bytes hold them all."""


@dataclass(frozen=True, slots=True)
class SubsetLaw:
    """The law of subset selection: of K = `choices` choices a random set of d = `size` is sent.

    `keep`: the probability that the set holds the true choice, above the d/K of a set drawn without regard to it.
    """

    choices: int
    size: int
    keep: Fraction

    @property
    def gamma(self) -> Fraction:
        return self.keep * (self.choices - self.size) / ((1 - self.keep) * self.size)

    @property
    def protected_people(self) -> Protected:
        return Protected.EVERYBODY

    @property
    def false_inclusion_probability(self) -> Fraction:
        """The probability q that the set holds a given choice that is not the true one."""
        return (self.keep * (self.size - 1) + (1 - self.keep) * self.size) / (self.choices - 1)

    @property
    def score_inside(self) -> Fraction:
        """The score z_b of choice b for a set that holds b."""
        return (1 - self.false_inclusion_probability) / (self.keep - self.false_inclusion_probability)

    @property
    def score_outside(self) -> Fraction:
        return -self.false_inclusion_probability / (self.keep - self.false_inclusion_probability)

    def moment(self, order: int, is_true: bool) -> Fraction:
        """Returns the mean of z_b to the power `order` among people with choice b, or with another choice."""
        inside = self.keep if is_true else self.false_inclusion_probability
        return inside * self.score_inside**order + (1 - inside) * self.score_outside**order

    def variance_per_respondent(self, share: Fraction) -> Fraction:
        """Returns n se^2 of the estimated share of a choice among n disguised records."""
        return share * self.moment(2, True) + (1 - share) * self.moment(2, False) - share**2

    def record_kinds(self) -> dict[RecordKind, int]:
        """Returns the number of records of each kind (guarantee/leakage.py): one kind, since every set reveals equally
        much."""
        share = Fraction(self.size, self.choices)
        inside, outside = (self.probability(0, members) for members in (frozenset({0}), frozenset[int]()))
        return {((share, inside), (1 - share, outside)): comb(self.choices, self.size)}

    def probability(self, true: int, members: frozenset[int]) -> Fraction:
        """Returns P(set | true choice) for the set with these members."""
        if true in members:
            return self.keep / comb(self.choices - 1, self.size - 1)
        return (1 - self.keep) / comb(self.choices - 1, self.size)


def best_set_size_above_one(choices: int, gamma: Fraction) -> int | None:
    """Returns the set size d with the least error for this gamma, limited by the number of codes.

    None if sending a single choice is better, or if even sets of two are too many.
    """
    size = int(choices / (gamma + 1) + Fraction(1, 2))
    if not 2 <= size <= choices / 2:
        return None
    size = nearest_allowed_size(size, choices)
    return size if comb(choices, size) + choices <= MOST_CODES else None


def nearest_allowed_size(size: int, choices: int) -> int:
    """Returns the allowed set size nearest to `size`: 2 .. K/2, and so small that every set has a code."""
    size = max(2, min(size, choices // 2))
    while size > 2 and comb(choices, size) + choices > MOST_CODES:
        size -= 1
    return size


def largest_keep(choices: int, size: int, gamma: Fraction) -> int:
    """Returns the largest keep probability of subset selection within this gamma, in ten-thousandths."""
    return int(PARTS * gamma * size / (gamma * size + choices - size))
