"""Stores the submission keys from before the last sealing in blocks, at about 20 bytes a key instead of 100
to 200 for a row each.

A row is a block: the sorted hashes in one interval, from `first` up to where the next block begins. A hash is
looked up in the last block that begins at or before it (intake.endpoint.accept_record,
intake.endpoint.store_record). A block that would get too large is halved at the middle of its interval, which
depends on no hash: blocks tell how many hashes there are, and not which came first. Hashes are uniform, so
all blocks fill alike.
"""

from bisect import bisect_left
from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Max, OuterRef, Subquery

from intake.batches.overwrite_deleted import schedule_overwriting, schedule_postgresql_table_rewrite
from intake.endpoint.epochs import NO_EPOCH, oldest_kept_epoch
from intake.models import HASH_BYTES, FreshKey, KeySecret, SeenKeys
from surveys.models import Survey

MOST = 48
"""Highest number of hashes in a block: SQLite keeps a row of this size beside others in a page, and
PostgreSQL rewrites few bytes."""
LOWEST, END = b"", 1 << 8 * HASH_BYTES
KEYS = (FreshKey, SeenKeys)
AT_ONCE = 1000
"""Number of hashes whose blocks are read together."""

# In one statement: a key that comes in between two would be deleted without having been moved.
TAKE_FRESH = "DELETE FROM intake_freshkey WHERE survey_id = %s RETURNING epoch, hash"
# The block of a hash, and the beginning of the next one.
BLOCK = (
    "SELECT first, hashes, (SELECT first FROM intake_seenkeys AS other WHERE other.survey_id = block.survey_id"
    " AND other.epoch = block.epoch AND other.first > block.first ORDER BY other.first LIMIT 1) AS next"
    " FROM intake_seenkeys AS block WHERE survey_id = %s AND epoch = %s AND first <= {}"
    " ORDER BY block.first DESC LIMIT 1"
)
BLOCK_OF_ONE = BLOCK.format("%s")
BLOCKS_OF_ALL = (
    "SELECT DISTINCT found.* FROM unnest(%b::bytea[]) AS fresh (hash)"  # noqa: S608
    f" CROSS JOIN LATERAL ({BLOCK.format('fresh.hash')}) AS found"
)
PUT = (
    "INSERT INTO intake_seenkeys (survey_id, epoch, first, hashes) {}"
    " ON CONFLICT (survey_id, epoch, first) DO UPDATE SET hashes = excluded.hashes"
)
PUT_ONE = PUT.format("VALUES (%s, %s, %s, %s)")
PUT_ALL = PUT.format(
    "SELECT %s, %s, first, hashes FROM unnest(%b::bytea[], %b::bytea[]) AS block (first, hashes)"
)

Block = tuple[bytes, bytes, bytes | None]
"""A block: the beginning of its interval, its packed hashes, and the beginning of the next block, None for the last."""


def move_fresh_keys(survey: int) -> None:
    """Moves the survey's fresh keys into blocks; the caller holds the lock of the survey's row."""
    with connection.cursor() as cursor:
        cursor.execute(TAKE_FRESH, [survey])
        fresh = sorted((epoch, bytes(hash_)) for epoch, hash_ in cursor.fetchall())
        for epoch, rows in groupby(fresh, itemgetter(0)):
            hashes = [hash_ for _epoch, hash_ in rows]
            for at in range(0, len(hashes), AT_ONCE):
                add_to_blocks(cursor, survey, epoch, hashes[at : at + AT_ONCE])
    schedule_postgresql_table_rewrite(SeenKeys)


def add_to_blocks(cursor: CursorWrapper, survey: int, epoch: int, hashes: list[bytes]) -> None:
    """Adds these sorted hashes to the survey's blocks of this epoch."""
    rows: list[tuple[bytes, bytes]] = []
    at = 0
    for first, packed, following in read_blocks_or_one_empty(cursor, survey, epoch, hashes):
        end = END if following is None else block_start_number(following)
        upto = len(hashes) if following is None else bisect_left(hashes, following, at)
        rows += split_block(block_start_number(first), end, sorted([*split_hashes(packed), *hashes[at:upto]]))
        at = upto
    if connection.vendor == "postgresql":
        # Each row would be another round trip.
        cursor.execute(PUT_ALL, [survey, epoch, *map(list, zip(*rows, strict=True))])
    else:
        cursor.executemany(PUT_ONE, [(survey, epoch, *row) for row in rows])


