"""One section as a matrix: its answers, its records, and the posterior of each item after a record.

The number of records is the product of the choices times the number of subsets that can be drawn: for
small sections only.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product

from privacy.guarantee.breaches import Matrix, Vector, exact_prior
from privacy.kinds.grouped.law import NOT_ASKED, SectionLaw
from tests.privacy.matrix_law import exact_law

Answer = tuple[int, ...]
Record = tuple[int, ...]
Beliefs = Mapping[Answer, Fraction]
"""The prior probability of each answer; a missing one has 0."""


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


def prior_of(law: SectionLaw, beliefs: Beliefs) -> Vector:
    """The beliefs in the order of the matrix's rows."""
    return exact_prior([beliefs.get(answer, Fraction(0)) for answer in answers_of(law)])


def item_posteriors(law: SectionLaw, beliefs: Beliefs, record: Record) -> tuple[tuple[Fraction, ...], ...]:
    """P(question has choice | record): one row for each question, one number for each of its choices.

    A question that is hidden in every answer of the beliefs (NOT_APPLICABLE) gets a row of zeros.
    """
    rows = [[Fraction(0)] * len(choices) for choices in law.noise]
    total = Fraction(0)
    for answer, belief in beliefs.items():
        weight = belief * law.probability(answer, record)
        total += weight
        for row, choice in zip(rows, answer, strict=True):
            if choice >= 0:
                row[choice] += weight
    if not total:
        raise ValueError("this record is never sent under these beliefs")
    return tuple(tuple(weight / total for weight in row) for row in rows)
