"""Makes a release: the job that anonymises its source, checks the result, and stores it once."""

import gzip
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _, gettext_noop
from numpy.typing import NDArray

from accounts.history import log_activity
from intake.disclosure import ledger
from intake.disclosure.attacking import attack_on
from intake.disclosure.canonical import DisguisedRecords, packed
from intake.disclosure.ledger import Telling, digest_of
from intake.disclosure.models import Disclosure, Door, Population
from jobs import database, wake
from jobs.message import JobFailed, Message, Progress
from jobs.models import State as JobState, Write
from privacy.anonymity.anonymised import AnonymisedTable
from privacy.anonymity.criteria import ABSENT, joint_violations
from privacy.anonymity.published import check, rows_in_order, write
from privacy.anonymity.risk.attacks import attacked
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import read_table
from privacy.grammar.input_error import InputError
from privacy.records.csv_rows import AT_ONCE, Tick
from privacy.records.record_file import BoundedLines
from releases import sources, uploads
from releases.making import attacking, joining, joint, kernel_cache, upload_digests
from releases.making.anonymizing import Stopped, compile_beside, report_of
from releases.making.watching import RepeatedProgress, watched
from releases.models import Making, Release, ReleasedTable, Source, problem_json
from releases.specification import specifying
from surveys.models import Survey
from surveys.questionnaire.problems import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

State = Release.State
NAME = "release.csv"
ASK_AGAIN = 0.5
"""Seconds between two looks whether the search is to stop."""
COMPRESSION = 6
"""Of gzip: the highest level takes four times as long, for a twentieth of the bytes."""


def start(release: Release, person: "Person", now: datetime) -> Making:
    """Start making a draft; refused where its specification is wrong or its upload gone."""
    if not release.may(person, "configure"):
        raise NotAllowed(_("Only people with edit access can make a release, and only from a draft."))
    specifying.check(release.source, release.specification, now)
    with transaction.atomic():
        moved = Release.objects.filter(pk=release.pk, state=State.DRAFT)
        if not moved.update(state=State.RUNNING, since=now, by=person, reason="", problem={}):
            raise NotAllowed(_("This release is being made already. Wait for it, or cancel it."))
        making = Making(release=release)
        wake.enqueue(making)
        log_activity(person, "releases.run", release.thing, note=f"{release}.", when=now)
    release.refresh_from_db()
    return making


def stop(release: Release, person: "Person") -> None:
    """End the search with the best classes found so far."""
    if not release.may(person, "cancel"):
        raise NotAllowed(_("Only people with edit access can stop the search of this release."))
    live = Making.objects.filter(release=release, state__in=(JobState.QUEUED, JobState.RUNNING))
    if not live.update(stop_asked=True):
        raise NotAllowed(_("This release is not being made just now."))


def settle(release: Release, now: datetime) -> None:
    """Make a release a draft again whose making failed or was cancelled; called where one is shown, and by the tick."""
    if release.state != State.RUNNING:
        return
    making = release.making
    if making is None or making.live or making.state == JobState.DONE:
        return
    words = making.problem if making.error else Message(gettext_noop("The making was cancelled."))
    back = Release.objects.filter(pk=release.pk, state=State.RUNNING)
    # Not where somebody has started it again meanwhile.
    back = back.exclude(makings__pk__gt=making.pk)
    if back.update(state=State.DRAFT, since=now, by=None, problem=problem_json([words])):
        log_activity(None, "releases.not-made", release.thing, note=f"{release}.", when=now)
    release.refresh_from_db()


def settle_all(now: datetime) -> None:
    for release in (
        Release.objects.filter(state=State.RUNNING).select_related("source__survey").order_by("pk")
    ):
        with transaction.atomic():
            settle(release, now)


# --- the job ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MadeTable:
    """`labels`: the class of each record of the source in its order, ABSENT where it is left out."""

    outcome: AnonymisedTable
    report: dict[str, Any]
    file: bytes
    labels: NDArray[np.int64]


