"""Stores the key, the token and the record of a request in one transaction.

The key is inserted first, so that simultaneous senders of the same key wait for the first one's result; a
refusal rolls it back. No statement can fail because of a respondent's data, since PostgreSQL would write the
data into its log.

A record is stored in the inbox as the digit of its group, then its answer text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from secrets import randbelow
from threading import Lock
from typing import Generic, TypeVar

import numpy as np
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from numpy.typing import NDArray

from intake.models import random_inbox_id
from privacy.designs import Design
from privacy.kinds.answer_code_array_type import Codes
from privacy.records import Record

T = TypeVar("T")


class StoreResult(Enum):
    STORED = "stored"
    KNOWN = "known"
    UNINVITED = "uninvited"


@dataclass(frozen=True, slots=True)
class SubmissionHashes:
    """The hashes of one record's submission key and token, to be stored with it; `token` is empty if none was sent.

    `exchanged`: the token was signed in an exchange, and is spent by storing its hash. Otherwise it is an invitation,
    and is spent by deleting it.
    """

    survey: int
    epoch: int
    key: bytes
    token: bytes = b""
    exchanged: bool = False


def store_record(sending: SubmissionHashes, record: bytes) -> StoreResult:
    """Stores a record with its key, unless the key is known or the token cannot be spent."""
    if connection.vendor == "postgresql":
        return _store_by_database_function(sending, record)

    if connection.in_atomic_block:
        # Inside somebody's transaction nobody else's record may be promised.
        with transaction.atomic():
            return _store_in_transaction(sending, record)
    return _group_commit.run_in_transaction(lambda: _store_in_transaction(sending, record))


def encode_for_inbox(record: Record) -> bytes:
    return f"{record.group}{record.answers}".encode()


def decode_inbox_records(
    design: Design, records: Sequence[bytes | memoryview]
) -> tuple[NDArray[np.uint8], Codes]:
    """Decodes stored inbox records, which were checked when they arrived, into groups and answer codes."""
    digits = np.frombuffer(b"".join(records), np.uint8).reshape(len(records), 1 + design.width).T - ord("0")
    most = max(question.not_applicable for question in design.questions)
    codes = np.zeros((len(design.questions), len(records)), np.min_scalar_type(most))
    at = 1
    for index, question in enumerate(design.questions):
        for digit in digits[at : at + question.width]:
            codes[index] = codes[index] * 10 + digit
        at += question.width
    return digits[0], codes


# --- SQLite


class CommitRequest(Generic[T]):
    """A request that waits for a group commit; it gets a `result`, or a `failure` if the shared transaction failed."""

    def __init__(self, work: Callable[[], T]) -> None:
        self.work = work
        self.result: list[T] = []
        self.failure: Exception | None = None


class GroupCommit(Generic[T]):
    """Runs the work of several requests in one transaction: requests that arrive during a commit share the next one.

    SQLite lets one write at a time and each commit waits for the disk, so that a queue of commits would take as many
    waits as it is long. PostgreSQL does the same by itself.
    """

    def __init__(self) -> None:
        self._commit_lock, self._queue_lock = Lock(), Lock()
        self._waiting: list[CommitRequest[T]] = []

    def run_in_transaction(self, work: Callable[[], T]) -> T:
        """Calls `work` in a transaction that other requests may share, perhaps in another thread; returns once it is
        committed.

        If one request raises, nothing of the transaction is stored, and all requests in it raise.
        """
        request = CommitRequest(work)
        with self._queue_lock:
            self._waiting.append(request)
        with self._commit_lock:
            if not request.result and request.failure is None:
                with self._queue_lock:
                    requests, self._waiting = self._waiting, []
                self._write(requests)
        if request.failure is not None:
            raise request.failure
        return request.result[0]

    def _write(self, requests: list[CommitRequest[T]]) -> None:
        try:
            with transaction.atomic():
                results = [request.work() for request in requests]
        except Exception as failure:
            for request in requests:
                request.failure = failure
        else:
            for request, result in zip(requests, results, strict=True):
                request.result.append(result)


# One statement can check the seen keys too: SQLite has one writer at a time. A hash that stands in a block across two
# others would be found there as well, which among random bytes does not happen.
TAKE_KEY = (
    "INSERT INTO intake_freshkey (hash, survey_id, epoch) SELECT %s, %s, %s WHERE NOT EXISTS (SELECT 1 FROM"
    " (SELECT hashes FROM intake_seenkeys WHERE survey_id = %s AND epoch = %s AND first <= %s"
    " ORDER BY first DESC LIMIT 1) WHERE instr(hashes, %s) > 0) ON CONFLICT DO NOTHING"
)
DROP_KEY = "DELETE FROM intake_freshkey WHERE hash = %s"
SPEND = "DELETE FROM intake_token WHERE hash = %s AND survey_id = %s"
SPENT = "INSERT INTO intake_spenttoken (hash, survey_id) VALUES (%s, %s) ON CONFLICT DO NOTHING"
STRETCH = 512
"""Highest number of waiting rows from which one is picked, which bounds the cost of a record."""

COUNT = f"SELECT COUNT(*) FROM (SELECT 1 FROM intake_inbox WHERE survey_id = %s LIMIT {STRETCH})"  # noqa: S608
# The subquery steps through the index alone; without it, SQLite looks up the row of each entry that OFFSET passes.
PICK = (
    "SELECT id, record FROM intake_inbox WHERE id = (SELECT id FROM intake_inbox WHERE survey_id = %s AND id >= %s"
    " ORDER BY id LIMIT 1 OFFSET %s)"
)
REPLACE = "UPDATE intake_inbox SET record = %s WHERE id = %s"
PUT = "INSERT INTO intake_inbox (id, survey_id, record) VALUES (%s, %s, %s)"

_group_commit: GroupCommit[StoreResult] = GroupCommit()


def _store_in_transaction(sending: SubmissionHashes, record: bytes) -> StoreResult:
    token, survey = sending.token, sending.survey
    with connection.cursor() as cursor:
        if not _insert_key(cursor, sending, sending.key):
            return StoreResult.KNOWN
        if token:
            if sending.exchanged:
                is_spent = _insert_key(cursor, sending, token)
            else:
                cursor.execute(SPEND, [token, survey])
                is_spent = bool(cursor.rowcount)
            if not is_spent:
                cursor.execute(DROP_KEY, [sending.key])
                return StoreResult.UNINVITED
            if not sending.exchanged:
                cursor.execute(SPENT, [token, survey])
        _insert_shuffled(cursor, survey, record)
    return StoreResult.STORED


def _insert_key(cursor: CursorWrapper, sending: SubmissionHashes, key: bytes) -> bool:
    place = sending.survey, sending.epoch
    cursor.execute(TAKE_KEY, [key, *place, *place, key, key])
    return bool(cursor.rowcount)


def _insert_shuffled(cursor: CursorWrapper, survey: int, record: bytes) -> None:
    """Inserts a record into the inbox and swaps it with a random waiting one, so that row order tells no arrival order.

    The pages of a database file show in which order rows came, whatever their ids. This is an inside-out Fisher-Yates
    shuffle: each order of the waiting records is equally likely. If more than 512 wait, one of the 512 after a random
    id is swapped, so that the cost does not grow.
    """
    cursor.execute(COUNT, [survey])
    (n,) = cursor.fetchone()
    position = randbelow(n + 1)
    if position < n:
        picked, other = _pick_waiting_record(
            cursor, survey, random_inbox_id() if n == STRETCH else "", position
        )
        cursor.execute(REPLACE, [record, picked])
        record = other
    cursor.execute(PUT, [random_inbox_id(), survey, record])


def _pick_waiting_record(cursor: CursorWrapper, survey: int, begin: str, position: int) -> tuple[str, bytes]:
    """Returns id and record of the row `position` rows after the id `begin`; wraps around at the last id."""
    for first in (begin, ""):
        cursor.execute(PICK, [survey, first, position])
        if row := cursor.fetchone():
            return row[0], row[1]
    raise AssertionError("fewer rows than were counted")


# --- PostgreSQL: the same, in one journey to the server

# A function of the database, made by the migration. Each of its statements sees what was committed before it began:
# the seen keys are asked after the key was taken, since while that waited a sealing may have moved the key to them.
TAKE = "SELECT intake_take(%s, %s, %s, %s, %s, %s, %s)"


def _store_by_database_function(sending: SubmissionHashes, record: bytes) -> StoreResult:
    hashes = sending.key, sending.token
    with connection.cursor() as cursor:
        cursor.execute(
            TAKE, [sending.survey, sending.epoch, *hashes, sending.exchanged, random_inbox_id(), record]
        )
        return StoreResult(cursor.fetchone()[0])
