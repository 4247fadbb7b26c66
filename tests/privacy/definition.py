"""A section's law drawn up from what a device does, coin by coin; knows no formula of the product.

Weights are integers: `keep` = (a, b) stands for a/b, and a question's noise law is a row of integers over
their sum."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np
from hypothesis import strategies as st

from privacy.guarantee.breaches import Matrix, check_distribution
from privacy.kinds.grouped.law import NOT_ASKED, SectionLaw

# What follows from any law as a matrix, by definition.


def amplification(law: Matrix) -> Fraction | None:
    """gamma = max P(y|x) / P(y|x'), exact for the entries given; None where a record rules an answer out."""
    possible = law[:, (law > 0).any(axis=0)]
    if (possible == 0).any():
        return None
    pairs = zip(possible.max(axis=0), possible.min(axis=0), strict=True)
    return max(Fraction(most) / Fraction(least) for most, least in pairs)


def exact_law(rows: Sequence[Sequence[Fraction]]) -> Matrix:
    """A checked matrix of fractions."""
    law = np.array([list(row) for row in rows], dtype=object)
    check_law(law)
    return law


def check_law(law: Matrix) -> None:
    if law.ndim != 2 or 0 in law.shape:
        raise ValueError("a law is a matrix with at least one answer and one record")
    for row in law:
        check_distribution(row)


# One section as a matrix: its answers and its records.
#
# The number of records is the product of the choices times the number of subsets that can be drawn: for
# small sections only.

Answer = tuple[int, ...]
Record = tuple[int, ...]


def answers_of(law: SectionLaw) -> Iterator[Answer]:
    """Every combination of answers, in the order of the matrix's rows."""
    return product(*(range(len(choices)) for choices in law.noise))


def records_of(law: SectionLaw) -> Iterator[Record]:
    """Every record that can be sent, in the order of the matrix's columns."""
    for drawn in combinations(range(len(law.noise)), law.asked):
        for given in product(*(range(len(law.noise[question])) for question in drawn)):
            said = dict(zip(drawn, given, strict=True))
            yield tuple(said.get(question, NOT_ASKED) for question in range(len(law.noise)))


def matrix_of(law: SectionLaw) -> Matrix:
    """P(y|x), the drawn subset being part of y."""
    records = list(records_of(law))
    return exact_law([[law.probability(answer, record) for record in records] for answer in answers_of(law)])


Noise = tuple[tuple[int, ...], ...]
Weights = dict[tuple[int, ...], int]


def redraws(noise: Noise) -> Weights:
    """What comes out where every question gets a draw of its own."""
    weights: Weights = {(): 1}
    for row in noise:
        weights = {
            (*said, code): weight * chance
            for said, weight in weights.items()
            for code, chance in enumerate(row)
        }
    return weights


def records(keep: tuple[int, int], noise: Noise, truth: tuple[int, ...]) -> Weights:
    """The records of somebody with this truth, every question asked."""
    return kept_or_redrawn(keep, noise, redraws(noise), truth)


def kept_or_redrawn(keep: tuple[int, int], noise: Noise, redrawn: Weights, truth: tuple[int, ...]) -> Weights:
    kept, total = keep
    weights = {said: (total - kept) * weight for said, weight in redrawn.items()}
    weights[truth] += kept * prod(map(sum, noise))
    return weights


def tables(keep: tuple[int, int], noise: Noise, asked: int) -> Iterator[list[Weights]]:
    """For each subset that a device may draw, the records for each truth about the questions in it.

    Whoever sees a record sees the subset, and what was not drawn went into it in no way.
    """
    for drawn in combinations(noise, asked):
        redrawn = redraws(drawn)
        truths = product(*(range(len(row)) for row in drawn))
        yield [kept_or_redrawn(keep, drawn, redrawn, truth) for truth in truths]


def brute_gamma(keep: tuple[int, int], noise: Noise, asked: int) -> Fraction:
    """The largest P(y|x) / P(y|x') there is."""
    return max(
        Fraction(max(truthful_records), min(truthful_records))
        for table in tables(keep, noise, asked)
        # All tables name the records in one order.
        for truthful_records in zip(*(weights.values() for weights in table), strict=True)
    )


def law_of(keep: tuple[int, int], noise: Noise, asked: int) -> SectionLaw:
    rows = tuple(tuple(Fraction(part, sum(row)) for part in row) for row in noise)
    return SectionLaw(Fraction(*keep), rows, asked)


def work(noise: Noise, asked: int) -> int:
    """How many pairs of truth and record brute force looks at."""
    return sum(prod(map(len, drawn)) ** 2 for drawn in combinations(noise, asked))


@st.composite
def sections(
    draw: st.DrawFn, questions: int = 8, most_work: int = 70_000
) -> tuple[tuple[int, int], Noise, int]:
    """Keep, noise and asked of a section with mixed choices, small enough for brute force."""
    total = draw(st.integers(2, 10_000))
    kept = draw(st.integers(1, total - 1))
    row = st.lists(st.integers(1, 30), min_size=2, max_size=4).map(tuple)
    noise = tuple(draw(st.lists(row, min_size=1, max_size=questions)))
    asked = draw(st.integers(1, len(noise)))
    while work(noise, asked) > most_work:
        asked = asked - 1 if asked > 1 else 1
        noise = noise if asked > 1 else noise[:1]
    return (kept, total), noise, asked
