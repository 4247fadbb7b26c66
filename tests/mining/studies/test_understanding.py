"""Who understood the disguise, and whether answers differ by it: counts by hand, shares by brute force, simulation."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import betaincinv

from mining.comparison_with_truth import Itemset, PopulationTruth, RehearsalTruth
from mining.counting import BitmapCounter
from mining.inference.sums_of_shares import Side, SumOfShares
from mining.reconstruction import CachedCounter
from mining.report.answer_names import Names
from mining.report.study_nodes import Study
from mining.studies.rehearsal_true_values import add_truth
from mining.studies.understanding_check import analyse_understanding
from privacy.designs import Design, InputError
from privacy.records.packed_bit_columns import columns_from_bytes, pack_batch
from tests.mining.listed import Listed
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    UNDERSTOOD,
    WORK,
    crosswise,
    design,
    plain,
    question,
    sensitive,
    subset,
)

SURVEY = design(
    plain(WORK),
    sensitive("0.5", question("theft", *HALF)),
    crosswise("lie", "0.25", secret={"en": "?"}, **IF_EMPLOYED),
    UNDERSTOOD,
    open_answers=True,
    understanding=True,
)
WORKS, THEFT, LIE, CHECK = range(4)
HIDDEN = SURVEY.questions[LIE].not_applicable


def people(of: Design, *rows: tuple[int, ...]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The groups and codes of records, from how many there are, their group and their codes."""
    records = np.repeat([row[1:] for row in rows], [row[0] for row in rows], axis=0)
    return records[:, 0], records[:, 1:].T


def counted(*rows: tuple[int, ...]) -> CachedCounter:
    return CachedCounter(Listed(SURVEY.mined, *people(SURVEY, *rows)))


ROWS = (
    (60, 1, 0, 1, 1, 0),
    (40, 1, 0, 0, 0, 1),
    (90, 1, 1, 1, HIDDEN, 0),
    (55, 1, 0, 1, 0, 2),
    (25, 1, 1, 0, HIDDEN, 2),
    # Open people understood nothing: they count nowhere.
    (200, 0, 0, 1, 1, 2),
)


def test_the_disguised_are_counted_by_what_they_understood_and_the_open_are_not() -> None:
    counts = analyse_understanding(counted(*ROWS)).all_disguised_counts
    assert (counts.question, counts.n) == ("", 270)
    assert [(one.item, one.having) for one in counts.shares] == [
        ("understood=at-once", 150),
        ("understood=explained", 40),
        ("understood=not", 80),
    ]
    first = counts.shares[0]
    assert first.share == pytest.approx(150 / 270)
    # Clopper and Pearson by the beta distribution.
    assert first.low == pytest.approx(betaincinv(150, 121, 0.025))
    assert first.high == pytest.approx(betaincinv(151, 120, 0.975))


def test_those_who_were_asked_the_crosswise_question_are_counted_apart() -> None:
    [of_pair] = analyse_understanding(counted(*ROWS)).crosswise_counts
    assert (of_pair.question, of_pair.n) == ("lie", 155)
    assert [one.having for one in of_pair.shares] == [60, 40, 55]


def test_the_share_of_those_who_understood_less_that_of_the_others() -> None:
    theft, lie = analyse_understanding(counted(*ROWS)).items
    assert (theft.item, theft.crosswise, lie.item, lie.crosswise) == ("theft=yes", False, "lie=yes", True)
    # (x/n - .25) / .5 of 150 of 190 and of 55 of 80; of the pair 60 of 100 and 0 of 55, among whom it applies to.
    assert (theft.n_understood, theft.n_not, lie.n_understood, lie.n_not) == (190, 80, 100, 55)
    assert theft.understood == pytest.approx((150 / 190 - 0.25) / 0.5)
    assert theft.not_understood == pytest.approx((55 / 80 - 0.25) / 0.5)
    assert theft.difference == pytest.approx((150 / 190 - 55 / 80) / 0.5)
    assert lie.difference == pytest.approx((60 / 100 - 0) / 0.5)
    ends = theft.low, theft.difference, theft.high
    assert list(ends) == sorted(ends, key=lambda end: end or 0.0)


def test_p_and_interval_are_those_of_the_score_test_of_differences_and_holm_is_over_all() -> None:
    theft, lie = analyse_understanding(counted(*ROWS)).items

    def side(n: int, having: int) -> Side:
        return Side(*(np.array([[one]]) for one in (n, having, 0.5, 0.25)))

    test = SumOfShares.from_difference(side(80, 55), side(190, 150))
    low, high = test.interval()
    assert (theft.low, theft.high) == pytest.approx((low[0], high[0]))
    assert theft.p is not None
    assert lie.p is not None
    assert lie.p < theft.p
    assert (lie.holm, theft.holm) == pytest.approx((2 * lie.p, max(2 * lie.p, theft.p)))


