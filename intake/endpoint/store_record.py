"""The key, the token and the record of one request, in one transaction: all three or none.

The key goes in first, so that of many who send it at once one goes on and the others wait for what becomes of
it; a refusal takes it out again. No statement can fail on what a respondent sends, since PostgreSQL would write
it into the server's log.
"""

from enum import Enum
from secrets import randbelow

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from intake.endpoint.group_commit import GroupCommit
from intake.models import fresh_id


class StoreResult(Enum):
    STORED = "stored"
    KNOWN = "known"
    UNINVITED = "uninvited"


def store(survey: int, key: str, token: str, record: bytes, *, exchanged: bool = False) -> StoreResult:
    """`key` and `token` are hashes; the latter is empty where none was sent.

    `exchanged`: the token was signed, and is spent by becoming known. Otherwise it is an invitation, spent by deletion.
    """
    if connection.vendor == "postgresql":
        return _called(survey, key, token, exchanged, record)

    if connection.in_atomic_block:
        # Inside somebody's transaction nobody else's record may be promised.
        with transaction.atomic():
            return _written(survey, key, token, exchanged, record)
    return _group_commit.do(lambda: _written(survey, key, token, exchanged, record))


# --- SQLite -----------------------------------------------------------------------------------------------

# One statement can check the seen keys too: SQLite has one writer at a time.
TAKE_KEY = (
    "INSERT INTO intake_freshkey (hash, survey_id)"
    " SELECT %s, %s WHERE NOT EXISTS (SELECT 1 FROM intake_seenkey WHERE hash = %s) ON CONFLICT DO NOTHING"
)
DROP_KEY = "DELETE FROM intake_freshkey WHERE hash = %s"
SPEND = "DELETE FROM intake_token WHERE hash = %s AND survey_id = %s"
SPENT = "INSERT INTO intake_spenttoken (hash, survey_id) VALUES (%s, %s) ON CONFLICT DO NOTHING"
STRETCH = 512
"""Rows to pick from, which bounds the cost of a record."""

COUNT = f"SELECT COUNT(*) FROM (SELECT 1 FROM intake_inbox WHERE survey_id = %s LIMIT {STRETCH})"  # noqa: S608
PICK = "SELECT id, record FROM intake_inbox WHERE survey_id = %s AND id >= %s ORDER BY id LIMIT 1 OFFSET %s"
REPLACE = "UPDATE intake_inbox SET record = %s WHERE id = %s"
PUT = "INSERT INTO intake_inbox (id, survey_id, record) VALUES (%s, %s, %s)"

_group_commit: GroupCommit[StoreResult] = GroupCommit()


def _written(survey: int, key: str, token: str, exchanged: bool, record: bytes) -> StoreResult:
    with connection.cursor() as cursor:
        cursor.execute(TAKE_KEY, [key, survey, key])
        if not cursor.rowcount:
            return StoreResult.KNOWN
        if token:
            if exchanged:
                cursor.execute(TAKE_KEY, [token, survey, token])
            else:
                cursor.execute(SPEND, [token, survey])
            if not cursor.rowcount:
                cursor.execute(DROP_KEY, [key])
                return StoreResult.UNINVITED
            if not exchanged:
                cursor.execute(SPENT, [token, survey])
        _put(cursor, survey, record)
    return StoreResult.STORED


def _put(cursor: CursorWrapper, survey: int, record: bytes) -> None:
    """Put the record into the row of one that waits, picked at random, and that one into the new row; or, as likely as
    any of them, into the new row itself.

    The pages of a file show in which order rows came, whatever their ids. So shuffled (Fisher and Yates, from inside
    out), each order of the records that wait is equally likely, whatever the order of the rows. Of more than 512 that
    wait, one of the 512 after a random id is picked, so that a record costs no more the more of them wait.
    """
    cursor.execute(COUNT, [survey])
    (n,) = cursor.fetchone()
    position = randbelow(n + 1)
    if position < n:
        picked, other = _picked(cursor, survey, fresh_id() if n == STRETCH else "", position)
        cursor.execute(REPLACE, [record, picked])
        record = other
    cursor.execute(PUT, [fresh_id(), survey, record])


def _picked(cursor: CursorWrapper, survey: int, begin: str, position: int) -> tuple[str, bytes]:
    """Behind the last id comes the first."""
    for first in (begin, ""):
        cursor.execute(PICK, [survey, first, position])
        if row := cursor.fetchone():
            return row[0], row[1]
    raise AssertionError("fewer rows than were counted")


# --- PostgreSQL: the same, in one journey to the server --------------------------------------------------------

# A function of the database, made by migration 0004. Each of its statements sees what was committed before it began:
# the seen keys are asked after the key was taken, since while that waited a sealing may have moved the key to them.
TAKE = "SELECT intake_take(%s, %s, %s, %s, %s, %s)"


def _called(survey: int, key: str, token: str, exchanged: bool, record: bytes) -> StoreResult:
    with connection.cursor() as cursor:
        cursor.execute(TAKE, [survey, key, token, exchanged, fresh_id(), record])
        return StoreResult(cursor.fetchone()[0])
