"""Counts by pattern, the difference of two published estimates, and who understood the disguise."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import betaincinv

from mining.counting import BitmapCounter, MinedRecords
from mining.inference.share_sum_score_test import ReceivedSide, SumOfShares
from mining.itemsets.answer_names import AnswerNames
from mining.nodes.study_nodes import Study
from mining.queries_and_counters import Counts, Item
from mining.reconstruction import CachedCounter
from mining.studies.answer_counts_by_plain_pattern import (
    CHUNK_WORDS,
    DifferingRecords,
    EstimateRecords,
    PatternCounts,
    count_differing_records,
    scores_from_counts,
)
from mining.studies.comparison_with_truth import Itemset, PopulationTruth, RehearsalTruth
from mining.studies.rehearsal_true_values import add_truth
from mining.studies.single_answer_score_moments import AnswerLaw
from mining.studies.understanding_check import analyse_understanding
from privacy.designs import Design
from privacy.records.batch_bit_columns import WORD, Columns
from tests.mining.listed import Listed, Records, any_records, pack, pack_records
from tests.mining.strategies import CHECKED, STUDY
from tests.privacy.questionnaires import (
    HALF,
    UNDERSTOOD,
    WORK,
    design,
    plain,
    question,
    refusal,
    sensitive,
    subset,
    window,
)

pytestmark = pytest.mark.proof
STOLE, SICK = (4, 1), (5, 1)
AGE, SEX, EMPLOYED, YEARS = range(4)
WITH_NUMBER = design(
    window("income", 21, 2),
    plain({"name": "sex", "choices": ["f", "m"]}),
    sensitive("0.5", question("theft", *HALF)),
)


def counts_by_hand(of: Design, records: Records, wanted: PatternCounts) -> Counts:
    place, code = wanted.item
    group, codes = np.array([group for group, _ in records]), np.array([codes for _, codes in records]).T
    chosen = codes[place] != of.questions[place].not_asked
    for at, choice in wanted.among:
        chosen &= codes[at] == choice
    pattern = np.zeros(len(records), np.intp)
    for at in wanted.questions:
        chosen &= codes[at] < of.questions[at].codes
        pattern = pattern * of.questions[at].codes + codes[at]
    hidden = codes[place] == of.questions[place].not_applicable
    counts = np.zeros_like(wanted.counts)
    column = np.where(hidden, 2, codes[place] == code)
    np.add.at(counts, (pattern[chosen], group[chosen], column[chosen]), 1)
    return counts


def test_every_record_counts_in_its_pattern() -> None:
    """From the records and, of all of them, from a counter."""
    records = any_records(STUDY, 700, np.random.default_rng(1))
    columns = [pack_records(STUDY, records)]
    counter = MinedRecords(STUDY, columns).counter()
    of_among: list[tuple[Item, ...]] = [(), ((EMPLOYED, 0),), ((EMPLOYED, 0), (SEX, 1))]
    of_questions: list[tuple[int, ...]] = [(), (AGE,), (SEX, AGE), (AGE, SEX, EMPLOYED), (YEARS, SEX)]
    for among, questions, item in product(of_among, of_questions, [STOLE, SICK, (4, 0)]):
        found = PatternCounts.count_records(STUDY, columns, item, questions, among)
        assert (found.counts == counts_by_hand(STUDY, records, found)).all(), (among, questions, item)
        assert found.counts.sum() > 50
        if not among:
            assert (PatternCounts.from_counter(counter, item, questions).counts == found.counts).all()


def test_pattern_counts_of_parts_add_up_in_chunks() -> None:
    records = any_records(STUDY, 500, np.random.default_rng(2))
    parts = [pack_records(STUDY, records[:130]), pack_records(STUDY, records[130:])]
    one, other = (PatternCounts.count_records(STUDY, [part], STOLE, (AGE, SEX)) for part in parts)
    assert ((one + other).counts == PatternCounts.count_records(STUDY, parts, STOLE, (AGE, SEX)).counts).all()
    assert ((one + other).counts == counts_by_hand(STUDY, records, one)).all()
    n = CHUNK_WORDS * WORD * 2 + 70
    record = np.array([1, 0, 0, 2, 1, 0, 3], np.uint16)
    large = pack(STUDY, np.ones(n, np.uint8), np.tile(record[:, None], n))
    found = PatternCounts.count_records(STUDY, [large, large], STOLE, (AGE,))
    assert found.counts[1, 1, 1] == found.counts.sum() == 2 * n


def test_pattern_places_follow_the_mined_design() -> None:
    records = any_records(WITH_NUMBER, 200, np.random.default_rng(3))
    found = PatternCounts.count_records(WITH_NUMBER.mined, [pack_records(WITH_NUMBER, records)], (2, 1), (1,))
    assert (found.counts == counts_by_hand(WITH_NUMBER, records, found)).all()
    of_pairs = PatternCounts.zeros(STUDY, STOLE, (AGE, SEX))
    assert of_pairs.codes.tolist() == [[0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1]]
    assert PatternCounts.zeros(STUDY, STOLE, ()).codes.shape == (0, 1)


def test_scores_are_summed_by_record_and_arms_follow_each_other() -> None:
    law = AnswerLaw(0.4, 0.3)
    shown = scores_from_counts(np.array([[5, 3, 4]]), law)
    z = np.repeat([-0.3 / 0.4, 0.7 / 0.4], [5, 3])
    assert (shown.records[0], shown.first[0], shown.second[0]) == pytest.approx((8, z.sum(), (z**2).sum()))
    records = any_records(STUDY, 300, np.random.default_rng(4))
    found = PatternCounts.count_records(STUDY, [pack_records(STUDY, records)], STOLE, (SEX,))
    arms = found.scores_by_arm(AnswerLaw(0.5, 0.25))
    assert arms.records.tolist() == found.counts[:, :, :2].sum(axis=2).T.ravel().tolist()
    # A direct record's score is its answer.
    assert arms.first[:2].tolist() == found.counts[:, 0, 1].tolist() == arms.second[:2].tolist()
    assert arms.first[2:] == pytest.approx(found.disguised_scores(AnswerLaw(0.5, 0.25)).first)


LEAST = 100


def people(count: int, work: int = 0, sex: int = 0, *, asked: bool = True, group: int = 1) -> Records:
    """`work` 0 is employed; whoever is not gets neither `years` nor `sick`."""
    hidden = work == 1
    years, sick = (4, 3) if hidden else (0, 1)
    return [(group, [0, sex, work, years, 1 if asked else 2, sick, 2 if asked else 0])] * count


def pack_study_records(*records: Records) -> Columns:
    return pack_records(STUDY, [one for some in records for one in some])


def test_report_one_record_apart_by_a_hidden_covariate_is_refused() -> None:
    """Or by a filter; the same records may be published again."""
    batches = [pack_study_records(people(300), people(1, work=1))]
    everybody, by_years = EstimateRecords(STOLE), EstimateRecords(STOLE, frozenset({YEARS}))
    employed = EstimateRecords(STOLE, among=frozenset({(EMPLOYED, 0)}))
    for of in (by_years, employed):
        fewer, more = (count_differing_records(*both, batches) for both in ((of, everybody), (everybody, of)))
        assert (fewer, more) == (DifferingRecords(0, 1), DifferingRecords(1, 0))
        assert not fewer.may_be_published(LEAST)
        assert not more.may_be_published(LEAST)
    by_age, by_sex = (EstimateRecords(STOLE, frozenset({question})) for question in (AGE, SEX))
    same = count_differing_records(by_age, by_sex, batches)
    assert same == DifferingRecords(0, 0)
    assert same.may_be_published(LEAST)


def test_report_one_batch_apart_passes_and_directions_count_apart() -> None:
    of = EstimateRecords(STOLE)
    for later, passes in ((100, True), (99, False)):
        apart = count_differing_records(
            of, of, [pack_study_records(people(300))], [pack_study_records(people(later))]
        )
        assert apart == DifferingRecords(later, 0)
        assert apart.may_be_published(LEAST) is passes
    # Men against those employed: a hundred employed women, and one man out of work.
    batches = [pack_study_records(people(200, sex=1), people(100), people(1, work=1, sex=1))]
    men = EstimateRecords(STOLE, among=frozenset({(SEX, 1)}))
    employed = EstimateRecords(STOLE, among=frozenset({(EMPLOYED, 0)}))
    apart = count_differing_records(men, employed, batches)
    assert apart == DifferingRecords(1, 100)
    assert not apart.may_be_published(LEAST)


def test_record_not_asked_is_open_or_inapplicable() -> None:
    batches = [pack_study_records(people(200), people(5, asked=False), people(7, group=0))]
    stole, sick = EstimateRecords(STOLE), EstimateRecords(SICK)
    assert count_differing_records(stole, sick, batches) == DifferingRecords(0, 5)
    everybody = EstimateRecords(STOLE, everybody=True)
    assert count_differing_records(everybody, EstimateRecords(STOLE), batches) == DifferingRecords(7, 0)
    # A share of everybody holds those to whom the item does not apply.
    batches = [pack_study_records(people(200), people(3, work=1))]
    share = EstimateRecords(SICK, item_applies=False)
    assert count_differing_records(EstimateRecords(SICK), share, batches) == DifferingRecords(0, 3)


def test_records_are_counted_as_sets() -> None:
    men = EstimateRecords(STOLE, among=frozenset({(SEX, 1)}))
    employed = EstimateRecords(STOLE, frozenset({YEARS}))
    for seed in range(3):
        bits = np.random.default_rng(seed).integers(0, 2, (400, 3)).tolist()
        records = [one for work, sex, asked in bits for one in people(1, work, sex, asked=bool(asked))]
        asked = [codes for _group, codes in records if codes[4] != 2]
        ours = {place for place, codes in enumerate(asked) if codes[SEX] == 1}
        theirs = {place for place, codes in enumerate(asked) if codes[EMPLOYED] == 0}
        batches = [pack_records(STUDY, records[:150]), pack_records(STUDY, records[150:])]
        apart = count_differing_records(men, employed, batches)
        assert (apart.more, apart.fewer) == (len(ours - theirs), len(theirs - ours)), seed


WORKS, THEFT, LIE, CHECK = range(4)
HIDDEN = CHECKED.questions[LIE].not_applicable


def records_of(of: Design, *rows: tuple[int, ...]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The groups and codes of records, from how many there are, their group and their codes."""
    records = np.repeat([row[1:] for row in rows], [row[0] for row in rows], axis=0)
    return records[:, 0], records[:, 1:].T


