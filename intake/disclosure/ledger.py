"""The ledger: every door asks it before something is told, and writes a row in the door's own transaction.

A door locks the survey, checks what it is about to tell beside the rows that are there, and calls `enter`. So of two
doors at once the second sees the row of the first. New records are still stored meanwhile. A long check (a release) is
made before the lock is taken; it is made again under the lock where the head, the last row, has moved.
"""

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max, QuerySet, Sum
from django.utils.translation import gettext as _, gettext_noop

from intake.batches import batches, sealing
from intake.batches.sweeping import schedule
from intake.disclosure.models import Disclosure, Door, Population
from intake.disclosure.records import choose_open_records, finishing_row, population_of
from intake.models import Batch
from mining.disclosure.plain_tables import LEAST
from surveys.lifecycle.counts import Counts
from surveys.models import Survey

if TYPE_CHECKING:
    from accounts.models import Person

MANY_REFUSALS = 20


@dataclass(frozen=True)
class Telling:
    """What a door is about to tell; see `Disclosure`."""

    door: Door
    key: str
    title: str
    last_batch: int
    population: str
    tables: dict[str, Any] = field(default_factory=dict)
    classes: bytes = b""
    to_holders: bool = False
    digest: str = ""


def digest_of(content: Any) -> str:
    """The SHA-256 of bytes, or of the canonical JSON of anything else."""
    if not isinstance(content, bytes):
        content = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(content).hexdigest()


def head(survey: Survey) -> int:
    """The id of the survey's last row; 0 before the first."""
    return int(Disclosure.objects.filter(survey=survey).aggregate(last=Max("pk", default=0))["last"])


def next_number(survey: Survey) -> int:
    return 1 + int(Disclosure.objects.filter(survey=survey).aggregate(last=Max("number", default=0))["last"])


def told(survey: Survey, *doors: Door) -> list[Disclosure]:
    """The disclosures through these doors, or through all doors, in their order; refusals tell nothing."""
    rows = Disclosure.objects.filter(survey=survey).exclude(door=Door.REFUSAL)
    return list(rows.filter(door__in=doors) if doors else rows)


def records_in_all(survey: Survey, last_batch: int) -> tuple[int, int]:
    """The smallest and the largest number of records in the batches 1..last_batch, as far as readers know.

    The page tells a multiple of `least`, and of the first batch, which may have been sealed at a closing, a tenth. A
    survey that closed at its cap has so many. A report of a finished survey tells how many are open, if they are ten.
    """
    sizes = Batch.objects.filter(survey=survey, last__lte=last_batch)
    n = int(sizes.aggregate(n=Sum("n", default=0))["n"])
    first = Counts(0, n).as_shown_to_people(survey.least)
    low = Counts(n).as_shown_to_people(survey.least, rounded=True).sealed
    high = low + survey.least - 1
    if last_batch == 1 and first.waiting_at_most is not None:
        low, high = first.waiting_at_least, first.waiting_at_most
    if last_batch == sealing.last_sealed(survey.pk):
        if is_full(survey, n):
            return n, n
        if survey.state == Survey.State.FINISHED:
            opened = finishing_row(survey).kept["open"]
            return (n, n) if opened >= LEAST else (low, min(high, n - opened + LEAST - 1))
    return low, high


def is_full(survey: Survey, n: int) -> bool:
    """Whether the survey has closed at its cap, with n records."""
    return survey.state != Survey.State.OPEN and survey.cap is not None and n >= survey.cap


def enter(survey: Survey, telling: Telling, by: "Person | None", now: datetime) -> None:
    """Write the row of a disclosure, in the door's transaction. The same thing is entered once.

    The caller holds the lock of the survey, and has checked the disclosure since it took it, or has found the head
    unchanged since its check.
    """
    same = {"door": telling.door, "key": telling.key, "digest": telling.digest}
    if Disclosure.objects.filter(survey=survey, **same).exists():
        return
    Disclosure.objects.create(
        survey=survey,
        number=next_number(survey),
        when=now,
        by=by,
        title=telling.title,
        last_batch=telling.last_batch,
        population=telling.population,
        to_holders=telling.to_holders,
        tables={**telling.tables, "records": records_in_all(survey, telling.last_batch)},
        classes=telling.classes,
        **same,
    )


def refuse(survey: Survey, key: str, title: str, by: "Person | None", now: datetime) -> str:
    """Store a refusal; return what to do where there were many, else nothing."""
    with transaction.atomic():
        Survey.objects.get_locked_beside_records(survey.pk)
        last_batch, number = sealing.last_sealed(survey.pk), str(next_number(survey))
        refusal = Telling(Door.REFUSAL, key, title, last_batch, population_of(survey), digest=number)
        enter(survey, refusal, by, now)
    many = Disclosure.objects.filter(survey=survey, door=Door.REFUSAL).count() > MANY_REFUSALS
    return _("Many tables of this survey were refused. Ask a reviewer before you try others.") if many else ""


def finish(survey: Survey, person: "Person | None", now: datetime, **kwargs: Any) -> None:
    """Seal what waits, and decide once which open records are used; in the transaction that finishes the survey."""
    sealing.seal(survey.pk, everything=True)
    last_batch = sealing.last_sealed(survey.pk)
    columns = [batch.columns for batch in batches.read_all(survey, last_batch)] if last_batch else []
    Disclosure.objects.create(
        survey=survey,
        number=next_number(survey),
        door=Door.FINISHING,
        key="finishing",
        title=gettext_noop("the end of the survey"),
        when=now,
        by=person,
        last_batch=last_batch,
        population=Population.USED,
        kept=choose_open_records(columns),
    )


def forget(survey: Survey, door: Door, key: str) -> None:
    """Delete the row of what was checked and never told, under the survey's lock."""
    QuerySet(Disclosure).filter(survey=survey, door=door, key=key).delete()


def on_destruction(survey: Survey, **kwargs: Any) -> None:
    """The rows go with the records that they are about."""
    QuerySet(Disclosure).filter(survey=survey).delete()
    schedule(Disclosure)


def pinned_batches(survey: int) -> set[int]:
    """The last batch of each disclosure, across which none is merged: later doors compare with the records up to it."""
    return set(Disclosure.objects.filter(survey=survey).values_list("last_batch", flat=True))