def perform(making: Making, progress: Progress) -> Write:
    release = making.release
    now = database.now()
    progress = RepeatedProgress(progress)
    try:
        head = ledger.head(release.survey) if release.survey else 0
        before = joint.earlier(release)
        records = joint.read_records(release, before)
        specification = sources.get_specification(release)
        made = make(making, specification, before, records, progress, now)
    except ConflictsWithUploads:
        return partial(refuse, release, joint.reasons_of_uploads())
    except NotAllowed as refused:
        return partial(back_to_draft, release, "", Message("%(reason)s", {"reason": str(refused)}))
    except InputError as refusal:
        words = Message(refusal.template, dict(refusal.values))  # type: ignore[arg-type]
        return partial(back_to_draft, release, refusal.path, words)
    if records is not None:
        progress(0.98, gettext_noop("The table is held beside all that was told before"))
        if reasons := refusals(release, records, made, specification, before):
            return partial(refuse, release, reasons)
    progress(1.0, gettext_noop("The table is stored"))
    return partial(finish, making, made, head)


def make(
    making: Making,
    specification: Specification,
    before: Sequence[Disclosure],
    records: DisguisedRecords | None,
    progress: RepeatedProgress,
    now: datetime,
) -> MadeTable:
    source = making.release.source
    content, name = io.BytesIO(sources.read_bytes(source, records, now)), str(source)
    table = watched(lambda: read_table(content, name, specification, reading(progress, 0.0)), progress.repeat)
    until = upload_digests.last()
    known = known_of(source, making.release, now, progress)
    earlier = [] if known is None else upload_digests.told(*known)
    compiling = gettext_noop("The search is compiled, which takes about a minute after an installation")
    compile_beside(kernel_cache.folder(), partial(progress, 0.1, compiling))
    told = None
    if specification.disguised and (before or earlier):
        raise NotAllowed(
            _(
                "A disguised column can leave once: two disguises of the same answers tell more than one. Leave the "
                "column out, or make it a quasi-identifier."
            )
        )
    if making.release.joined and records:
        told = joining.labels(making.release, records, before)
    elif making.release.joined and earlier:
        told = joining.together(earlier)
    outcome, seconds = joining.anonymized_beside(
        table, specification, str(source), stopped(making, progress), told
    )
    file = watched(lambda: written(outcome, specification, progress), progress.repeat)
    attacking_now = partial(progress, 0.93, gettext_noop("The table is attacked"))
    attacking_now()
    attacks = watched(
        lambda: attacked(
            attacking.file_table(gzip.decompress(file), specification, attacking_now), specification
        ),
        progress.repeat,
    )
    labels = np.full(table.records, ABSENT, np.int64)
    labels[outcome.kept] = outcome.partition.labels
    facts = {
        "method": specification.method,
        "joined": told is not None,
        "records": table.records,
        "published": len(outcome.kept),
        "falsified": outcome.falsified,
        "told": [one.title for one in before],
    }
    if known is not None:
        same = titles(making.release, known[1])
        facts |= {"told": same, "partly": partly(known[1]), "until": until}
        attacks["beside"] = [
            joint.small_classes(title, labels, one, specification.criteria.k)
            for title, one in zip(same, earlier, strict=True)
        ]
        if earlier and any(joint_violations(table, specification, [labels, *earlier]).values()):
            raise ConflictsWithUploads
    if records is not None:
        k = specification.criteria.k
        attacks["beside"] = joint.attacks_beside(making.release, records, labels, before, k)
    measuring = partial(progress, 0.95, gettext_noop("Risks and losses are computed"))
    measuring()
    report = watched(lambda: report_of(outcome, specification, seconds, measuring), progress.repeat)
    return MadeTable(outcome, report | facts | {"attacks": attacks}, file, labels)


def reading(progress: Progress, share: float) -> Tick:
    """Tells how many records are read."""
    chunks = count()

    def tick() -> None:
        words = gettext_noop("The table is read: %(records)s records so far")
        progress(share, words, records=next(chunks) * AT_ONCE)

    return tick


class ConflictsWithUploads(Exception):
    """The table was released before, and both releases together break the criteria."""


def known_of(
    source: Source, release: Release, now: datetime, progress: RepeatedProgress
) -> tuple[upload_digests.TableDigest, list[upload_digests.KnownTable]] | None:
    """What was released of an upload before; None for a survey."""
    if not source.is_upload:
        return None
    content = bytes(uploads.get_upload(source, now).content)
    layout, tick = sources.get_layout(release), reading(progress, 0.05)
    own = watched(lambda: upload_digests.TableDigest.of(content, layout, tick), progress.repeat)
    return own, upload_digests.known_tables(own, release)


def titles(release: Release, known: Sequence[upload_digests.KnownTable]) -> list[str]:
    """Another owner's table is named to reviewers alone, on their page."""
    return [
        str(one.row.release) if one.row.release.source.owner_id == release.source.owner_id else ""
        for one in known
        if one.is_same
    ]


