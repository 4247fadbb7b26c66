"""Tables of records, keys and invitations, without anything that links a record to the others
(docs/promises.md, Nobody is tied to a sealed record).

Keys and records point at their survey without a constraint in the database: the row of a survey that was once
open stays (surveys.triggers), so nothing would be checked, and that row would be locked for every record.

On SQLite these tables have no rowid, which would number the rows in the order of their arrival. The database
pages show that order all the same, so a new record is swapped with a waiting one
(`intake.endpoint.store_record`): a copy of the file links no record to a key or an invitation. SQLite's log
(-wal) does, and so does PostgreSQL, where each row names the transaction that wrote it (xmin): there a copy
of the database links a waiting record to its key and invitation, until the sealing rewrites all of these rows
(the page /limits, waiting-in-the-inbox).

Where invitations are exchanged for tokens (`intake.endpoint.invitation_exchange`), the two transactions share
nothing: the exchange writes the hash of the invitation and a hash that only its device can compute, the
record's transaction writes the hash of its token. PostgreSQL still shows the order of transactions, which
says as much as the times of the two requests.
"""

import uuid
from typing import Any

from django.db import connection, models
from django.db.models import F, Q

from surveys.models import Survey

HASH_BYTES = 16
"""Length of each stored hash in bytes (intake.endpoint.keyed_hashes_of_secrets)."""


class KeySecret(models.Model):
    """The secret that keys the hashes of a survey's submission keys, tokens and invitations, made with the first hash.

    `dropped_before`: the keys of earlier epochs were deleted, so that records of these epochs are refused for ever.
    """

    survey = models.OneToOneField(
        Survey, models.CASCADE, primary_key=True, related_name="+", db_constraint=False
    )
    secret = models.BinaryField()
    dropped_before = models.SmallIntegerField(db_default=0)


class Token(models.Model):
    """An unused invitation. Spending it deletes the row, so that used and unknown invitations look alike."""

    hash = models.BinaryField(primary_key=True, max_length=HASH_BYTES)
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+")


class SpentToken(models.Model):
    """An invitation used since the last sealing. The next sealing deletes the row and sends the signal
    `invitations_spent`."""

    hash = models.BinaryField(primary_key=True, max_length=HASH_BYTES)
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+", db_constraint=False)


class FreshKey(models.Model):
    """The hash of a submission key, spent token or exchange since the last sealing.

    All three make it harmless to send a request again. They share a table and are moved together, so that no
    count and no order tells them apart. `epoch`: the month of the page that sent it, the same for everybody;
    0 in a survey that asks for invitations, and for field devices (intake.endpoint.epochs).
    """

    hash = models.BinaryField(primary_key=True, max_length=HASH_BYTES)
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+", db_constraint=False)
    epoch = models.SmallIntegerField()


class SeenKeys(models.Model):
    """A block of key hashes of one survey and epoch from before the last sealing, sorted and packed, from
    `first` to the next block (intake.batches.seen_keys).

    No order of arrival is left, and a hash costs little more than its 16 bytes.
    """

    pk = models.CompositePrimaryKey("survey_id", "epoch", "first")
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    epoch = models.SmallIntegerField()
    first = models.BinaryField(max_length=HASH_BYTES)
    hashes = models.BinaryField()


class ExpiringKeys(models.Model):
    """A finished survey, with the time at which its submission keys are due to be deleted."""

    survey = models.OneToOneField(
        Survey, models.CASCADE, primary_key=True, related_name="+", db_constraint=False
    )
    due = models.DateTimeField()


class Inbox(models.Model):
    """A record that waits for sealing. Its id is random, and it shares no column with keys or tokens."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+", db_constraint=False)
    record = models.BinaryField()


def random_inbox_id() -> Any:
    """Returns a random id for an inbox row, in this database's type."""
    return Inbox._meta.pk.get_db_prep_value(uuid.uuid4(), connection)


class Batch(models.Model):
    """A sealed batch of at least `least` shuffled records, as columns of bits. A merged batch covers the numbers
    first..last.

    `copies`: a lower bound on how many records are copies of others (`runs.copied_record_detection`); None until they
    are counted.
    """

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+", db_index=False)
    first = models.PositiveIntegerField()
    last = models.PositiveIntegerField()
    n = models.PositiveIntegerField()
    copies = models.PositiveIntegerField(null=True)
    columns = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["survey", "first"], name="one_batch_per_number"),
            models.CheckConstraint(condition=Q(first__gte=1, last__gte=F("first")), name="batch_of_numbers"),
            models.CheckConstraint(condition=Q(n__gte=20), name="batch_of_many"),
        ]


class WaitCount(models.Model):
    """Counts of one hour: people asked to wait with their record, and people who returned
    (intake.endpoint.people_asked_to_wait)."""

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    hour = models.DateTimeField()
    asked = models.PositiveIntegerField(default=0)
    returned = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["survey", "hour"], name="one_wait_count_an_hour")]


class Sweep(models.Model):
    """A table with deleted rows whose bytes may still be in the database's files, until they are overwritten."""

    table = models.CharField(max_length=40)