def counter_of_rows(*rows: tuple[int, ...]) -> CachedCounter:
    return CachedCounter(Listed(CHECKED.mined, *records_of(CHECKED, *rows)))


ROWS = (
    (60, 1, 0, 1, 1, 0),
    (40, 1, 0, 0, 0, 1),
    (90, 1, 1, 1, HIDDEN, 0),
    (55, 1, 0, 1, 0, 2),
    (25, 1, 1, 0, HIDDEN, 2),
    # Open people understood nothing: they count nowhere.
    (200, 0, 0, 1, 1, 2),
)


def test_disguised_people_are_counted_by_understanding_and_open_ones_not() -> None:
    found = analyse_understanding(counter_of_rows(*ROWS))
    counts = found.all_disguised_counts
    assert (counts.question, counts.n) == ("", 270)
    understood = [("understood=at-once", 150), ("understood=explained", 40), ("understood=not", 80)]
    assert [(one.item, one.having) for one in counts.shares] == understood
    first = counts.shares[0]
    # Clopper and Pearson by the beta distribution.
    ends = betaincinv(150, 121, 0.025), betaincinv(151, 120, 0.975)
    assert (first.share, first.low, first.high) == pytest.approx((150 / 270, *ends))
    # Those who were asked the crosswise question are counted apart.
    [of_pair] = found.counts[1:]
    assert (of_pair.question, of_pair.n) == ("lie", 155)
    assert [one.having for one in of_pair.shares] == [60, 40, 55]


