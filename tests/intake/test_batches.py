"""Sealed batches as other rooms read them, and how they are merged."""

import itertools
import time

import pytest
from hypothesis import given, strategies as st

from accounts.models import Person
from intake.batches import merging, sealed_batch_reader
from intake.batches.merging import FEWEST, SealedBatch, groups_to_merge
from intake.models import Batch
from privacy.records import RecordRow, batch_bit_columns
from privacy.records.batch_bit_columns import Columns, DamagedBatch
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
print(sealed.%s(owner, sealed.%s(), {SIZES}).pk)
"""
READ = """
from surveys.models import Survey
from tests.intake import test_batches
print(test_batches.read(Survey.objects.get(pk={survey})))
"""
LOSE = """
import psycopg
from django.db import OperationalError, connection
from intake.batches import sealed_batch_reader
from surveys.models import Survey
survey = Survey.objects.get(pk={survey})
with psycopg.connect({url!r}) as another:
    another.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])
try:
    sealed_batch_reader.read_batches_until_most(survey, 4)
except OperationalError:
    print("lost")
"""


def read(survey: Survey) -> list[list[tuple[int, int]]]:
    """First numbers and sizes: of the batches 2 and 3 in both ways, and of those with the first so many records."""
    until_most = sealed_batch_reader.read_batches_until_most
    found = [sealed_batch_reader.read_batches(survey, 3, after=1), until_most(survey, 3, after=1)]
    found += [until_most(survey, 4, most=most) for most in (20, 21, 50, 51, 1000)]
    return [[(batch.first, batch.columns.n) for batch in some] for some in found] + piece_sizes(survey)


def piece_sizes(survey: Survey) -> list[list[tuple[int, int]]]:
    """The sizes of all parts in pieces of about 64 records; what they hold is compared with the whole batches."""
    whole = [batch.columns for batch in sealed_batch_reader.read_batches_until_most(survey, 5)]
    found = list(sealed_batch_reader.read_batch_pieces(survey, 5, 64, verifies_checksums=True))
    *small, large = whole
    expected = [*small, *(record_slice(large, start, min(start + 64, 200)) for start in range(0, 200, 64))]
    for one, other in zip(itertools.chain(*found), expected, strict=True):
        assert one.n == other.n
        assert (one.words == other.words).all()
        # The whole words of a stretch are read; `values` leaves out what is beyond it.
        assert one.integers.keys() == other.integers.keys()
        assert all((one.integer_codes(place) == other.integer_codes(place)).all() for place in one.integers)
    return [[(number, part.n) for number, part in enumerate(piece)] for piece in found]


def record_slice(columns: Columns, start: int, stop: int) -> Columns:
    """The columns of the records start..stop - 1, not copied; `start` must be a multiple of 64."""
    words = columns.words[:, start // 64 : -(-stop // 64)]
    integers = {index: column[start:stop] for index, column in columns.integers.items()}
    return Columns(columns.design, stop - start, words, columns.places, integers)


FIRST = [(1, 20), (2, 30), (3, 40), (4, 50)]
PIECES = [[(0, 20), (1, 30)], [(0, 40)], [(0, 50)], *[[(0, 64)]] * 3, [(0, 8)]]
EXPECTED = [FIRST[1:3], FIRST[1:3], FIRST[:1], FIRST[:2], FIRST[:2], FIRST[:3], FIRST, *PIECES]


def test_reading_batches_one_by_one_equals_reading_at_once(owner: Person) -> None:
    """Of bits and of integers."""
    survey = sealed.survey(owner, sealed.small_design(), SIZES)
    assert read(survey) == EXPECTED
    other = sealed_batch_reader.read_batches_until_most(survey, 4)
    for left, right in zip(sealed_batch_reader.read_batches(survey, 4), other, strict=True):
        assert (left.columns.words == right.columns.words).all()
    survey = sealed.numbers_survey(owner, sealed.small_numbers(), SIZES)
    assert read(survey) == EXPECTED
    (large,) = sealed_batch_reader.read_batches_until_most(survey, 5, after=4)
    # The plain age has columns of bits; the window and the debt by classes stand behind it.
    columns = large.columns
    assert [(place, len(columns.integer_codes(place))) for place in columns.integers] == [(1, 200), (3, 200)]


def test_batch_merged_or_deleted_while_reading_is_noticed(owner: Person) -> None:
    for sizes, gone in ((SIZES, 3), ([200], 1)):
        survey = sealed.survey(owner, sealed.small_design(), sizes)
        some = sealed_batch_reader.read_batch_pieces(survey, len(sizes), 64, verifies_checksums=False)
        assert [part.n for part in next(some)] == ([64] if gone == 1 else [20, 30])
        Batch.objects.filter(survey=survey, first=gone).delete()
        with pytest.raises(sealed_batch_reader.BatchesChanged):
            next(some)


def test_changed_bit_in_a_large_batch_is_noticed(owner: Person) -> None:
    """In the header, in its checksum and in the columns, none of which a stretch could tell."""
    survey = sealed.survey(owner, sealed.small_design(), [2000])
    whole = bytes(Batch.objects.get().columns)
    for at in (10, 62, 300):
        data = bytearray(whole)
        data[at] ^= 1
        Batch.objects.update(columns=bytes(data))
        with pytest.raises(DamagedBatch):
            next(sealed_batch_reader.read_batch_pieces(survey, 1, 64, verifies_checksums=True))


@pytest.mark.server
def test_postgresql_streams_the_same_batches_and_reports_a_lost_database(shared_server: Shared) -> None:
    """So that the job is given back and costs no attempt."""
    on = shared_server("postgresql")
    for made in (("survey", "small_design"), ("numbers_survey", "small_numbers")):
        survey = on.commands.run(SEAL % made)
        assert on.commands.run(READ.format(survey=survey)).strip() == str(EXPECTED), made
    assert on.commands.run(LOSE.format(url=on.env["DATABASE_URL"], survey=survey)).strip() == "lost"


# --- which batches are merged


def batches_of_sizes(*sizes: int) -> list[SealedBatch]:
    return [SealedBatch(number, number, n) for number, n in enumerate(sizes, 1)]


def merged_ranges(*sizes: int, stops: tuple[int, ...] = ()) -> list[tuple[int, int]]:
    return [(group[0].first, group[-1].last) for group in groups_to_merge(batches_of_sizes(*sizes), stops)]


def test_eight_small_batches_merge_and_a_large_one_waits_for_its_size() -> None:
    assert (merged_ranges(*[100] * 7), merged_ranges(*[100] * 8)) == ([], [(1, 8)])
    assert (merged_ranges(800, *[100] * 7), merged_ranges(800, *[100] * 8)) == ([], [(1, 9)])
    assert merged_ranges(900, *[100] * 8) == [(2, 9)]


def test_merge_group_never_crosses_a_stored_run() -> None:
    assert merged_ranges(*[100] * 20, stops=(9,)) == [(1, 9), (10, 20)]
    assert merged_ranges(*[100] * 14, stops=(7,)) == []


def test_merged_batch_has_a_record_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    started = time.process_time()
    assert merged_ranges(*[600_000] * 333) == [], "of two hundred million respondents, and found at once"
    assert time.process_time() - started < 1
    monkeypatch.setattr(merging, "LARGEST", 1000)
    assert merged_ranges(*[100] * 12) == [(1, 10)]
    assert merged_ranges(*[125] * 8) == [(1, 8)]
    assert merged_ranges(*[126] * 8) == []
    # One at the cap stays, and those beside it are merged without it.
    assert merged_ranges(*[50] * 8, 1000, *[50] * 9) == [(1, 8), (10, 18)]
    assert merged_ranges(*[50] * 20, stops=(10,)) == [(1, 10), (11, 20)]


@given(st.lists(st.integers(20, 5000), max_size=60), st.sets(st.integers(1, 60)), st.integers(1000, 500_000))
def test_merge_groups_are_doubling_neighbours_within_the_stops(
    sizes: list[int], stops: set[int], largest: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "LARGEST", largest)
        found = groups_to_merge(batches_of_sizes(*sizes), stops)
    for group in found:
        assert sum(batch.n for batch in group) <= largest
        assert len(group) >= FEWEST
        assert [batch.first for batch in group[1:]] == [batch.last + 1 for batch in group[:-1]]
        assert 2 * max(batch.n for batch in group) <= sum(batch.n for batch in group)
        assert not {batch.last for batch in group[:-1]} & stops
    for earlier, later in itertools.pairwise(found):
        assert earlier[-1].last < later[0].first


def test_thousand_sealings_leave_few_batches_and_rewrite_records_rarely() -> None:
    held: list[SealedBatch] = []
    written = 0
    for number in range(1, 1001):
        held.append(SealedBatch(number, number, 100))
        for group in groups_to_merge(held, []):
            n = sum(batch.n for batch in group)
            written += n
            place = held.index(group[0])
            held[place : place + len(group)] = [SealedBatch(group[0].first, group[-1].last, n)]
    assert len(held) < 20
    # Each merge doubles at least: no record more than log2(1000) = 9.97 times.
    assert written <= 10 * 100_000


# --- in the database

ASKS = asked.design(least=20)


@pytest.fixture
def survey(db: None, monkeypatch: pytest.MonkeyPatch) -> Survey:
    """Nothing was computed from its batches, and nothing waits to be."""
    monkeypatch.setattr(sealed_batch_reader, "_pins", [])
    return asked.survey(ASKS)


def seal_twenties(survey: Survey, batches: int) -> None:
    """Batches of twenty numbered records, in rising order."""
    numbers = range(20 * batches)
    rows = [RecordRow(1, tuple(int(digit) for digit in f"{number:06o}")) for number in numbers]
    asked.seal_batches(survey, ASKS, *(rows[at : at + 20] for at in range(0, len(rows), 20)))


def batch_ranges(survey: Survey, last: int) -> list[tuple[int, int]]:
    return [(batch.first, batch.last) for batch in sealed_batch_reader.read_batches(survey, last)]


def records_as_octal_numbers(batch: sealed_batch_reader.DecodedBatch) -> list[int]:
    _group, codes = batch_bit_columns.unpack_columns(batch.columns)
    return [int("".join(map(str, column)), 8) for column in codes.T.tolist()]


def test_merging_keeps_every_record_and_no_order(survey: Survey) -> None:
    """The batches of another survey are not merged in."""
    other = asked.survey(ASKS)
    seal_twenties(survey, 9)
    seal_twenties(other, 8)
    assert merging.reduce_batches_by_merging(survey.pk) == 8
    assert Batch.objects.filter(survey=other).count() == 8
    (batch,) = sealed_batch_reader.read_batches(survey, 9)
    assert (batch.first, batch.last, batch.columns.n) == (1, 9, 180)
    assert sorted(records_as_octal_numbers(batch)) == list(range(180))
    assert records_as_octal_numbers(batch) != sorted(records_as_octal_numbers(batch))


def test_merging_keeps_the_content_of_every_record(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed_batch_reader, "_pins", [])
    survey = sealed.numbers_survey(owner, sealed.small_numbers(), [25] * FEWEST)

    def rows() -> list[tuple[int, ...]]:
        group, codes = sealed.records(survey)
        return list(zip(group.tolist(), *codes.tolist(), strict=True))

    before = sorted(rows())
    assert merging.reduce_batches_by_merging(survey.pk) == FEWEST - 1
    assert Batch.objects.get(survey=survey).n == 25 * FEWEST
    after = rows()
    assert sorted(after) == before
    assert after != before
    assert [row[0] for row in after] == sorted(row[0] for row in after), "open records first"


def test_full_batches_are_not_merged_further(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "LARGEST", 160)
    seal_twenties(survey, 20)
    assert merging.reduce_batches_by_merging(survey.pk) == 14
    assert merging.reduce_batches_by_merging(survey.pk) == 0
    assert batch_ranges(survey, 20) == [(1, 8), (9, 16), (17, 17), (18, 18), (19, 19), (20, 20)]


def test_repeated_run_finds_its_batches_unchanged(survey: Survey) -> None:
    """Several rooms may store runs."""
    sealed_batch_reader.register_merge_boundaries(lambda _survey: [10])
    sealed_batch_reader.register_merge_boundaries(lambda _survey: [10, 18])
    assert sealed_batch_reader.merge_boundary_batches(1) == {10, 18}
    seal_twenties(survey, 19)
    merging.reduce_batches_by_merging(survey.pk)
    assert batch_ranges(survey, 10) == [(1, 10)]
    assert batch_ranges(survey, 18) == [(1, 10), (11, 18)]
    assert batch_ranges(survey, 19) == [(1, 10), (11, 18), (19, 19)]
    assert sorted(records_as_octal_numbers(next(sealed_batch_reader.read_batches(survey, 10)))) == list(
        range(200)
    )