def test_too_few_on_one_side_are_not_compared() -> None:
    few = ((200, 1, 1, 1, HIDDEN, 0), (49, 1, 1, 1, HIDDEN, 2))
    theft, lie = analyse_understanding(counted(*few)).items
    assert np.isnan(theft.difference or np.nan)
    assert (theft.n_understood, theft.n_not) == (None, None)
    assert np.isnan(lie.p or np.nan)
    enough = ((200, 1, 1, 1, HIDDEN, 0), (50, 1, 1, 1, HIDDEN, 2))
    assert analyse_understanding(counted(*enough)).items[0].n_not == 50


def test_a_design_without_the_check_is_refused() -> None:
    without = design(plain(WORK), sensitive("0.5", question("theft", *HALF)))
    counter = CachedCounter(Listed(without.mined, *people(without, (60, 1, 0, 1))))
    with pytest.raises(InputError, match="has no check of understanding"):
        analyse_understanding(counter)


def test_numbers_and_sets_have_no_difference() -> None:
    sets = design(plain(WORK), subset(4, 2, "0.7"), UNDERSTOOD, understanding=True, open_answers=False)
    counter = CachedCounter(Listed(sets.mined, *people(sets, (60, 1, 0, 1, 0))))
    assert analyse_understanding(counter).items == ()


def test_the_truth_of_a_rehearsal_is_the_difference_of_the_true_shares() -> None:
    """Of 150 + 50 who understood 20 + 10 stole, of 80 others 40; to the pair only employed people had an answer."""
    stole = {0: 20, 1: 10, 2: 40}
    people = dict(enumerate((150, 50, 80)))
    counts: dict[Itemset, int] = {((CHECK, code),): n for code, n in people.items()}
    counts |= {((THEFT, 1), (CHECK, code)): n for code, n in stole.items()}
    counts |= {((LIE, 1), (CHECK, code)): n for code, n in enumerate((30, 0, 10))}
    counts |= {((LIE, 0), (CHECK, code)): n for code, n in enumerate((30, 40, 30))}
    population = PopulationTruth(SURVEY.mined, 280, counts)
    truth = RehearsalTruth(population, population)
    study = Study(understanding=analyse_understanding(counted(*ROWS)))
    told = add_truth(study, Names(SURVEY.mined), truth).understanding
    assert told
    assert [one.truth for one in told.items] == pytest.approx([30 / 200 - 40 / 80, 30 / 100 - 10 / 40])
    assert add_truth(study, Names(SURVEY.mined), None) == study


ROUNDS = 200


def simulated(rng: np.random.Generator, understood: float, others: float) -> CachedCounter:
    """600 disguised people of whom a third did not understand, with these true shares, disguised by the law."""
    check = rng.choice(3, 600, p=[0.5, 1 / 6, 1 / 3])
    truth = rng.random(600) < np.where(check == 2, others, understood)
    theft = np.where(rng.random(600) < 0.5, truth, rng.random(600) < 0.5)
    work = np.ones(600, np.int64)
    codes = np.array([work, theft, np.full(600, HIDDEN), check], np.uint16)
    columns = columns_from_bytes(SURVEY, pack_batch(SURVEY, np.ones(600, np.uint8), codes))
    return CachedCounter(BitmapCounter(SURVEY.mined, [columns]))


@pytest.mark.night
@pytest.mark.proof
def test_the_test_has_its_size_the_interval_covers_and_a_difference_is_found() -> None:
    rng = np.random.default_rng(41)
    wrong = missed = found = 0
    for _round in range(ROUNDS):
        [same, _lie] = analyse_understanding(simulated(rng, 0.3, 0.3)).items
        assert same.p is not None
        wrong += same.p <= 0.05
        [apart, _lie] = analyse_understanding(simulated(rng, 0.2, 0.6)).items
        assert apart.p is not None
        assert apart.low is not None
        assert apart.high is not None
        missed += not apart.low <= -0.4 <= apart.high
        found += apart.p <= 0.05
    # Of 200 rounds 5 % are 10, with a standard deviation of 3.1.
    assert wrong <= 20
    assert missed <= 20
    # 1.96 of about 4.7 standard errors: nearly always.
    assert found >= 0.95 * ROUNDS
