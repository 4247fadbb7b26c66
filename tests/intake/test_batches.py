"""Sealed batches as other rooms read them, and how they are merged."""

import itertools
import time

import numpy as np
import pytest
from hypothesis import given, strategies as st

from accounts.models import Person
from intake.batches import batch_reader, merging
from intake.batches.merging import FEWEST, SealedBatch
from intake.models import Batch
from privacy.records import packed_bit_columns
from privacy.records.packed_bit_columns import DamagedBatch, record_slice
from surveys.models import Survey
from tests.intake import asked
from tests.intake.conftest import Shared
from tests.runs import sealed

pytestmark = pytest.mark.page
SIZES = [20, 30, 40, 50, 200]
SEAL = f"""
from accounts.models import Person
from tests.runs import sealed
owner, _made = Person.objects.get_or_create(username="owner")
print(sealed.survey(owner, sealed.small(), {SIZES}).pk)
"""
SEAL_NUMBERS = f"""
from accounts.models import Person
from tests.runs import sealed
owner, _made = Person.objects.get_or_create(username="owner")
print(sealed.numbers_survey(owner, sealed.small_numbers(), {SIZES}).pk)
"""
READ = """
from surveys.models import Survey
from tests.intake import test_batches
print(test_batches.read(Survey.objects.get(pk={survey})))
"""
LOSE = """
import psycopg
from django.db import OperationalError, connection
from intake.batches import batch_reader
from surveys.models import Survey
survey = Survey.objects.get(pk={survey})
with psycopg.connect({url!r}) as another:
    another.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])
try:
    batch_reader.read_all_batches(survey, 4)
except OperationalError:
    print("lost")
"""


def read(survey: Survey) -> list[list[tuple[int, int]]]:
    """First numbers and sizes: of the batches 2 and 3 in both ways, and of those with the first so many records."""
    found = [batch_reader.read_batches(survey, 3, after=1), batch_reader.read_all_batches(survey, 3, after=1)]
    found += [batch_reader.read_all_batches(survey, 4, most=most) for most in (20, 21, 50, 51, 1000)]
    return [[(batch.first, batch.columns.n) for batch in some] for some in found] + pieces(survey)


def pieces(survey: Survey) -> list[list[tuple[int, int]]]:
    """The sizes of all parts in pieces of about 64 records; what they hold is compared with the whole batches."""
    whole = [batch.columns for batch in batch_reader.read_all_batches(survey, 5)]
    found = list(batch_reader.read_batch_pieces(survey, 5, 64, check=True))
    *small, large = whole
    expected = [*small, *(record_slice(large, start, min(start + 64, 200)) for start in range(0, 200, 64))]
    for one, other in zip(itertools.chain(*found), expected, strict=True):
        assert one.n == other.n
        assert (one.words == other.words).all()
        # The whole words of a stretch are read; `values` leaves out what is beyond it.
        assert one.integers.keys() == other.integers.keys()
        assert all((one.integer_codes(place) == other.integer_codes(place)).all() for place in one.integers)
    return [[(number, part.n) for number, part in enumerate(piece)] for piece in found]


EXPECTED = [
    [(2, 30), (3, 40)],
    [(2, 30), (3, 40)],
    [(1, 20)],
    [(1, 20), (2, 30)],
    [(1, 20), (2, 30)],
    [(1, 20), (2, 30), (3, 40)],
    [(1, 20), (2, 30), (3, 40), (4, 50)],
    [(0, 20), (1, 30)],
    [(0, 40)],
    [(0, 50)],
    *[[(0, 64)]] * 3,
    [(0, 8)],
]


def test_batches_are_read_one_by_one_or_at_once(owner: Person) -> None:
    survey = sealed.survey(owner, sealed.small(), SIZES)
    assert read(survey) == EXPECTED
    one, other = batch_reader.read_batches(survey, 4), batch_reader.read_all_batches(survey, 4)
    for left, right in zip(one, other, strict=True):
        assert (left.columns.words == right.columns.words).all()


def test_columns_of_integers_are_read_too(owner: Person) -> None:
    survey = sealed.numbers_survey(owner, sealed.small_numbers(), SIZES)
    assert read(survey) == EXPECTED
    (large,) = batch_reader.read_all_batches(survey, 5, after=4)
    # The plain age has columns of bits; the window and the debt by classes stand behind it.
    assert [(place, len(large.columns.integer_codes(place))) for place in large.columns.integers] == [
        (1, 200),
        (3, 200),
    ]


