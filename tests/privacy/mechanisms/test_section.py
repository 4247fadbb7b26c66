from fractions import Fraction
from itertools import product
from math import log

import pytest
from hypothesis import given, strategies as st

from privacy.kinds.grouped.law import NOT_APPLICABLE, NOT_ASKED, SectionLaw

F = Fraction
HALF = (F(1, 2), F(1, 2))
SKEWED = (F(2, 5), F(3, 5))
THIRDS = (F(1, 5), F(1, 2), F(3, 10))


def records(law: SectionLaw, x: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every record that has a choice, *not applicable* or *not asked* in each place, possible or not."""
    return list(product(*([NOT_ASKED, NOT_APPLICABLE, *range(len(noise))] for noise in law.noise)))


def test_one_yes_no_question_keeps_or_draws() -> None:
    law = SectionLaw(F(3, 10), (SKEWED,), 1)
    # yes -> yes: .3 + .7 * .6; yes -> no: .7 * .4
    assert law.probability((1,), (1,)) == F(72, 100)
    assert law.probability((1,), (0,)) == F(28, 100)


def test_one_keep_decides_for_all_questions_and_noise_is_drawn_for_each() -> None:
    law = SectionLaw(F(3, 10), (SKEWED, HALF), 2)
    assert law.probability((1, 0), (1, 0)) == F(3, 10) + F(7, 10) * F(3, 5) * F(1, 2)
    # A record that is half true can only be noise.
    assert law.probability((1, 0), (1, 1)) == F(7, 10) * F(3, 5) * F(1, 2)


def test_the_drawn_subset_is_part_of_the_record() -> None:
    law = SectionLaw(F(3, 10), (SKEWED, HALF, THIRDS), 2)
    # One subset in three, then keep or noise on the two that were drawn.
    assert law.probability((1, 0, 2), (1, NOT_ASKED, 2)) == F(1, 3) * (
        F(3, 10) + F(7, 10) * F(3, 5) * F(3, 10)
    )
    assert law.probability((1, 0, 2), (1, 0, 2)) == 0
    assert law.probability((1, 0, 2), (1, NOT_ASKED, NOT_ASKED)) == 0


def test_a_question_that_does_not_apply_says_so_and_costs_nothing() -> None:
    law = SectionLaw(F(3, 10), (SKEWED, HALF), 2)
    x = (NOT_APPLICABLE, 1)
    assert law.probability(x, (NOT_APPLICABLE, 1)) == F(3, 10) + F(7, 10) * F(1, 2)
    assert law.probability(x, (1, 1)) == 0
    assert law.probability((0, 1), (NOT_APPLICABLE, 1)) == 0


def test_the_probabilities_of_all_records_sum_to_one(subtests: pytest.Subtests) -> None:
    cases_of_x: list[tuple[int, ...]] = [(1, 0, 2), (NOT_APPLICABLE, 1, 0), (NOT_APPLICABLE,) * 3]
    for x in cases_of_x:
        for asked in [1, 2, 3]:
            with subtests.test(f"{x} {asked}"):
                law = SectionLaw(F(3, 10), (SKEWED, HALF, THIRDS), asked)
                assert sum(law.probability(x, y) for y in records(law, x)) == 1


probabilities = st.fractions(F(1, 20), F(19, 20), max_denominator=40)


@st.composite
def laws(draw: st.DrawFn) -> SectionLaw:
    noise = []
    for _ in range(draw(st.integers(1, 3))):
        weights = draw(st.lists(st.integers(1, 9), min_size=2, max_size=3))
        noise.append(tuple(F(weight, sum(weights)) for weight in weights))
    return SectionLaw(draw(probabilities), tuple(noise), draw(st.integers(1, len(noise))))


def test_epsilon_is_exact_near_nothing_and_finite_for_hundreds_of_questions() -> None:
    assert SectionLaw(F(1, 10_000), (HALF,), 1).epsilon == pytest.approx(2.0000000066e-4 - 6.6e-13, rel=1e-6)
    # 1 + 2^2000 is no float, its logarithm is 2000 ln 2.
    assert SectionLaw(F(1, 2), (HALF,) * 2000, 2000).epsilon == pytest.approx(2000 * log(2), rel=1e-12)


@pytest.mark.proof
@given(law=laws(), open_share=st.fractions(0, 1, max_denominator=9), data=st.data())
def test_inverting_the_law_of_a_distribution_gives_the_distribution_back(
    law: SectionLaw, open_share: Fraction, data: st.DataObject
) -> None:
    truths = list(product(*(range(len(noise)) for noise in law.noise)))
    weights = data.draw(st.lists(st.integers(0, 9), min_size=len(truths), max_size=len(truths)).filter(any))
    prior = {x: F(weight, sum(weights)) for x, weight in zip(truths, weights, strict=True)}
    size = data.draw(st.integers(1, law.asked))
    questions = data.draw(st.permutations(range(len(law.noise))))[:size]
    items = [(place, data.draw(st.integers(0, len(law.noise[place]) - 1))) for place in questions]

    def contains(record: tuple[int, ...]) -> bool:
        return all(record[place] == code for place, code in items)

    share_asked_together = SectionLaw(law.keep, law.noise, len(law.noise))
    support = sum((share for x, share in prior.items() if contains(x)), start=F(0))
    disguised = sum(
        (
            share * share_asked_together.probability(x, y)
            for x, share in prior.items()
            for y in truths
            if contains(y)
        ),
        start=F(0),
    )
    observed = open_share * support + (1 - open_share) * disguised
    assert law.observed(support, open_share, items) == observed
    assert law.support(observed, open_share, items) == support
