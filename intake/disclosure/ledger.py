"""The ledger of disclosures: before anything about a survey is published, it is checked here and recorded in a row.

A publishing function locks the survey, checks its disclosure beside the existing rows, and calls `write_disclosure` in
its own transaction, so that the second of two simultaneous publications sees the first. New records are still stored
meanwhile. A long check (of a release) runs before the lock, and again under it if the last row has changed.
"""

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max, Q, QuerySet, Sum
from django.utils.translation import gettext_noop

from intake.batches import sealed_batch_reader, sealing
from intake.batches.overwrite_deleted import schedule_overwriting
from intake.disclosure.models import Disclosure, DisclosureKind, Population, QuotaCell
from intake.disclosure.record_selection import (
    choose_open_record_patterns,
    current_population,
    get_finishing_row,
)
from intake.models import Batch
from mining.disclosure.plain_table_counts import LEAST
from surveys.lifecycle.record_counts import Counts
from surveys.models import Survey

if TYPE_CHECKING:
    from accounts.models import Person

TOLD = (DisclosureKind.REPORT, DisclosureKind.MODEL, DisclosureKind.RECORDS, DisclosureKind.RELEASE)
LOST = "lost"
"""Key of the row that a restore writes if disclosures were made after the backup, so that the ledger lacks them."""


@dataclass(frozen=True)
class ProposedDisclosure:
    """A disclosure before it is checked and published; its fields are those of `Disclosure`."""

    door: DisclosureKind
    key: str
    title: str
    last_batch: int
    population: str
    tables: dict[str, Any] = field(default_factory=dict)
    classes: bytes = b""
    to_holders: bool = False
    digest: str = ""


def content_digest(content: Any) -> str:
    """Returns the SHA-256 of bytes, or of the canonical JSON of any other content."""
    if not isinstance(content, bytes):
        content = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(content).hexdigest()


def last_row_id(survey: Survey) -> int:
    """Returns the id of the survey's last ledger row; 0 before the first."""
    return int(Disclosure.objects.filter(survey=survey).aggregate(last=Max("pk", default=0))["last"])


def next_ledger_number(survey: Survey) -> int:
    return 1 + int(Disclosure.objects.filter(survey=survey).aggregate(last=Max("number", default=0))["last"])


def list_disclosures(survey: Survey, *doors: DisclosureKind) -> list[Disclosure]:
    """Returns the survey's disclosures through these channels (all by default) in order, without refusals."""
    rows = Disclosure.objects.filter(survey=survey).exclude(door=DisclosureKind.REFUSAL)
    return list(rows.filter(door__in=doors) if doors else rows)


def last_disclosure_numbers() -> dict[str, int]:
    """Returns, by survey address, the number of the last ledger row that disclosed something or notes rows lost by a
    restore."""
    rows = Disclosure.objects.filter(Q(door__in=TOLD) | Q(key=LOST)).order_by()
    return dict(rows.values_list("survey__slug").annotate(last=Max("number")))


def is_missing_rows(survey: Survey) -> bool:
    """Returns True if a restore lost rows of this ledger: plain answers cannot be checked against lost disclosures."""
    return Disclosure.objects.filter(survey=survey, key=LOST).exists()


def note_lost_rows(survey: Survey, last_lost_number: int, now: datetime) -> None:
    """Writes a row which notes that a restore lost the rows up to number `last_lost_number`.

    Its own number is at least `last_lost_number`, so that a restore from another old backup is noticed too.
    """
    _write_row_disclosing_nothing(
        survey,
        max(next_ledger_number(survey), last_lost_number),
        key=LOST,
        title=gettext_noop("what was told after the backup that was restored"),
        when=now,
        last_batch=sealing.last_batch_number(survey.pk),
        population=Population.DISGUISED,
    )


def _write_row_disclosing_nothing(survey: Survey, number: int, **fields: Any) -> None:
    """Writes a ledger row that discloses nothing.

    Its digest is its number, so that one key can be refused several times.
    """
    Disclosure.objects.create(
        survey=survey, number=number, door=DisclosureKind.REFUSAL, digest=str(number), **fields
    )


def record_count_bounds(survey: Survey, last_batch: int) -> tuple[int, int]:
    """Returns the smallest and largest number of records in the batches 1..last_batch that readers can infer.

    The survey's page rounds the number to a multiple of `least`, or more finely if there is only the first
    batch. A survey closed at its cap has exactly that many. The report of a finished survey tells the number
    of open records if it is at least ten.
    """
    sizes = Batch.objects.filter(survey=survey, last__lte=last_batch)
    n = int(sizes.aggregate(n=Sum("n", default=0))["n"])
    first = Counts(0, n).as_shown_to_people(survey.least)
    low = Counts(n).as_shown_to_people(survey.least, rounded=True).sealed
    high = low + survey.least - 1
    if last_batch == 1 and first.waiting_at_most is not None:
        low, high = first.waiting_at_least, first.waiting_at_most
    if last_batch == sealing.last_batch_number(survey.pk):
        if is_closed_at_cap(survey, n):
            return n, n
        if survey.state == Survey.State.FINISHED:
            opened = get_finishing_row(survey).kept["open"]
            return (n, n) if opened >= LEAST else (low, min(high, n - opened + LEAST - 1))
    return low, high