def test_what_is_merged_between_two_pieces_is_noticed(owner: Person) -> None:
    survey = sealed.survey(owner, sealed.small(), SIZES)
    some = batch_reader.read_batch_pieces(survey, 5, 64, check=False)
    assert [part.n for part in next(some)] == [20, 30]
    Batch.objects.filter(first=3).delete()
    with pytest.raises(batch_reader.BatchesChanged):
        next(some)


def test_a_large_batch_that_is_gone_between_two_pieces_is_noticed(owner: Person) -> None:
    survey = sealed.survey(owner, sealed.small(), [200])
    some = batch_reader.read_batch_pieces(survey, 1, 64, check=False)
    next(some)
    Batch.objects.all().delete()
    with pytest.raises(batch_reader.BatchesChanged):
        next(some)


@pytest.mark.parametrize("at", [10, 62, 300])
def test_a_bit_that_was_changed_in_a_large_batch_is_noticed(owner: Person, at: int) -> None:
    """In the header, in its checksum and in the columns, none of which a stretch could tell."""
    survey = sealed.survey(owner, sealed.small(), [2000])
    batch = Batch.objects.get()
    data = bytearray(batch.columns)
    data[at] ^= 1
    Batch.objects.update(columns=bytes(data))
    with pytest.raises(DamagedBatch):
        next(batch_reader.read_batch_pieces(survey, 1, 64, check=True))


@pytest.mark.server
@pytest.mark.parametrize("seal", [SEAL, SEAL_NUMBERS], ids=["bits", "integers"])
def test_postgresql_sends_the_same(shared: Shared, seal: str) -> None:
    commands = shared("postgresql").commands
    assert commands.run(READ.format(survey=commands.run(seal))).strip() == str(EXPECTED)


@pytest.mark.server
def test_a_database_that_is_lost_meanwhile_is_told_as_ever(shared: Shared) -> None:
    """So that the job is given back and costs no attempt."""
    on = shared("postgresql")
    survey = on.commands.run(SEAL)
    assert on.commands.run(LOSE.format(url=on.env["DATABASE_URL"], survey=survey)).strip() == "lost"


ASKS = asked.design(least=20)


def row(*sizes: int) -> list[SealedBatch]:
    return [SealedBatch(number, number, n) for number, n in enumerate(sizes, 1)]


def spans(found: list[list[SealedBatch]]) -> list[tuple[int, int]]:
    return [(group[0].first, group[-1].last) for group in found]


def test_seven_batches_stay_and_eight_become_one() -> None:
    assert merging.groups_to_merge(row(*[100] * 7), []) == []
    assert spans(merging.groups_to_merge(row(*[100] * 8), [])) == [(1, 8)]


def test_a_large_batch_waits_until_the_small_ones_together_are_as_large() -> None:
    assert merging.groups_to_merge(row(800, *[100] * 7), []) == []
    assert spans(merging.groups_to_merge(row(800, *[100] * 8), [])) == [(1, 9)]
    assert spans(merging.groups_to_merge(row(900, *[100] * 8), [])) == [(2, 9)]


def test_no_group_reaches_across_a_stored_run() -> None:
    assert spans(merging.groups_to_merge(row(*[100] * 20), [9])) == [(1, 9), (10, 20)]
    assert merging.groups_to_merge(row(*[100] * 14), [7]) == []


def test_a_merged_batch_has_at_most_so_many_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "LARGEST", 1000)
    assert spans(merging.groups_to_merge(row(*[100] * 12), [])) == [(1, 10)]
    assert spans(merging.groups_to_merge(row(*[125] * 8), [])) == [(1, 8)]
    assert merging.groups_to_merge(row(*[126] * 8), []) == []
    # One at the cap stays, and those beside it are merged without it.
    assert spans(merging.groups_to_merge(row(*[50] * 8, 1000, *[50] * 9), [])) == [(1, 8), (10, 18)]
    assert spans(merging.groups_to_merge(row(*[50] * 20), [10])) == [(1, 10), (11, 20)]


def test_of_two_hundred_million_respondents_what_to_merge_is_found_at_once() -> None:
    started = time.process_time()
    assert merging.groups_to_merge(row(*[600_000] * 333), []) == []
    assert time.process_time() - started < 1


