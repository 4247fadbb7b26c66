"""A section's law drawn up from what a device does, coin by coin; knows no formula of the product.

Weights are integers: `keep` = (a, b) stands for a/b, and a question's noise law is a row of integers over
their sum.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import prod

from hypothesis import strategies as st

from privacy.kinds.grouped.law import SectionLaw
from tests.privacy.section_matrix import Beliefs, answers_of

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
        Fraction(max(by_truth), min(by_truth))
        for table in tables(keep, noise, asked)
        # All tables name the records in one order.
        for by_truth in zip(*(weights.values() for weights in table), strict=True)
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


@st.composite
def believed(draw: st.DrawFn, most_work: int = 150) -> tuple[SectionLaw, Beliefs]:
    """A section of at most three questions, and how likely somebody thinks each of its true answers."""
    section: tuple[tuple[int, int], Noise, int] = draw(sections(questions=3, most_work=most_work))
    law = law_of(*section)
    answers = list(answers_of(law))
    weights = draw(st.lists(st.integers(0, 9), min_size=len(answers), max_size=len(answers)).filter(any))
    return law, {a: Fraction(w, sum(weights)) for a, w in zip(answers, weights, strict=True)}
