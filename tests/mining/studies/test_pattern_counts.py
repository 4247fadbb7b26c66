"""Counts by pattern: records counted one at a time, parts, scores."""

from functools import cache

import numpy as np
import pytest

from mining.counting import MinedRecords
from mining.queries_and_counters import Counts
from mining.studies.answer_counts_by_plain_pattern import CHUNK_WORDS, PatternCounts, scores_from_counts
from mining.studies.single_answer_estimates import AnswerLaw
from privacy.designs import Design
from privacy.records.packed_bit_columns import WORD, columns_from_bytes, pack_batch
from tests.mining.counting.by_hand import Records, any_records, packed
from tests.mining.studies.patterned import STUDY
from tests.privacy.questionnaires import HALF, design, plain, question, sensitive, window

pytestmark = pytest.mark.proof
THEFT, SICK = (4, 1), (5, 1)
AGE, SEX, WORK, YEARS = range(4)
WITH_NUMBER = design(
    window("income", 21, 2),
    plain({"name": "sex", "choices": ["f", "m"]}),
    sensitive("0.5", question("theft", *HALF)),
)


@cache
def some_records() -> Records:
    return any_records(STUDY, 700, np.random.default_rng(1))


def by_hand(of: Design, records: Records, wanted: PatternCounts) -> Counts:
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


def test_every_record_counts_in_its_pattern(subtests: pytest.Subtests) -> None:
    cases_of_among: list[tuple[tuple[int, int], ...]] = [(), ((WORK, 0),), ((WORK, 0), (SEX, 1))]
    for among in cases_of_among:
        cases_of_questions: list[tuple[int, ...]] = [(), (AGE,), (SEX, AGE), (AGE, SEX, WORK), (YEARS, SEX)]
        for questions in cases_of_questions:
            cases_of_item: list[tuple[int, int]] = [THEFT, SICK, (4, 0)]
            for item in cases_of_item:
                with subtests.test(f"{among!r:.60} {questions}"):
                    records = some_records()
                    found = PatternCounts.count_records(
                        STUDY, [packed(STUDY, records)], item, questions, among
                    )
                    assert (found.counts == by_hand(STUDY, records, found)).all()
                    assert found.counts.sum() > 50


def test_a_counter_gives_the_same_counts(subtests: pytest.Subtests) -> None:
    cases_of_questions: list[tuple[int, ...]] = [(), (AGE,), (SEX, AGE), (AGE, SEX, WORK), (YEARS, SEX)]
    for questions in cases_of_questions:
        cases_of_item: list[tuple[int, int]] = [THEFT, SICK, (4, 0)]
        for item in cases_of_item:
            with subtests.test(f"{questions} {item}"):
                records = some_records()
                counter = MinedRecords(STUDY, [packed(STUDY, records)]).counter()
                found = PatternCounts.from_counter(counter, item, questions)
                assert (found.counts == by_hand(STUDY, records, found)).all()


def test_parts_add_up() -> None:
    records = any_records(STUDY, 500, np.random.default_rng(2))
    parts = [packed(STUDY, records[:130]), packed(STUDY, records[130:])]
    one, other = (PatternCounts.count_records(STUDY, [part], THEFT, (AGE, SEX)) for part in parts)
    assert ((one + other).counts == PatternCounts.count_records(STUDY, parts, THEFT, (AGE, SEX)).counts).all()
    assert ((one + other).counts == by_hand(STUDY, records, one)).all()


def test_places_are_those_of_the_mined_design() -> None:
    records = any_records(WITH_NUMBER, 200, np.random.default_rng(3))
    found = PatternCounts.count_records(WITH_NUMBER.mined, [packed(WITH_NUMBER, records)], (2, 1), (1,))
    assert (found.counts == by_hand(WITH_NUMBER, records, found)).all()


def test_large_parts_are_counted_in_chunks() -> None:
    n = CHUNK_WORDS * WORD * 2 + 70
    record = np.array([1, 0, 0, 2, 1, 0, 3], np.uint16)
    large = columns_from_bytes(STUDY, pack_batch(STUDY, np.ones(n, np.uint8), np.tile(record[:, None], n)))
    found = PatternCounts.count_records(STUDY, [large, large], THEFT, (AGE,))
    assert found.counts[1, 1, 1] == found.counts.sum() == 2 * n


def test_the_codes_of_a_pattern_have_the_last_question_fastest() -> None:
    found = PatternCounts.zeros(STUDY, THEFT, (AGE, SEX))
    assert found.codes.tolist() == [[0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1]]
    assert PatternCounts.zeros(STUDY, THEFT, ()).codes.shape == (0, 1)


def test_scores_are_summed_record_by_record() -> None:
    law = AnswerLaw(0.4, 0.3)
    shown = scores_from_counts(np.array([[5, 3, 4]]), law)
    z = np.repeat([-0.3 / 0.4, 0.7 / 0.4], [5, 3])
    assert (shown.records[0], shown.first[0], shown.second[0]) == pytest.approx((8, z.sum(), (z**2).sum()))


def test_both_arms_stand_one_behind_the_other() -> None:
    records = any_records(STUDY, 300, np.random.default_rng(4))
    found = PatternCounts.count_records(STUDY, [packed(STUDY, records)], THEFT, (SEX,))
    arms = found.scores_by_arm(AnswerLaw(0.5, 0.25))
    assert arms.records.tolist() == found.counts[:, :, :2].sum(axis=2).T.ravel().tolist()
    # A direct record's score is its answer.
    assert arms.first[:2].tolist() == found.counts[:, 0, 1].tolist() == arms.second[:2].tolist()
    assert arms.first[2:] == pytest.approx(found.disguised_scores(AnswerLaw(0.5, 0.25)).first)