def test_understanding_difference_by_hand() -> None:
    theft, lie = analyse_understanding(counter_of_rows(*ROWS)).items
    assert (theft.item, theft.crosswise, lie.item, lie.crosswise) == ("theft=yes", False, "lie=yes", True)
    # (x/n - .25) / .5 of 150 of 190 and of 55 of 80; of the pair 60 of 100 and 0 of 55, among whom it applies to.
    assert (theft.n_understood, theft.n_not, lie.n_understood, lie.n_not) == (190, 80, 100, 55)
    shares = (150 / 190 - 0.25) / 0.5, (55 / 80 - 0.25) / 0.5
    assert (theft.understood, theft.not_understood) == pytest.approx(shares)
    assert theft.difference == pytest.approx(shares[0] - shares[1])
    assert lie.difference == pytest.approx((60 / 100 - 0) / 0.5)

    def received_side(n: int, having: int) -> ReceivedSide:
        return ReceivedSide(*(np.array([[one]]) for one in (n, having, 0.5, 0.25)))

    # p and interval are those of the score test of differences, and Holm is over all.
    (low,), (high,) = SumOfShares.from_difference(received_side(80, 55), received_side(190, 150)).interval()
    assert (theft.low, theft.high) == pytest.approx((low, high))
    assert low < shares[0] - shares[1] < high
    assert theft.p is not None
    assert lie.p is not None
    assert lie.p < theft.p
    assert (lie.holm, theft.holm) == pytest.approx((2 * lie.p, max(2 * lie.p, theft.p)))


