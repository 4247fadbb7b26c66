import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

from accounts.models import Person
from intake.batches import batches, merging
from intake.batches.merging import FEWEST, SealedBatch
from intake.models import Batch
from privacy.records import columns
from surveys.models import Survey
from tests.intake import asked
from tests.runs import numbered

pytestmark = pytest.mark.page
ASKS = asked.design(least=20)


def row(*sizes: int) -> list[SealedBatch]:
    return [SealedBatch(number, number, n) for number, n in enumerate(sizes, 1)]


def spans(found: list[list[SealedBatch]]) -> list[tuple[int, int]]:
    return [(group[0].first, group[-1].last) for group in found]


def test_seven_batches_stay_and_eight_become_one() -> None:
    assert merging.groups(row(*[100] * 7), []) == []
    assert spans(merging.groups(row(*[100] * 8), [])) == [(1, 8)]


def test_a_large_batch_waits_until_the_small_ones_together_are_as_large() -> None:
    assert merging.groups(row(800, *[100] * 7), []) == []
    assert spans(merging.groups(row(800, *[100] * 8), [])) == [(1, 9)]
    assert spans(merging.groups(row(900, *[100] * 8), [])) == [(2, 9)]


def test_no_group_reaches_across_a_stored_run() -> None:
    assert spans(merging.groups(row(*[100] * 20), [9])) == [(1, 9), (10, 20)]
    assert merging.groups(row(*[100] * 14), [7]) == []


@given(st.lists(st.integers(20, 5000), max_size=60), st.sets(st.integers(1, 60)))
def test_groups_are_neighbours_that_double_and_keep_within_the_stops(
    sizes: list[int], stops: set[int]
) -> None:
    found = merging.groups(row(*sizes), stops)
    for group in found:
        assert len(group) >= FEWEST
        assert [batch.first for batch in group[1:]] == [batch.last + 1 for batch in group[:-1]]
        assert 2 * max(batch.n for batch in group) <= sum(batch.n for batch in group)
        assert not {batch.last for batch in group[:-1]} & stops
    for earlier, later in itertools.pairwise(found):
        assert earlier[-1].last < later[0].first


def test_a_thousand_sealings_leave_few_batches_and_rewrite_each_record_rarely() -> None:
    held: list[SealedBatch] = []
    written = 0
    for number in range(1, 1001):
        held.append(SealedBatch(number, number, 100))
        for group in merging.groups(held, []):
            n = sum(batch.n for batch in group)
            written += n
            place = held.index(group[0])
            held[place : place + len(group)] = [SealedBatch(group[0].first, group[-1].last, n)]
    assert len(held) < 20
    # Each merge doubles at least: no record more than log2(1000) = 9.97 times.
    assert written <= 10 * 100_000


# --- in the database --------------------------------------------------------------------------------------


def sealed(survey: Survey, sizes: list[int]) -> None:
    """Batches of numbered records, in rising order."""
    number = 0
    for place, n in enumerate(sizes, 1):
        digits = [[int(d) for d in f"{number + i:06o}"] for i in range(n)]
        packed = columns.pack(ASKS, np.ones(n, np.uint8), np.array(digits, np.uint8).T)
        Batch.objects.create(survey=survey, first=place, last=place, n=n, columns=packed)
        number += n


def numbers(batch: batches.DecodedBatch) -> list[int]:
    _group, codes = columns.unpack(batch.columns)
    return [int("".join(map(str, column)), 8) for column in codes.T.tolist()]


@pytest.fixture
def unpinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was computed from the batches, and nothing waits to be."""
    monkeypatch.setattr(batches, "_pins", [])


@pytest.mark.django_db
def test_merging_keeps_every_record_and_no_order(unpinned: None) -> None:
    survey = asked.survey(ASKS)
    sealed(survey, [20] * 9)
    assert merging.merge(survey.pk) == 8
    (batch,) = batches.read(survey, 9)
    assert (batch.first, batch.last, batch.columns.n) == (1, 9, 180)
    assert sorted(numbers(batch)) == list(range(180))
    assert numbers(batch) != sorted(numbers(batch))


@pytest.mark.django_db
def test_a_run_over_the_first_five_finds_them_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "_pins", [lambda _survey: {10}])
    survey = asked.survey(ASKS)
    sealed(survey, [20] * 19)
    merging.merge(survey.pk)
    assert [(batch.first, batch.last) for batch in batches.read(survey, 10)] == [(1, 10)]
    assert [(batch.first, batch.last) for batch in batches.read(survey, 19)] == [(1, 10), (11, 19)]
    assert sorted(numbers(next(batches.read(survey, 10)))) == list(range(200))


@pytest.mark.django_db
def test_several_rooms_may_store_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "_pins", [])
    batches.register_pins(lambda _survey: [3])
    batches.register_pins(lambda _survey: [3, 8])
    assert batches.pinned(1) == {3, 8}


@pytest.mark.django_db
def test_the_batches_of_another_survey_are_not_merged_in(unpinned: None) -> None:
    survey, other = asked.survey(ASKS), asked.survey(ASKS)
    sealed(survey, [20] * 8)
    sealed(other, [20] * 8)
    merging.merge(survey.pk)
    assert Batch.objects.filter(survey=other).count() == 8


def test_merging_keeps_the_numbers_of_every_record(owner: Person, unpinned: None) -> None:
    survey = numbered.survey(owner, numbered.small(), [25] * FEWEST)
    group, codes = numbered.records(survey)
    before = sorted(zip(group.tolist(), *codes.tolist(), strict=True))
    assert merging.merge(survey.pk) == FEWEST - 1
    assert Batch.objects.get(survey=survey).n == 25 * FEWEST
    group, codes = numbered.records(survey)
    after = list(zip(group.tolist(), *codes.tolist(), strict=True))
    assert sorted(after) == before
    assert after != before
