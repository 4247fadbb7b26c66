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
from intake.disclosure.canonical_order import DisguisedRecords, pack_classes, unpack_classes
from intake.disclosure.ledger import ProposedDisclosure, content_digest
from intake.disclosure.models import Disclosure, Door, Population
from intake.disclosure.simulated_attack import attack_ledger
from jobs import database, wake
from jobs.message import JobFailed, Message, Progress
from jobs.models import State as JobState, Write
from privacy.anonymity.anonymised import AnonymisedTable
from privacy.anonymity.criteria import ABSENT, joint_violations
from privacy.anonymity.published import check, rows_in_order, write
from privacy.anonymity.risk.attacks import run_attacks
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import read_table
from privacy.grammar.input_error import InputError
from privacy.records.codebooks import AT_ONCE, Tick
from privacy.records.record_file import BoundedLines
from releases import sources
from releases.lifecycle import attack_job, joint_check, kernel_cache, upload_digests
from releases.lifecycle.anonymization import Stopped, compile_beside, report_of
from releases.lifecycle.upload_digests import TableDigest
from releases.lifecycle.watched_thread import RepeatedProgress
from releases.models import Making, Release, ReleasedTable, problem_json
from releases.specification import specification_check
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

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
    specification_check.check(release.source, release.specification, now)
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
    running = Release.objects.filter(state=State.RUNNING).select_related("source__survey")
    for release in running.order_by("pk"):
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
        head = ledger.last_row_id(release.survey) if release.survey else 0
        before = joint_check.earlier(release)
        records = joint_check.read_records(release, before)
        specification = sources.get_specification(release)
        made = make(making, specification, before, records, progress, now)
    except ConflictsWithUploads:
        return partial(refuse, release, joint_check.SAME_UPLOAD)
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
    """Search the classes, write and check the file, attack it, and report.

    `before`: what was told of the survey; `records`: those of the survey; empty and None for an upload.
    """
    release, source, k = making.release, making.release.source, specification.criteria.k
    content = sources.read_bytes(source, records, now)
    reading = record_counter(progress, 0.0)
    table = progress.wait_for(lambda: read_table(io.BytesIO(content), str(source), specification, reading))
    facts: dict[str, Any] = {"told": [disclosure.title for disclosure in before]}
    earlier: list[NDArray[np.int64]] = []
    if source.is_upload:
        facts["until"] = upload_digests.last()
        layout, digesting = sources.get_layout(release), record_counter(progress, 0.05)
        own = progress.wait_for(lambda: TableDigest.read(content, layout, digesting))
        known = upload_digests.known_tables(own, release)
        same = [digest for digest, _columns, is_same in known if is_same]
        earlier = [own.classes(unpack_classes(digest.classes)) for digest in same]
        # Another owner's table is named to reviewers alone, on their page.
        facts["told"] = [
            str(digest.release) if digest.release.source.owner_id == source.owner_id else ""
            for digest in same
        ]
        # Tables with some of the same columns, for the reviewer.
        facts["partly"] = [
            {"columns": columns, "when": digest.when.date().isoformat(), "release": str(digest.release)}
            for digest, columns, is_same in known
            if not is_same
        ]
    compiling = gettext_noop("The search is compiled, which takes about a minute after an installation")
    compile_beside(kernel_cache.folder(), partial(progress, 0.1, compiling))
    if specification.disguised and (before or earlier):
        raise NotAllowed(
            _(
                "A disguised column can leave once: two disguises of the same answers tell more than one. Leave the "
                "column out, or make it a quasi-identifier."
            )
        )
    kept = None
    if release.joined and records:
        kept = joint_check.joined_labels(release, records, before)
    elif release.joined and earlier:
        kept = joint_check.joined(earlier)
    outcome, seconds = joint_check.anonymized_beside(
        table, specification, str(source), stop_asked(making, progress), kept
    )
    file = progress.wait_for(lambda: write_file(outcome, specification, progress))
    tick = partial(progress, 0.93, gettext_noop("The table is attacked"))
    tick()
    attacks = progress.wait_for(
        lambda: run_attacks(
            attack_job.read_published(gzip.decompress(file), specification, tick), specification
        )
    )
    labels = np.full(table.records, ABSENT, np.int64)
    labels[outcome.kept] = outcome.partition.labels
    if source.is_upload:
        attacks["beside"] = [
            joint_check.small_classes(title, labels, classes, k)
            for title, classes in zip(facts["told"], earlier, strict=True)
        ]
        if earlier and any(joint_violations(table, specification, [labels, *earlier]).values()):
            raise ConflictsWithUploads
    if records is not None:
        attacks["beside"] = joint_check.attacks_beside(release, records, labels, before, k)
    measuring = partial(progress, 0.95, gettext_noop("Risks and losses are computed"))
    measuring()
    report = progress.wait_for(lambda: report_of(outcome, specification, seconds, measuring))
    facts |= {
        "method": specification.method,
        "joined": kept is not None,
        "records": table.records,
        "published": len(outcome.kept),
        "falsified": outcome.falsified,
    }
    return MadeTable(outcome, report | facts | {"attacks": attacks}, file, labels)