def read_blocks_or_one_empty(
    cursor: CursorWrapper, survey: int, epoch: int, hashes: list[bytes]
) -> list[Block]:
    """Returns the stored blocks whose intervals contain these sorted hashes, in order; one empty block if the survey
    has no key yet."""
    if connection.vendor == "postgresql":
        cursor.execute(BLOCKS_OF_ALL, [hashes, survey, epoch])
        blocks: list[Block] = sorted(cursor.fetchall(), key=itemgetter(0))
        return blocks or [(LOWEST, b"", None)]
    blocks, at = [], 0
    while at < len(hashes):
        cursor.execute(BLOCK_OF_ONE, [survey, epoch, hashes[at]])
        blocks.append(cursor.fetchone() or (LOWEST, b"", None))
        following = blocks[-1][2]
        at = len(hashes) if following is None else bisect_left(hashes, following, at)
    return blocks


def split_hashes(hashes: bytes) -> list[bytes]:
    return [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]


def block_start_number(first: bytes) -> int:
    """Returns the beginning of a block as a number; it is stored without trailing zero bytes."""
    return int.from_bytes(first.ljust(HASH_BYTES, b"\0"))


def split_block(begin: int, end: int, hashes: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yields the beginning and the packed hashes of each block of this interval, which is halved until no block has
    more than MOST hashes."""
    if len(hashes) <= MOST:
        yield begin.to_bytes(HASH_BYTES).rstrip(b"\0"), b"".join(hashes)
        return
    middle = (begin + end) // 2
    at = bisect_left(hashes, middle.to_bytes(HASH_BYTES))
    yield from split_block(begin, middle, hashes[:at])
    yield from split_block(middle, end, hashes[at:])


def surveys_with_old_epochs(now: datetime) -> list[int]:
    """Returns the ids of surveys with keys of an epoch whose records are no longer accepted."""
    before = oldest_kept_epoch(now)
    # Keys of field devices, which have no epoch, stay.
    blocks = SeenKeys.objects.filter(survey=OuterRef("pk"), epoch__gt=NO_EPOCH)
    oldest = blocks.order_by("epoch").values("epoch")[:1]
    packed = Survey.objects.filter(invited=False).annotate(oldest=Subquery(oldest)).filter(oldest__lt=before)
    fresh = FreshKey.objects.filter(epoch__gt=NO_EPOCH, epoch__lt=before)
    return sorted({*packed.values_list("pk", flat=True), *fresh.values_list("survey", flat=True)})


def delete_keys_of_old_epochs(survey: int, now: datetime) -> None:
    """Deletes the survey's keys of all epochs whose records are no longer accepted."""
    delete_keys_before_epoch(survey, oldest_kept_epoch(now))


def delete_keys_before_epoch(survey: int, before: int) -> None:
    """Deletes the survey's keys of epochs before `before`, and stores up to which epoch keys were deleted.

    Without its key a record sent again would be stored twice, so records of these epochs are refused for ever.
    """
    old = {"survey": survey, "epoch__gt": NO_EPOCH, "epoch__lt": before}
    with transaction.atomic():
        newest = [table.objects.filter(**old).aggregate(newest=Max("epoch"))["newest"] for table in KEYS]
        dropped = 1 + max((epoch for epoch in newest if epoch), default=NO_EPOCH)
        secret = KeySecret.objects.filter(survey=survey, dropped_before__lt=dropped)
        secret.update(dropped_before=dropped)
        for table in KEYS:
            # A key of a later epoch that came in meanwhile waits for the next time.
            if table.objects.filter(**old | {"epoch__lt": dropped}).delete()[0]:
                schedule_overwriting(table)
