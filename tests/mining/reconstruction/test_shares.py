"""Shares by group, against averages over the records of each class and a textbook's test."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency  # type: ignore[attr-defined]

from mining.reconstruction.shares import plain_questions, sensitive_answers, shares_by_group
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from tests.mining.listed import OPEN, Listed
from tests.mining.scores import asked, z
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    THIRDS,
    WORK,
    design,
    plain,
    question,
    sensitive,
)

AGE = {"name": "age", "choices": ["young", "middle", "old"]}
SURVEY = design(
    plain(WORK, AGE),
    sensitive("0.5", question("theft", *HALF, **IF_EMPLOYED), question("drugs", *HALF), asked=1),
    sensitive("0.6", question("drink", *THIRDS)),
)


@pytest.fixture(scope="module")
def listed() -> Listed:
    rng = np.random.default_rng(4)
    shares = ((0.6, 0.4), (0.3, 0.5, 0.2), (0.8, 0.2), (0.7, 0.3), (0.2, 0.3, 0.5))
    others = ((0.6, 0.4), (0.3, 0.5, 0.2), (0.9, 0.1), (0.9, 0.1), (0.6, 0.2, 0.2))
    people = Population(Independent(shares), Independent(others), 0.3).draw(SURVEY, 1_500, rng)
    return Listed(SURVEY, people.group, disguise(SURVEY, people.group, people.truth, rng))


def test_the_questions_and_the_answers() -> None:
    listed = Listed(SURVEY, np.zeros(1, np.int64), np.zeros((5, 1)))
    assert plain_questions(listed) == [0, 1]
    assert sensitive_answers(listed) == [(2, 1), (3, 1), (4, 0), (4, 1), (4, 2)]


def test_a_share_is_the_mean_score_of_the_class(listed: Listed) -> None:
    found = shares_by_group(listed, 1)
    for row, answer in enumerate(found.answers):
        for age in range(3):
            of = [at for at in asked(listed, [(1, 0), answer]) if listed.codes[1, at] == age]
            scores = np.array([z(listed, at, [answer]) for at in of])
            assert found.base[row, age] == len(of)
            assert found.share[row, age] == pytest.approx(scores.mean(), abs=1e-12)
            assert found.low[row, age] < found.share[row, age] < found.high[row, age]
        weights = found.base[row] / found.base[row].sum()
        assert found.everybody[row] == pytest.approx(weights @ found.share[row])


def test_a_class_to_whom_the_question_never_applies_has_no_share(listed: Listed) -> None:
    found = shares_by_group(listed, 0)
    theft, drugs = found.share[0], found.share[1]
    assert np.isfinite(theft[0])
    assert np.isnan(theft[1])
    assert np.isfinite(drugs).all()
    # Nothing to compare with either.
    assert np.isnan(found.p[0])


def test_of_open_answers_the_test_is_pearsons() -> None:
    one = design(plain(AGE), sensitive("0.5", question("theft", *HALF)))
    table = np.array([[60, 20], [90, 50], [80, 20]])
    patterns = [(age, theft) for age in range(3) for theft in (0, 1)]
    listed = Listed(one, np.full(6, OPEN), np.array(patterns).T, table.ravel())
    expected = chi2_contingency(table, correction=False).pvalue
    assert shares_by_group(listed, 0).p[0] == pytest.approx(expected, rel=1e-6)


def test_a_class_of_a_few_has_no_share() -> None:
    one = design(plain(AGE), sensitive("0.5", question("theft", *HALF)))
    patterns = [(age, theft) for age in range(3) for theft in (0, 1)]
    listed = Listed(one, np.ones(6, np.int64), np.array(patterns).T, np.array([200, 50, 30, 19, 30, 20]))
    assert np.isnan(shares_by_group(listed, 0).share[0]).tolist() == [False, True, False]


def test_the_p_values_are_holms() -> None:
    rng = np.random.default_rng(1)
    two = design(plain(WORK), sensitive("0.5", question("a", *HALF), question("b", *HALF)))
    codes = rng.integers(0, 2, (3, 600))
    codes[1] = codes[0] ^ (rng.random(600) < 0.35)
    both = shares_by_group(Listed(two, np.zeros(600, np.int64), codes), 0)
    alone = [
        chi2_contingency(np.histogram2d(codes[0], codes[row], 2)[0], correction=False).pvalue
        for row in (1, 2)
    ]
    assert alone[0] < alone[1]
    assert both.p == pytest.approx([2 * alone[0], max(2 * alone[0], alone[1])], rel=1e-6)