class ConflictsWithUploads(Exception):
    """The table was released before, and both releases together break the criteria."""


def record_counter(progress: Progress, share: float) -> Tick:
    """Tells how many records are read."""
    chunks = count()

    def tick() -> None:
        words = gettext_noop("The table is read: %(records)s records so far")
        progress(share, words, records=next(chunks) * AT_ONCE)

    return tick


def stop_asked(making: Making, progress: Progress) -> Stopped:
    """Tells progress, and looks again and again whether somebody asks to stop with the best so far."""
    looked = monotonic()

    def ask(share: float) -> bool:
        nonlocal looked
        progress(0.1 + 0.8 * min(share, 1.0), gettext_noop("The best classes are searched for"))
        if monotonic() - looked < ASK_AGAIN:
            return False
        looked = monotonic()
        return Making.objects.filter(pk=making.pk, stop_asked=True).exists()

    return ask


def write_file(outcome: AnonymisedTable, specification: Specification, progress: Progress) -> bytes:
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
        Survey.objects.get_locked_beside_records(release.survey.pk)
        if ledger.last_row_id(release.survey) != head:
            before = joint_check.earlier(release)
            records = joint_check.read_records(release, before)
            assert records is not None
            if reasons := refusals(release, records, made, sources.get_specification(release), before):
                refuse(release, reasons)
                return
        ledger.write_disclosure(release.survey, telling_of(release, made), release.by, now)
    if not _move(release, State.CHECKED, now, problem={}):
        return
    classes = pack_classes(made.labels)
    ReleasedTable.objects.create(making=making, file=made.file, report=made.report, classes=classes)
    log_activity(None, "releases.checked", release.thing, note=f"{release}.", when=now)


def telling_of(release: Release, made: MadeTable) -> ProposedDisclosure:
    return ProposedDisclosure(
        Door.RELEASE,
        joint_check.key_of(release),
        str(release),
        release.source.through or 0,
        Population.DISGUISED,
        classes=pack_classes(made.labels),
        digest=content_digest(made.file),
    )


def refusals(
    release: Release,
    records: DisguisedRecords,
    made: MadeTable,
    specification: Specification,
    before: Sequence[Disclosure],
) -> list[Message]:
    """Why the release cannot leave, beside what was told before."""
    if conflicts := joint_check.conflicts(release, records, made.labels, specification, before):
        return joint_check.reasons(conflicts)
    assert release.survey
    if attack_ledger(release.survey, telling_of(release, made)).finds_few:
        return joint_check.TOO_FEW_TOGETHER
    return []


def refuse(release: Release, words: Sequence[Message]) -> None:
    now = database.now()
    if _move(release, State.REFUSED, now, problem=problem_json(words)):
        if release.survey:
            ledger.store_refusal(release.survey, joint_check.key_of(release), str(release), release.by, now)
        log_activity(None, "releases.refused", release.thing, note=f"{release}.", when=now)


def back_to_draft(release: Release, path: str, words: Message) -> None:
    now = database.now()
    if _move(release, State.DRAFT, now, problem=problem_json([words], path)):
        log_activity(None, "releases.not-made", release.thing, note=f"{release}.", when=now)


def _move(release: Release, after: State, now: datetime, **values: Any) -> bool:
    running = Release.objects.filter(pk=release.pk, state=State.RUNNING)
    return bool(running.update(state=after, since=now, by=None, **values))