def partly(known: Sequence[upload_digests.KnownTable]) -> list[dict[str, Any]]:
    """The tables with some of the same columns, for the reviewer."""
    return [
        {
            "columns": one.columns,
            "when": one.row.when.date().isoformat(),
            "release": str(one.row.release),
        }
        for one in known
        if not one.is_same
    ]


def stopped(making: Making, progress: Progress) -> Stopped:
    """Tells progress, and asks once a second whether to stop with the best so far."""
    asked = monotonic()

    def ask(share: float) -> bool:
        nonlocal asked
        progress(0.1 + 0.8 * min(share, 1.0), gettext_noop("The best classes are searched for"))
        if monotonic() - asked < ASK_AGAIN:
            return False
        asked = monotonic()
        return Making.objects.filter(pk=making.pk, stop_asked=True).exists()

    return ask


def written(outcome: AnonymisedTable, specification: Specification, progress: Progress) -> bytes:
    """The published file, gzip, read back as stored and checked."""
    order, stored = rows_in_order(outcome), io.BytesIO()
    with (
        gzip.GzipFile(filename="", mode="wb", compresslevel=COMPRESSION, fileobj=stored, mtime=0) as packed,
        io.TextIOWrapper(packed, "utf-8", newline="") as text,
    ):
        write(text, outcome, order, partial(progress, 0.85, gettext_noop("The table is written")))
    file = stored.getvalue()
    checking = partial(progress, 0.9, gettext_noop("The table is read back and checked"))
    try:
        with gzip.open(io.BytesIO(file)) as opened:
            check(BoundedLines(opened), NAME, outcome, specification, order, checking)
    except InputError:
        raise JobFailed(
            gettext_noop(
                "The table was made, and the check of the file disagreed, so nothing is kept. Start it again; if that "
                "happens once more, tell the operator: it is a fault of Candor."
            )
        ) from None
    return file


# --- in the transaction that makes the job done -------------------------------------------------------------


def finish(making: Making, made: MadeTable, head: int) -> None:
    """`head`: that of the ledger when the release was checked; where it has moved, the release is checked again."""
    release, now = making.release, database.now()
    if release.survey:
        Survey.objects.locked_beside_records(release.survey.pk)
        if ledger.head(release.survey) != head and (words := _refusals_now(release, made)):
            refuse(release, words)
            return
        ledger.enter(release.survey, telling_of(release, made), release.by, now)
    if not _move(release, State.CHECKED, now, problem={}):
        return
    classes = packed(made.labels)
    ReleasedTable.objects.create(making=making, file=made.file, report=made.report, classes=classes)
    log_activity(None, "releases.checked", release.thing, note=f"{release}.", when=now)


def telling_of(release: Release, made: MadeTable) -> Telling:
    return Telling(
        Door.RELEASE,
        joint.key_of(release),
        str(release),
        release.source.through or 0,
        Population.DISGUISED,
        classes=packed(made.labels),
        digest=digest_of(made.file),
    )


def refusals(
    release: Release,
    records: DisguisedRecords,
    made: MadeTable,
    specification: Specification,
    before: Sequence[Disclosure],
) -> list[Message]:
    """Why the release cannot leave, beside what was told before."""
    if conflicts := joint.conflicts(release, records, made.labels, specification, before):
        return joint.reasons(conflicts)
    assert release.survey
    if attack_on(release.survey, telling_of(release, made)).finds_few:
        return joint.reasons_of_all()
    return []


def _refusals_now(release: Release, made: MadeTable) -> list[Message]:
    before = joint.earlier(release)
    records = joint.read_records(release, before)
    assert records is not None
    return refusals(release, records, made, sources.get_specification(release), before)


def refuse(release: Release, words: Sequence[Message]) -> None:
    now = database.now()
    if _move(release, State.REFUSED, now, problem=problem_json(words)):
        if release.survey:
            ledger.refuse(release.survey, joint.key_of(release), str(release), release.by, now)
        log_activity(None, "releases.refused", release.thing, note=f"{release}.", when=now)


def back_to_draft(release: Release, path: str, words: Message) -> None:
    now = database.now()
    if _move(release, State.DRAFT, now, problem=problem_json([words], path)):
        log_activity(None, "releases.not-made", release.thing, note=f"{release}.", when=now)


def _move(release: Release, after: State, now: datetime, **values: Any) -> bool:
    running = Release.objects.filter(pk=release.pk, state=State.RUNNING)
    return bool(running.update(state=after, since=now, by=None, **values))
