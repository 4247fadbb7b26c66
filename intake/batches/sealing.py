"""Seals records of the inbox into a batch: nothing links a sealed record to a key, an invitation or a time.

All waiting records of a survey are taken out of the inbox. Those to seal are drawn at random and stored in a
random order, open records first. The others go back under new ids, in a random order too. Every fresh key
becomes a seen key, whether its record was drawn or not. Moving only as many keys as records were sealed would
leave keys and records that wait in the order of their arrival, side by side, to be matched later; so after a
sealing nothing ties even a waiting record to its key. Keys are packed in hash order, and stay known: a record
sent again is recognised for as long as its survey lives or, from an open link, until the month of its page is
too old (intake.endpoint.epochs).

A report tells exactly how many people chose disguise. With the number of records in its batches, a reader
could compute how many chose no disguise since the report before. So the size of a batch is drawn
(docs/mathematics.md, What leaves).
"""

from collections.abc import Callable
from functools import partial
from os import urandom

import numpy as np
from django.db import connection, transaction
from django.db.models import Max
from django.dispatch import Signal
from numpy.typing import NDArray

from intake.batches.overwrite_deleted import schedule_overwriting
from intake.batches.seen_keys import move_fresh_keys
from intake.endpoint.store_record import decode_inbox_records
from intake.models import Batch, FreshKey, Inbox, SpentToken, Token, random_inbox_id
from privacy.records import batch_bit_columns
from surveys.lifecycle.record_counts import records_that_fill_a_batch
from surveys.models import Design as DesignRow, Survey

TAKE = "DELETE FROM intake_inbox WHERE survey_id = %s RETURNING record"
PUT_BACK = "INSERT INTO intake_inbox (id, survey_id, record) VALUES (%s, %s, %s)"
PUT_BACK_AT_ONCE = (
    "INSERT INTO intake_inbox (id, survey_id, record)"
    " SELECT gen_random_uuid(), %s, record FROM unnest(%b::bytea[]) AS waiting (record)"
)
DROP_SPENT = "DELETE FROM intake_spenttoken WHERE survey_id = %s RETURNING hash"

RandomBytes = Callable[[int], bytes]

ENDED = (Survey.State.FINISHED, Survey.State.DESTROYED)
"""States of a survey in which nothing is sealed any more."""

invitations_spent = Signal()
"""Signal, sent with `survey` and `hashes`, in hash order, of the invitations used since its last sealing.

Sent inside the sealing's transaction, since these hashes are in no table afterwards.
"""

batch_sealed = Signal()
"""Signal, sent with `survey`, the `number` of its new batch, `design` and the batch's `codes` by question,
inside the sealing's transaction."""


def draw_batch_size_leaving_least(least: int, arrivals: int, draw: Callable[[int], int]) -> int:
    """Draws at random how many of the waiting records to seal; at least `least` records stay waiting.

    `arrivals`: how many records wait beyond `records_that_fill_a_batch(least)`. `draw(n)` gives 0 to n-1 at random. The
    size is drawn once a batch, independent of when it is sealed: if a new size were drawn at each try until one is
    small enough, small batches would be too frequent.
    """
    return least + arrivals + draw(least // 2 + 1)


def seal_records(
    survey: int, *, seals_all: bool = False, waits_for_lock: bool = True, random_bytes: RandomBytes = urandom
) -> int:
    """Seals a batch of `draw_batch_size_leaving_least` records once `records_that_fill_a_batch(least)` wait; returns
    the number of sealed records.

    `seals_all`: the survey is closed, so all waiting records are sealed if they are at least `least`. `waits_for_lock`:
    wait for a process that seals or merges this survey now, instead of doing nothing.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        rows = Survey.objects.select_for_update(no_key=True, skip_locked=not waits_for_lock)
        row = rows.filter(pk=survey).only("state", "design", "invited").first()
        if row is None or row.design_id is None or row.state in ENDED:
            return 0
        design = DesignRow.load_parsed(row.design_id)
        here = Inbox.objects.filter(survey=survey).count()
        if here < (design.least if seals_all else records_that_fill_a_batch(design.least)):
            return 0
        cursor.execute(TAKE, [survey])
        # The rows come in the order of their random ids.
        records = sorted(record for (record,) in cursor.fetchall())
        order = random_permutation(len(records), random_bytes)
        n = len(records)
        if not seals_all:
            n = draw_batch_size_leaving_least(
                design.least,
                n - records_that_fill_a_batch(design.least),
                partial(random_below, random_bytes=random_bytes),
            )
        drawn, left = ([records[index] for index in part] for part in (order[:n], order[n:]))
        number = last_batch_number(survey) + 1
        groups, codes = decode_inbox_records(design, drawn)
        stored_order = batch_bit_columns.order_open_records_first(groups, np.arange(n))
        packed = batch_bit_columns.pack_batch(design, groups[stored_order], codes[:, stored_order])
        Batch.objects.create(survey=row, first=number, last=number, n=n, columns=packed)
        batch_sealed.send(Survey, survey=row, number=number, design=design, codes=codes)
        if connection.vendor == "postgresql":
            # Each row would be another round trip.
            cursor.execute(PUT_BACK_AT_ONCE, [survey, left])
        else:
            cursor.executemany(PUT_BACK, [(random_inbox_id(), survey, record) for record in left])
        move_fresh_keys(survey)
        schedule_overwriting(Inbox, FreshKey)
        if row.invited:
            schedule_overwriting(Token, SpentToken)
            cursor.execute(DROP_SPENT, [survey])
            spent = sorted(hash_ for (hash_,) in cursor.fetchall())
            invitations_spent.send(Survey, survey=row, hashes=spent)
    return n


def last_batch_number(survey: int) -> int:
    """Returns the number of the survey's newest batch; 0 before the first."""
    return int(Batch.objects.filter(survey=survey).aggregate(last=Max("last", default=0))["last"])


# --- orders that nobody can guess or draw again


def random_below(n: int, random_bytes: RandomBytes = urandom) -> int:
    """Returns a secure random number from 0 to n-1, uniform up to n parts in 2^64."""
    return int.from_bytes(random_bytes(8), "little") % n


def random_permutation(n: int, random_bytes: RandomBytes = urandom) -> NDArray[np.intp]:
    """Returns a uniform random order of 0..n-1, by sorting secure random 64-bit numbers.

    Equal numbers keep their order; among a million that happens once in 30 million shuffles.
    """
    return np.argsort(np.frombuffer(random_bytes(8 * n), np.uint64), kind="stable")
