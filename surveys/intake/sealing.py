"""From the inbox to a batch: who sent what, and when, ends here.

All that waits of a survey is taken out. The sealed part is drawn from all of it and stored in a random order;
the rest goes back under new ids in a random order too, and every fresh key becomes a seen one, whether its
record was drawn or not. Moving only as many keys as records were sealed would leave keys and records that wait
in the order of their arrival, side by side, to be matched later; so after a sealing nothing ties even a waiting
record to its key, and a key tells only between which two sealings it came. Keys are moved in hash order, and
they stay known: a record sent again is recognised for as long as its survey lives.
"""

from collections.abc import Iterable
from os import urandom
from typing import Any

from django.db import connection, transaction
from django.db.models import Max

from surveys.intake import columns, waiting
from surveys.intake.accept import design_of, fresh_id
from surveys.intake.models import Batch, FreshKey, Inbox, SeenKey, Sweep, Token
from surveys.intake.shuffling import RandomBytes, permutation
from surveys.models import Survey

TAKE = "DELETE FROM intake_inbox WHERE survey_id = %s RETURNING record"
TAKE_KEYS = "DELETE FROM intake_freshkey WHERE survey_id = %s RETURNING hash"
PUT_BACK = "INSERT INTO intake_inbox (id, survey_id, record) VALUES (%s, %s, %s)"
PUT_KEYS = "INSERT INTO intake_seenkey (hash, survey_id) VALUES (%s, %s) ON CONFLICT DO NOTHING"


def locked(survey: int) -> Survey:
    """The survey, held until the transaction ends by whoever seals, merges or fixes what a run covers.

    Taking records in goes on meanwhile: NO KEY UPDATE does not stop rows that point at this one.
    """
    return Survey.objects.select_for_update(no_key=True).get(pk=survey)


def seal(survey: int, *, everything: bool = False, random_bytes: RandomBytes = urandom) -> int:
    """Seal what is due and say how many records that were: all but `least`, once twice as many wait.

    `everything`: the survey is closed, and all that wait are sealed if they are at least `least`.
    """
    with transaction.atomic():
        row = locked(survey)
        if row.design_id is None or row.state == Survey.State.DESTROYED:
            return 0
        design = design_of(row.design_id)
        here = Inbox.objects.filter(survey=survey).count()
        if here < (1 if everything else 2) * design.least:
            return 0
        records = _taken(TAKE, survey)
        order = permutation(len(records), random_bytes)
        n = len(records) if everything else len(records) - design.least
        drawn, left = ([records[place] for place in part] for part in (order[:n], order[n:]))
        last = last_sealed(survey)
        packed = columns.pack(design, *waiting.read(design, drawn))
        Batch.objects.create(survey=row, first=last + 1, last=last + 1, n=n, columns=packed)
        _put(PUT_BACK, [(fresh_id(), survey, record) for record in left])
        _put(PUT_KEYS, [(key, survey) for key in sorted(_taken(TAKE_KEYS, survey))])
        owe([Inbox, FreshKey, *([Token] if row.invited else [])])
    return n


def _taken(sql: str, survey: int) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, [survey])
        return [value for (value,) in cursor.fetchall()]


def _put(sql: str, rows: list[tuple[Any, ...]]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(sql, rows)


def last_sealed(survey: int) -> int:
    """The number of the newest batch, 0 before the first."""
    return Batch.objects.filter(survey=survey).aggregate(last=Max("last"))["last"] or 0


Swept = type[Inbox] | type[FreshKey] | type[SeenKey] | type[Token] | type[Batch]


def owe(tables: Iterable[Swept]) -> None:
    """Remember, in the transaction that deletes rows, that their bytes are still there."""
    Sweep.objects.bulk_create([Sweep(table=table._meta.db_table) for table in tables])