def is_closed_at_cap(survey: Survey, n: int) -> bool:
    """True if the survey is no longer open and its n records reach its cap."""
    return survey.state != Survey.State.OPEN and survey.cap is not None and n >= survey.cap


def write_disclosure(
    survey: Survey, proposed: ProposedDisclosure, by: "Person | None", now: datetime
) -> None:
    """Writes the ledger row of a disclosure in the caller's transaction; writes nothing if the row exists already.

    The caller holds the survey's lock, and has either checked under it or found the last row unchanged since its check.
    """
    same = {"door": proposed.door, "key": proposed.key, "digest": proposed.digest}
    if Disclosure.objects.filter(survey=survey, **same).exists():
        return
    # A quota tells no number of records.
    bounds = (
        {}
        if proposed.door == DisclosureKind.QUOTA
        else {"records": record_count_bounds(survey, proposed.last_batch)}
    )
    Disclosure.objects.create(
        survey=survey,
        number=next_ledger_number(survey),
        when=now,
        by=by,
        title=proposed.title,
        last_batch=proposed.last_batch,
        population=proposed.population,
        to_holders=proposed.to_holders,
        tables=proposed.tables | bounds,
        classes=proposed.classes,
        **same,
    )


def store_refusal(survey: Survey, key: str, title: str, by: "Person | None", now: datetime) -> None:
    """Records a refused disclosure."""
    with transaction.atomic():
        Survey.objects.get_locked_while_records_arrive(survey.pk)
        last_batch, number = sealing.last_batch_number(survey.pk), str(next_ledger_number(survey))
        refusal = ProposedDisclosure(
            DisclosureKind.REFUSAL, key, title, last_batch, current_population(survey), digest=number
        )
        write_disclosure(survey, refusal, by, now)


def select_open_records_on_finishing(
    survey: Survey, person: "Person | None", now: datetime, **kwargs: Any
) -> None:
    """Seals the waiting records and chooses the open records to use, in the transaction that finishes the
    survey; deletes the counts of quotas.

    If a restore lost ledger rows, no open record is used, since other ones may have been used before.
    """
    sealing.seal_records(survey.pk, seals_all=True)
    if QuotaCell.objects.filter(survey=survey).update(count=0, bar=0):
        schedule_overwriting(QuotaCell)
    last_batch = sealing.last_batch_number(survey.pk)
    may_use = bool(last_batch) and not is_missing_rows(survey)
    columns = (
        [batch.columns for batch in sealed_batch_reader.read_batches_until_most(survey, last_batch)]
        if may_use
        else []
    )
    Disclosure.objects.create(
        survey=survey,
        number=next_ledger_number(survey),
        door=DisclosureKind.FINISHING,
        key="finishing",
        title=gettext_noop("the end of the survey"),
        when=now,
        by=person,
        last_batch=last_batch,
        population=Population.USED,
        kept=choose_open_record_patterns(columns),
    )


def replace_unpublished_by_refusal(survey: Survey, door: DisclosureKind, key: str) -> None:
    """Replaces the ledger row of a disclosure that was never published by a refusal row, which discloses nothing.

    Its number stays in use, since a ledger with a gap in its numbers cannot be read. The caller holds the survey's
    lock.
    """
    for row in Disclosure.objects.filter(survey=survey, door=door, key=key):
        QuerySet(Disclosure).filter(pk=row.pk).delete()
        _write_row_disclosing_nothing(
            survey,
            row.number,
            key=key,
            title=row.title,
            when=row.when,
            by=row.by,
            last_batch=row.last_batch,
            population=row.population,
        )


def on_destruction(survey: Survey, **kwargs: Any) -> None:
    """Deletes the ledger of a destroyed survey together with its records."""
    QuerySet(Disclosure).filter(survey=survey).delete()
    QuotaCell.objects.filter(survey=survey).delete()
    schedule_overwriting(Disclosure, QuotaCell)


def last_batches_of_disclosures(survey: int) -> set[int]:
    """Returns the last batch number of each disclosure.

    No merge reaches across such a number, since later checks compare with the records up to it.
    """
    return set(Disclosure.objects.filter(survey=survey).values_list("last_batch", flat=True))
