"""The keys from before the last sealing, packed: about 20 bytes a key in place of the 100 to 200 of a row of its own.

A row is a block: the sorted hashes from `first` up to the next block's. A hash is looked for in the last block that
does not begin behind it (intake.endpoint.accept, intake.endpoint.store_record). A block that would get too large
becomes several. Hashes are as if drawn at random, so that all blocks fill alike.
"""

from collections.abc import Iterator
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Max, OuterRef, Subquery

from intake.batches.overwrite_deleted import schedule_compaction, schedule_overwriting
from intake.endpoint.epochs import NO_EPOCH, oldest_kept_epoch
from intake.models import HASH_BYTES, FreshKey, KeySecret, SeenKeys
from surveys.models import Survey

MOST = 48
"""Hashes in a block: SQLite keeps a row of this size beside others in a page, and PostgreSQL writes few bytes anew."""
LOWEST = b""
KEYS = (FreshKey, SeenKeys)

BLOCK = (
    "FROM intake_seenkeys AS block WHERE block.survey_id = intake_freshkey.survey_id"
    " AND block.epoch = intake_freshkey.epoch AND first <= hash ORDER BY first DESC LIMIT 1"
)
# In one statement: a key that comes in between two would be deleted without having been moved.
TAKE_FRESH = (
    "DELETE FROM intake_freshkey WHERE survey_id = %s"  # noqa: S608
    f" RETURNING epoch, hash, (SELECT first {BLOCK}), (SELECT hashes {BLOCK})"
)
PUT = (
    "INSERT INTO intake_seenkeys (survey_id, epoch, first, hashes) {}"
    " ON CONFLICT (survey_id, epoch, first) DO UPDATE SET hashes = excluded.hashes"
)
PUT_ONE = PUT.format("VALUES (%s, %s, %s, %s)")
PUT_ALL = PUT.format(
    "SELECT %s, %s, first, hashes FROM unnest(%b::bytea[], %b::bytea[]) AS block (first, hashes)"
)


def move_fresh_keys(survey: int) -> None:
    """Moves the survey's fresh keys into blocks; its row is locked by the caller."""
    blocks: dict[int, dict[bytes, list[bytes]]] = {}
    with connection.cursor() as cursor:
        cursor.execute(TAKE_FRESH, [survey])
        for epoch, hash_, first, hashes in cursor.fetchall():
            of_epoch = blocks.setdefault(epoch, {})
            if (block := of_epoch.get(first or LOWEST)) is None:
                block = of_epoch[first or LOWEST] = unpack(hashes or b"")
            block.append(hash_)
        for epoch, of_epoch in sorted(blocks.items()):
            rows = [row for first in sorted(of_epoch) for row in split_block(first, of_epoch[first])]
            if connection.vendor == "postgresql":
                # Each row would be another round trip.
                cursor.execute(PUT_ALL, [survey, epoch, *map(list, zip(*rows, strict=True))])
            else:
                cursor.executemany(PUT_ONE, [(survey, epoch, *row) for row in rows])
    schedule_compaction(SeenKeys)


def unpack(hashes: bytes) -> list[bytes]:
    return [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]


def split_block(first: bytes, hashes: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yields the beginnings and the bytes of as many blocks of equal size as these hashes need."""
    ordered = sorted(hashes)
    count = -(-len(ordered) // MOST)
    for number in range(count):
        part = ordered[len(ordered) * number // count : len(ordered) * (number + 1) // count]
        yield part[0] if number else first, b"".join(part)


def surveys_with_old_epochs(now: datetime) -> list[int]:
    """Returns the ids of surveys that have keys of an epoch of which no record is accepted any more."""
    before = oldest_kept_epoch(now)
    oldest = SeenKeys.objects.filter(survey=OuterRef("pk")).order_by("epoch").values("epoch")[:1]
    packed = Survey.objects.filter(invited=False).annotate(oldest=Subquery(oldest)).filter(oldest__lt=before)
    fresh = FreshKey.objects.filter(epoch__gt=NO_EPOCH, epoch__lt=before)
    return sorted({*packed.values_list("pk", flat=True), *fresh.values_list("survey", flat=True)})


def drop_old_epochs(survey: int, now: datetime) -> None:
    """Deletes the survey's keys of all epochs of which no record is accepted any more."""
    drop_epochs(survey, oldest_kept_epoch(now))


def drop_epochs(survey: int, before: int) -> None:
    """Deletes the survey's keys of epochs before this one, and stores for ever that there were any: without their keys a
    record of these epochs would be stored twice, whatever the clock and the settings say later."""
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