def test_incomparable_understanding_groups_are_left_out() -> None:
    few, enough = (
        analyse_understanding(counter_of_rows((200, 1, 1, 1, HIDDEN, 0), (n, 1, 1, 1, HIDDEN, 2))).items
        for n in (49, 50)
    )
    assert np.isnan([few[0].difference or np.nan, few[1].p or np.nan]).all()
    assert (few[0].n_understood, few[0].n_not, enough[0].n_not) == (None, None, 50)
    # Numbers and sets have no difference.
    sets = design(plain(WORK), subset(4, 2, "0.7"), UNDERSTOOD, understanding=True, open_answers=False)
    counter = CachedCounter(Listed(sets.mined, *records_of(sets, (60, 1, 0, 1, 0))))
    assert analyse_understanding(counter).items == ()
    without = design(plain(WORK), sensitive("0.5", question("theft", *HALF)))
    counter = CachedCounter(Listed(without.mined, *records_of(without, (60, 1, 0, 1))))
    assert "has no check of understanding" in refusal(analyse_understanding, counter)


def test_true_understanding_difference_is_that_of_true_shares() -> None:
    """Of 150 + 50 who understood 20 + 10 stole, of 80 others 40; to the pair only employed people had an answer."""
    counts: dict[Itemset, int] = {((CHECK, code),): n for code, n in enumerate((150, 50, 80))}
    having = {(THEFT, 1): (20, 10, 40), (LIE, 1): (30, 0, 10), (LIE, 0): (30, 40, 30)}
    counts |= {(item, (CHECK, code)): n for item, of in having.items() for code, n in enumerate(of)}
    population = PopulationTruth(CHECKED.mined, 280, counts)
    truth = RehearsalTruth(population, population)
    study = Study(understanding=analyse_understanding(counter_of_rows(*ROWS)))
    told = add_truth(study, AnswerNames(CHECKED.mined), truth).understanding
    assert told
    assert [one.truth for one in told.items] == pytest.approx([30 / 200 - 40 / 80, 30 / 100 - 10 / 40])
    assert add_truth(study, AnswerNames(CHECKED.mined), None) == study


ROUNDS = 200


def simulate_understanding(rng: np.random.Generator, understood: float, others: float) -> CachedCounter:
    """600 disguised people of whom a third did not understand, with these true shares, disguised by the law."""
    check = rng.choice(3, 600, p=[0.5, 1 / 6, 1 / 3])
    truth = rng.random(600) < np.where(check == 2, others, understood)
    theft = np.where(rng.random(600) < 0.5, truth, rng.random(600) < 0.5)
    work = np.ones(600, np.int64)
    codes = np.array([work, theft, np.full(600, HIDDEN), check], np.uint16)
    return CachedCounter(BitmapCounter(CHECKED.mined, [pack(CHECKED, np.ones(600, np.uint8), codes)]))


@pytest.mark.night
def test_understanding_test_keeps_its_level_covers_and_detects() -> None:
    rng = np.random.default_rng(41)
    wrong = missed = found = 0
    for _round in range(ROUNDS):
        [same, _lie] = analyse_understanding(simulate_understanding(rng, 0.3, 0.3)).items
        assert same.p is not None
        wrong += same.p <= 0.05
        [apart, _lie] = analyse_understanding(simulate_understanding(rng, 0.2, 0.6)).items
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
