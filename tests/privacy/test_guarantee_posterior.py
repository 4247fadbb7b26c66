from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from privacy.guarantee.breaches import Matrix, exact_prior
from privacy.kinds.grouped.law import NOT_APPLICABLE, NOT_ASKED, SectionLaw
from tests.privacy.definition import (
    Beliefs,
    answers_of,
    believed,
    exact_law,
    item_posteriors,
    matrix_of,
    posterior,
    prior_of,
    record_distribution,
    records_of,
)

pytestmark = pytest.mark.proof
HALF = (Fraction(1, 2), Fraction(1, 2))


def test_the_posterior_is_bayes_rule() -> None:
    prior = exact_prior([Fraction(1, 4), Fraction(3, 4)])
    law = exact_law([[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)]])
    # 1/4 * 2/3 = 2/12 against 3/4 * 1/3 = 3/12
    assert list(posterior(prior, law, 0)) == [Fraction(2, 5), Fraction(3, 5)]
    assert list(record_distribution(prior, law)) == [Fraction(5, 12), Fraction(7, 12)]


def test_there_is_no_posterior_of_a_record_never_sent() -> None:
    prior = exact_prior([Fraction(1), Fraction(0)])
    law = exact_law([[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]])
    with pytest.raises(ValueError, match="never sent"):
        posterior(prior, law, 1)


def test_a_yes_from_warners_question_by_hand() -> None:
    law = SectionLaw(Fraction(1, 2), (HALF,), 1)
    beliefs: Beliefs = {(0,): Fraction(9, 10), (1,): Fraction(1, 10)}
    # yes: 1/10 * 3/4 = 3/40 against 9/10 * 1/4 = 9/40
    assert item_posteriors(law, beliefs, (1,)) == ((Fraction(3, 4), Fraction(1, 4)),)


def test_a_question_not_asked_learns_only_through_the_others() -> None:
    law = SectionLaw(Fraction(1, 2), (HALF, HALF), 1)
    alike: Beliefs = {(0, 0): Fraction(1, 2), (1, 1): Fraction(1, 2)}
    unlike: Beliefs = {answer: Fraction(1, 4) for answer in product((0, 1), repeat=2)}
    yes = (Fraction(1, 4), Fraction(3, 4))
    assert item_posteriors(law, alike, (1, NOT_ASKED)) == (yes, yes)
    assert item_posteriors(law, unlike, (1, NOT_ASKED)) == (yes, HALF)


def test_a_question_that_does_not_apply_has_no_posterior() -> None:
    law = SectionLaw(Fraction(1, 2), (HALF, HALF), 2)
    beliefs: Beliefs = {(0, NOT_APPLICABLE): Fraction(9, 10), (1, NOT_APPLICABLE): Fraction(1, 10)}
    assert item_posteriors(law, beliefs, (1, NOT_APPLICABLE)) == (
        (Fraction(3, 4), Fraction(1, 4)),
        (Fraction(0), Fraction(0)),
    )


@given(believed(most_work=200))
def test_item_posteriors_are_those_of_the_general_law(world: tuple[SectionLaw, Beliefs]) -> None:
    law, beliefs = world
    matrix, prior = matrix_of(law), prior_of(law, beliefs)
    for column, record in enumerate(records_of(law)):
        after = posterior(prior, matrix, column)
        rows = item_posteriors(law, beliefs, record)
        for question, row in enumerate(rows):
            for choice, found in enumerate(row):
                holding = (p for a, p in zip(answers_of(law), after, strict=True) if a[question] == choice)
                assert found == sum(holding, start=Fraction(0))


@given(believed(most_work=200))
def test_no_item_exceeds_the_worst_posterior_of_its_prior(world: tuple[SectionLaw, Beliefs]) -> None:
    law, beliefs = world
    gamma = law.gamma
    for record in records_of(law):
        for question, row in enumerate(item_posteriors(law, beliefs, record)):
            for choice, after in enumerate(row):
                before = sum((p for a, p in beliefs.items() if a[question] == choice), start=Fraction(0))
                assert after * (1 - before) <= gamma * before * (1 - after)
                assert before * (1 - after) <= gamma * after * (1 - before)


V = 1001


def randomised(keep: float) -> Matrix:
    law = np.full((V, V), (1 - keep) / (V - 1))
    np.fill_diagonal(law, keep)
    return law


def shifted(reach: int) -> Matrix:
    distance = (np.arange(V)[None, :] - np.arange(V)[:, None]) % V
    return np.where(np.minimum(distance, V - distance) <= reach, 1 / (2 * reach + 1), 0.0)


@pytest.mark.parametrize(
    ("law", "nought", "outside"),
    [(randomised(0.2), 71.6, 83.0), (shifted(100), 4.8, 100), (shifted(100) / 2 + 0.5 / V, 2.9, 70.8)],
    ids=["R1", "R2", "R3"],
)
def test_the_table_of_the_privacy_breach_paper(law: Matrix, nought: float, outside: float) -> None:
    prior = np.array([0.01] + [0.00099] * 1000)
    after = posterior(prior, law, 0)
    assert round(100 * after[0], 1) == nought
    assert round(100 * (after[:200].sum() + after[801:].sum()), 1) == outside
