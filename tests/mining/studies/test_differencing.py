"""An attacker subtracts two published estimates: what they would learn of is none, or a batch."""

import numpy as np
import pytest

from mining.studies.answer_counts_by_plain_pattern import (
    EstimateRecords,
    RecordsApart,
    count_differing_records,
)
from privacy.records.packed_bit_columns import Columns
from tests.mining.counting.by_hand import Records, packed
from tests.mining.studies.patterned import STUDY

AGE, SEX, WORK, YEARS = range(4)
THEFT, SICK = (4, 1), (5, 1)
LEAST = 100


def people(count: int, work: int = 0, sex: int = 0, *, asked: bool = True, group: int = 1) -> Records:
    """`work` 0 is employed; whoever is not gets neither `years` nor `sick`."""
    hidden = work == 1
    years, sick = (4, 3) if hidden else (0, 1)
    return [(group, [0, sex, work, years, 1 if asked else 2, sick, 2 if asked else 0])] * count


def part(*records: Records) -> Columns:
    return packed(STUDY, [one for some in records for one in some])


def test_the_same_records_may_be_published_again() -> None:
    batches = [part(people(150), people(90, work=1))]
    one = EstimateRecords(THEFT, frozenset({AGE}))
    other = EstimateRecords(THEFT, frozenset({SEX}))
    assert count_differing_records(one, other, batches) == RecordsApart(0, 0)
    assert count_differing_records(one, other, batches).may_be_published(LEAST)


def test_one_record_apart_by_a_filter_is_refused() -> None:
    batches = [part(people(300), people(1, work=1))]
    everybody = EstimateRecords(THEFT)
    employed = EstimateRecords(THEFT, among=frozenset({(WORK, 0)}))
    apart = count_differing_records(employed, everybody, batches)
    assert apart == RecordsApart(0, 1)
    assert not apart.may_be_published(LEAST)
    assert not count_differing_records(everybody, employed, batches).may_be_published(LEAST)


def test_one_record_apart_by_a_hidden_covariate_is_refused() -> None:
    batches = [part(people(300), people(1, work=1))]
    by_years = EstimateRecords(THEFT, frozenset({YEARS}))
    assert count_differing_records(by_years, EstimateRecords(THEFT), batches) == RecordsApart(0, 1)


def test_one_batch_apart_passes_and_less_does_not() -> None:
    of = EstimateRecords(THEFT)
    for later, passes in ((100, True), (99, False)):
        apart = count_differing_records(of, of, [part(people(300))], [part(people(later))])
        assert apart == RecordsApart(later, 0)
        assert apart.may_be_published(LEAST) is passes


def test_both_directions_count_apart() -> None:
    """Men against those employed: a hundred employed women, and one man out of work."""
    batches = [part(people(200, sex=1), people(100), people(1, work=1, sex=1))]
    men = EstimateRecords(THEFT, among=frozenset({(SEX, 1)}))
    employed = EstimateRecords(THEFT, among=frozenset({(WORK, 0)}))
    apart = count_differing_records(men, employed, batches)
    assert apart == RecordsApart(1, 100)
    assert not apart.may_be_published(LEAST)


def test_who_was_not_asked_or_is_open_counts_nowhere() -> None:
    batches = [part(people(200), people(5, asked=False), people(7, group=0))]
    assert count_differing_records(EstimateRecords(THEFT), EstimateRecords(SICK), batches) == RecordsApart(
        0, 5
    )
    everybody = EstimateRecords(THEFT, everybody=True)
    assert count_differing_records(everybody, EstimateRecords(THEFT), batches) == RecordsApart(7, 0)


def test_a_share_of_everybody_holds_those_to_whom_the_item_does_not_apply() -> None:
    batches = [part(people(200), people(3, work=1))]
    share = EstimateRecords(SICK, item_applies=False)
    assert count_differing_records(EstimateRecords(SICK), share, batches) == RecordsApart(0, 3)


def test_records_are_counted_as_sets(subtests: pytest.Subtests) -> None:
    for seed in range(3):
        with subtests.test(f"{seed}"):
            rng = np.random.default_rng(seed)
            records = [
                one
                for _ in range(400)
                for one in people(1, int(rng.integers(2)), int(rng.integers(2)), asked=bool(rng.integers(2)))
            ]
            men, employed = (
                EstimateRecords(THEFT, among=frozenset({(SEX, 1)})),
                EstimateRecords(THEFT, frozenset({YEARS})),
            )
            asked = [codes for _group, codes in records if codes[4] != 2]
            ours = {place for place, codes in enumerate(asked) if codes[SEX] == 1}
            theirs = {place for place, codes in enumerate(asked) if codes[WORK] == 0}
            apart = count_differing_records(
                men, employed, [packed(STUDY, records[:150]), packed(STUDY, records[150:])]
            )
            assert (apart.more, apart.fewer) == (len(ours - theirs), len(theirs - ours))
