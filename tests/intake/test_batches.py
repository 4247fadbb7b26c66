"""Sealed batches as other rooms read them, the same on both databases."""

import itertools

import pytest

from accounts.models import Person
from intake.batches import batches
from intake.models import Batch
from privacy.records.columns import Damaged, record_slice
from surveys.models import Survey
from tests.intake.conftest import Shared
from tests.runs import numbered, sealed

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
from tests.runs import numbered
owner, _made = Person.objects.get_or_create(username="owner")
print(numbered.survey(owner, numbered.small(), {SIZES}).pk)
"""
READ = """
from surveys.models import Survey
from tests.intake import test_batches
print(test_batches.read(Survey.objects.get(pk={survey})))
"""
LOSE = """
import psycopg
from django.db import OperationalError, connection
from intake.batches import batches
from surveys.models import Survey
survey = Survey.objects.get(pk={survey})
with psycopg.connect({url!r}) as another:
    another.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])
try:
    batches.read_all(survey, 4)
except OperationalError:
    print("lost")
"""


def read(survey: Survey) -> list[list[tuple[int, int]]]:
    """First numbers and sizes: of the batches 2 and 3 in both ways, and of those with the first so many records."""
    found = [batches.read(survey, 3, after=1), batches.read_all(survey, 3, after=1)]
    found += [batches.read_all(survey, 4, most=most) for most in (20, 21, 50, 51, 1000)]
    return [[(batch.first, batch.columns.n) for batch in some] for some in found] + pieces(survey)


def pieces(survey: Survey) -> list[list[tuple[int, int]]]:
    """The sizes of all parts in pieces of about 64 records; what they hold is compared with the whole batches."""
    whole = [batch.columns for batch in batches.read_all(survey, 5)]
    found = list(batches.read_pieces(survey, 5, 64, check=True))
    *small, large = whole
    expected = [*small, *(record_slice(large, start, min(start + 64, 200)) for start in range(0, 200, 64))]
    for one, other in zip(itertools.chain(*found), expected, strict=True):
        assert one.n == other.n
        assert (one.words == other.words).all()
        # The whole words of a stretch are read; `values` leaves out what is beyond it.
        assert one.integers.keys() == other.integers.keys()
        assert all((one.values(place) == other.values(place)).all() for place in one.integers)
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
    one, other = batches.read(survey, 4), batches.read_all(survey, 4)
    for left, right in zip(one, other, strict=True):
        assert (left.columns.words == right.columns.words).all()


def test_columns_of_integers_are_read_too(owner: Person) -> None:
    survey = numbered.survey(owner, numbered.small(), SIZES)
    assert read(survey) == EXPECTED
    (large,) = batches.read_all(survey, 5, after=4)
    # The plain age has columns of bits; the window and the debt by classes stand behind it.
    assert [(place, len(large.columns.values(place))) for place in large.columns.integers] == [
        (1, 200),
        (3, 200),
    ]


def test_what_is_merged_between_two_pieces_is_noticed(owner: Person) -> None:
    survey = sealed.survey(owner, sealed.small(), SIZES)
    some = batches.read_pieces(survey, 5, 64, check=False)
    assert [part.n for part in next(some)] == [20, 30]
    Batch.objects.filter(first=3).delete()
    with pytest.raises(batches.Rearranged):
        next(some)


def test_a_large_batch_that_is_gone_between_two_pieces_is_noticed(owner: Person) -> None:
    survey = sealed.survey(owner, sealed.small(), [200])
    some = batches.read_pieces(survey, 1, 64, check=False)
    next(some)
    Batch.objects.all().delete()
    with pytest.raises(batches.Rearranged):
        next(some)


@pytest.mark.parametrize("at", [10, 62, 300])
def test_a_bit_that_was_changed_in_a_large_batch_is_noticed(owner: Person, at: int) -> None:
    """In the header, in its checksum and in the columns, none of which a stretch could tell."""
    survey = sealed.survey(owner, sealed.small(), [2000])
    batch = Batch.objects.get()
    data = bytearray(batch.columns)
    data[at] ^= 1
    Batch.objects.update(columns=bytes(data))
    with pytest.raises(Damaged):
        next(batches.read_pieces(survey, 1, 64, check=True))


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