@given(st.lists(st.integers(20, 5000), max_size=60), st.sets(st.integers(1, 60)), st.integers(1000, 500_000))
def test_groups_are_neighbours_that_double_and_keep_within_the_stops(
    sizes: list[int], stops: set[int], largest: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "LARGEST", largest)
        found = merging.groups_to_merge(row(*sizes), stops)
    for group in found:
        assert sum(batch.n for batch in group) <= largest
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
        for group in merging.groups_to_merge(held, []):
            n = sum(batch.n for batch in group)
            written += n
            place = held.index(group[0])
            held[place : place + len(group)] = [SealedBatch(group[0].first, group[-1].last, n)]
    assert len(held) < 20
    # Each merge doubles at least: no record more than log2(1000) = 9.97 times.
    assert written <= 10 * 100_000


# --- in the database --------------------------------------------------------------------------------------


def seal_sizes(survey: Survey, sizes: list[int]) -> None:
    """Batches of numbered records, in rising order."""
    number = 0
    for place, n in enumerate(sizes, 1):
        digits = [[int(d) for d in f"{number + i:06o}"] for i in range(n)]
        packed = packed_bit_columns.pack_batch(ASKS, np.ones(n, np.uint8), np.array(digits, np.uint8).T)
        Batch.objects.create(survey=survey, first=place, last=place, n=n, columns=packed)
        number += n


def numbers(batch: batch_reader.DecodedBatch) -> list[int]:
    _group, codes = packed_bit_columns.unpack_columns(batch.columns)
    return [int("".join(map(str, column)), 8) for column in codes.T.tolist()]


@pytest.fixture
def unpinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was computed from the batches, and nothing waits to be."""
    monkeypatch.setattr(batch_reader, "_pins", [])


@pytest.mark.django_db
def test_merging_keeps_every_record_and_no_order(unpinned: None) -> None:
    survey = asked.survey(ASKS)
    seal_sizes(survey, [20] * 9)
    assert merging.merge_due_batches(survey.pk) == 8
    (batch,) = batch_reader.read_batches(survey, 9)
    assert (batch.first, batch.last, batch.columns.n) == (1, 9, 180)
    assert sorted(numbers(batch)) == list(range(180))
    assert numbers(batch) != sorted(numbers(batch))


@pytest.mark.django_db
def test_batches_at_the_cap_are_not_merged_further(unpinned: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "LARGEST", 160)
    survey = asked.survey(ASKS)
    seal_sizes(survey, [20] * 20)
    assert merging.merge_due_batches(survey.pk) == 14
    assert merging.merge_due_batches(survey.pk) == 0
    found = [(batch.first, batch.last) for batch in batch_reader.read_batches(survey, 20)]
    assert found == [(1, 8), (9, 16), (17, 17), (18, 18), (19, 19), (20, 20)]


@pytest.mark.django_db
def test_a_run_over_the_first_five_finds_them_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_reader, "_pins", [lambda _survey: {10}])
    survey = asked.survey(ASKS)
    seal_sizes(survey, [20] * 19)
    merging.merge_due_batches(survey.pk)
    assert [(batch.first, batch.last) for batch in batch_reader.read_batches(survey, 10)] == [(1, 10)]
    assert [(batch.first, batch.last) for batch in batch_reader.read_batches(survey, 19)] == [
        (1, 10),
        (11, 19),
    ]
    assert sorted(numbers(next(batch_reader.read_batches(survey, 10)))) == list(range(200))


@pytest.mark.django_db
def test_several_rooms_may_store_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_reader, "_pins", [])
    batch_reader.register_last_batches_of_results(lambda _survey: [3])
    batch_reader.register_last_batches_of_results(lambda _survey: [3, 8])
    assert batch_reader.pinned_batches(1) == {3, 8}


@pytest.mark.django_db
def test_the_batches_of_another_survey_are_not_merged_in(unpinned: None) -> None:
    survey, other = asked.survey(ASKS), asked.survey(ASKS)
    seal_sizes(survey, [20] * 8)
    seal_sizes(other, [20] * 8)
    merging.merge_due_batches(survey.pk)
    assert Batch.objects.filter(survey=other).count() == 8


def test_merging_keeps_the_numbers_of_every_record(owner: Person, unpinned: None) -> None:
    survey = sealed.numbers_survey(owner, sealed.small_numbers(), [25] * FEWEST)
    group, codes = sealed.records(survey)
    before = sorted(zip(group.tolist(), *codes.tolist(), strict=True))
    assert merging.merge_due_batches(survey.pk) == FEWEST - 1
    assert Batch.objects.get(survey=survey).n == 25 * FEWEST
    group, codes = sealed.records(survey)
    after = list(zip(group.tolist(), *codes.tolist(), strict=True))
    assert sorted(after) == before
    assert after != before
    assert group.tolist() == sorted(group.tolist()), "open records first"
