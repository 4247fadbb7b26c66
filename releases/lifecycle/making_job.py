"""Job that makes a release: anonymises the source, checks the result against earlier disclosures, and stores it
once."""

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

from accounts.activity_log import log_activity
from intake.disclosure import ledger
from intake.disclosure.attack_on_all_disclosures import attack_all_disclosures
from intake.disclosure.canonical_order import DisguisedRecords, pack_classes
from intake.disclosure.ledger import ProposedDisclosure, content_digest
from intake.disclosure.models import Disclosure, DisclosureKind, Population
from jobs import database, job_queue
from jobs.models import State as JobState, Write
from jobs.progress_messages import JobFailed, Message, Progress
from mining.table_file_anonymisation import Stopped, load_kernels, make_anonymisation_report
from privacy.anonymity.anonymisation_result import AnonymisedTable
from privacy.anonymity.criteria_check import ABSENT, joint_violations
from privacy.anonymity.published_file import (
    check_published_table,
    record_order_by_cells,
    write_published_table,
)
from privacy.anonymity.risk.attacks import run_attacks
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import read_table
from privacy.grammar.input_error import InputError
from privacy.records.dictionary_encoding import AT_ONCE, Tick
from privacy.records.record_file import BoundedLines
from releases import source_tables, survey_tables
from releases.lifecycle import attack_job, release_disclosure_check
from releases.lifecycle.earlier_releases import earlier_releases_of_survey, earlier_releases_of_upload
from releases.lifecycle.thread_progress import RepeatedProgress
from releases.lifecycle.upload_digests import TableDigest
from releases.models import Making, Release, ReleasedTable, problem_json
from releases.specification import save_specification
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

State = Release.State
NAME = "release.csv"
ASK_AGAIN = 0.5
"""Seconds between two database queries whether the search is to stop."""
MOST_WAITING = 3
"""Largest number of releases of a survey that are being made or wait for a reviewer."""
COMPRESSION = 6
"""Compression level of gzip: the highest takes four times as long, for a twentieth of the bytes."""


def start_release_making(release: Release, person: "Person", now: datetime) -> Making:
    """Starts the job that makes a draft release; refuses a wrong specification or a deleted upload, and a survey of
    which many releases wait for a reviewer."""
    if not release.may(person, "configure"):
        raise NotAllowed(_("Only people with edit access can make a release, and only from a draft."))
    specification = save_specification.check_specification(release.source, release.specification, now)
    if release.survey:
        survey_tables.refuse_impossible_values(release.source, specification)
    with transaction.atomic():
        if release.survey and release.hides_outcome:
            _refuse_if_many_wait(release.survey)
        moved = Release.objects.filter(pk=release.pk, state=State.DRAFT)
        if not moved.update(state=State.RUNNING, since=now, by=person, reason="", problem={}):
            raise NotAllowed(_("This release is being made already. Wait for it, or cancel it."))
        making = Making(release=release)
        job_queue.enqueue(making)
        log_activity(person, "releases.run", release.history_subject, note=f"{release}.", when=now)
        release.refresh_from_db()
    return making


def _refuse_if_many_wait(survey: Survey) -> None:
    """Refuses another attempt at a table of a survey before a reviewer has decided on one.

    Whether a table can be made says something about the records; so a reviewer sees each attempt.
    """
    Survey.objects.get_locked_while_records_arrive(survey.pk)
    releases = Release.objects.filter(source__survey=survey)
    if releases.waiting().count() + releases.filter(state=State.RUNNING).count() >= MOST_WAITING:
        raise NotAllowed(
            _(
                "%(most)s releases of this survey wait for a reviewer. Make another once one of them is decided on."
            )
            % {"most": MOST_WAITING}
        )


def stop_search(release: Release, person: "Person") -> None:
    """Asks the search of a release to stop; it then ends with the best classes found so far."""
    if not release.may(person, "stop"):
        raise NotAllowed(_("Only people with edit access can stop the search of this release."))
    live = Making.objects.filter(release=release, state__in=(JobState.QUEUED, JobState.RUNNING))
    if not live.update(stop_asked=True):
        raise NotAllowed(_("This release is not being made just now."))


def end_failed_making(release: Release, now: datetime) -> None:
    """Ends the making of a release whose job failed or was cancelled: it is a draft again.

    A survey's waits for a reviewer, since its job may have failed because of what the records say.

    Pages call it before they show a release, and the scheduler calls it for all.
    """
    if release.state != State.RUNNING:
        return
    making = release.making
    if making is None or making.live or making.state == JobState.DONE:
        return
    words = making.problem if making.error else Message(gettext_noop("The making was cancelled."))
    back = Release.objects.filter(pk=release.pk, state=State.RUNNING)
    # Not where somebody has started it again meanwhile.
    back = back.exclude(makings__pk__gt=making.pk)
    after, what = State.DRAFT, "releases.not-made"
    if release.hides_outcome:
        after, what = State.REFUSED, "releases.checked"
    if back.update(state=after, since=now, by=None, problem=problem_json([words])):
        log_activity(None, what, release.history_subject, note=f"{release}.", when=now)
    release.refresh_from_db()


def end_failed_makings(now: datetime) -> None:
    """Calls `end_failed_making` for all releases that are being made."""
    running = Release.objects.filter(state=State.RUNNING).select_related("source__survey")
    for release in running.order_by("pk"):
        with transaction.atomic():
            end_failed_making(release, now)


# --- the job ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MakingResult:
    """The file of a release and its report.

    `labels`: the class of each record of the source in its order; ABSENT for a suppressed record.
    """

    report: dict[str, Any]
    file: bytes
    labels: NDArray[np.int64]


def perform(making: Making, progress: Progress) -> Write:
    """Makes the release; returns the function that stores it, refuses it, or makes it a draft again.

    A survey's release that cannot be made waits for a reviewer, as one that was made: editors cannot tell them apart.
    """
    release = making.release
    now = database.now()
    progress = RepeatedProgress(progress)
    try:
        head = ledger.last_row_id(release.survey) if release.survey else 0
        before = release_disclosure_check.earlier_disclosures(release)
        records = release_disclosure_check.read_release_records(release, before)
        specification = source_tables.get_specification(release)
        made = make_table(making, specification, before, records, progress, now)
    except ConflictsWithUploads:
        return partial(store_refusal, release, release_disclosure_check.SAME_UPLOAD)
    except NotAllowed as refused:
        return _end_without_table(release, "", Message("%(reason)s", {"reason": str(refused)}))
    except InputError as refusal:
        words = Message(refusal.template, dict(refusal.values))  # type: ignore[arg-type]
        return _end_without_table(release, refusal.path, words)
    if records is not None:
        progress(0.98, gettext_noop("The table is held beside all that was told before"))
        if reasons := find_refusals(release, records, made, specification, before):
            return partial(store_refusal, release, reasons)
    progress(1.0, gettext_noop("The table is stored"))
    return partial(store_result, making, made, head)


def _end_without_table(release: Release, path: str, words: Message) -> Write:
    """Returns the function that ends the making of a table that cannot be made."""
    if release.hides_outcome:
        return partial(store_refusal, release, [words])
    return partial(return_to_draft, release, path, words)


def make_table(
    making: Making,
    specification: Specification,
    before: Sequence[Disclosure],
    records: DisguisedRecords | None,
    progress: RepeatedProgress,
    now: datetime,
) -> MakingResult:
    """Makes the anonymised table: searches classes, writes and checks the file, attacks it, and reports.

    `before`: earlier disclosures of the survey. `records`: the survey's records; None for an upload.
    """
    release, source = making.release, making.release.source
    content = source_tables.read_source_file(source, records, now)
    reading = make_reading_tick(progress, 0.0)
    table = progress.wait_for(lambda: read_table(io.BytesIO(content), str(source), specification, reading))
    if records is None:
        layout, digesting = source_tables.get_layout(release), make_reading_tick(progress, 0.05)
        digest = progress.wait_for(lambda: TableDigest.read(content, layout, digesting))
        earlier = earlier_releases_of_upload(release, digest)
    else:
        earlier = earlier_releases_of_survey(release, records, before)
    compiling = gettext_noop("The search is compiled, which takes about a minute after an installation")
    load_kernels(partial(progress, 0.1, compiling))
    if specification.disguised and earlier.told:
        raise NotAllowed(
            _(
                "A disguised column can leave once: two disguises of the same answers tell more than one. Leave the "
                "column out, or make it a quasi-identifier."
            )
        )
    kept = earlier.merged_classes() if release.joined else None
    outcome, seconds = release_disclosure_check.anonymize_keeping_classes(
        table, specification, str(source), make_stop_check(making, progress), kept
    )
    file = progress.wait_for(lambda: write_checked_file(outcome, specification, progress))
    tick = partial(progress, 0.93, gettext_noop("The table is attacked"))
    tick()
    attacks = progress.wait_for(
        lambda: run_attacks(
            attack_job.read_published_table(gzip.decompress(file), specification, tick), specification
        )
    )
    labels = np.full(table.records, ABSENT, np.int64)
    labels[outcome.kept] = outcome.partition.labels
    attacks["beside"] = earlier.count_small_class_records(labels, specification.criteria.k)
    # A survey's table is held beside all that the ledger knows instead (`find_refusals`).
    together = [labels, *earlier.partitions]
    if records is None and earlier.classes and any(joint_violations(table, specification, together).values()):
        raise ConflictsWithUploads
    measuring = partial(progress, 0.95, gettext_noop("Risks and losses are computed"))
    measuring()
    report = progress.wait_for(lambda: make_anonymisation_report(outcome, specification, seconds, measuring))
    facts = {
        "told": earlier.told,
        **earlier.facts,
        "method": specification.method,
        "joined": kept is not None,
        "records": table.records,
        "published": len(outcome.kept),
        "falsified": outcome.falsified_record_count,
    }
    return MakingResult(report | facts | {"attacks": attacks}, file, labels)


class ConflictsWithUploads(Exception):
    """Raised if the same uploaded table was released before and both releases together break the criteria."""


def make_reading_tick(progress: Progress, share: float) -> Tick:
    """Returns a function that reports how many records are read."""
    chunks = count()

    def report_records_read() -> None:
        words = gettext_noop("The table is read: %(records)s records so far")
        progress(share, words, records=next(chunks) * AT_ONCE)

    return report_records_read


def make_stop_check(making: Making, progress: Progress) -> Stopped:
    """Returns a callback of the search that reports its progress, and returns True once somebody asked to stop it."""
    looked = monotonic()

    def should_stop(share: float) -> bool:
        nonlocal looked
        progress(0.1 + 0.8 * min(share, 1.0), gettext_noop("The best classes are searched for"))
        if monotonic() - looked < ASK_AGAIN:
            return False
        looked = monotonic()
        return Making.objects.filter(pk=making.pk, stop_asked=True).exists()

    return should_stop


def write_checked_file(outcome: AnonymisedTable, specification: Specification, progress: Progress) -> bytes:
    """Returns the published file (gzip), after reading it back and checking it."""
    order, stored = record_order_by_cells(outcome), io.BytesIO()
    with (
        gzip.GzipFile(filename="", mode="wb", compresslevel=COMPRESSION, fileobj=stored, mtime=0) as packed,
        io.TextIOWrapper(packed, "utf-8", newline="") as text,
    ):
        write_published_table(
            text, outcome, order, partial(progress, 0.85, gettext_noop("The table is written"))
        )
    file = stored.getvalue()
    checking = partial(progress, 0.9, gettext_noop("The table is read back and checked"))
    try:
        with gzip.open(io.BytesIO(file)) as opened:
            check_published_table(BoundedLines(opened), NAME, outcome, specification, order, checking)
    except InputError:
        raise JobFailed(
            gettext_noop(
                "The table was made, and the check of the file disagreed, so nothing is kept. Start it again; if that "
                "happens once more, tell the operator: it is a fault of Candor."
            )
        ) from None
    return file


# --- in the transaction that makes the job done -------------------------------------------------------------


def store_result(making: Making, result: MakingResult, head: int) -> None:
    """Stores the table and moves the release to the state *checked*, in the transaction that ends the job.

    `head`: last row of the ledger when the release was checked. If there are new rows, the release is checked again.
    """
    release, now = making.release, database.now()
    if release.survey:
        Survey.objects.get_locked_while_records_arrive(release.survey.pk)
        if ledger.last_row_id(release.survey) != head:
            before = release_disclosure_check.earlier_disclosures(release)
            records = release_disclosure_check.read_release_records(release, before)
            assert records is not None
            if reasons := find_refusals(
                release, records, result, source_tables.get_specification(release), before
            ):
                store_refusal(release, reasons)
                return
        ledger.write_disclosure(release.survey, proposed_disclosure(release, result), release.by, now)
    if not _end_making(release, State.CHECKED, now, problem={}):
        return
    classes = pack_classes(result.labels)
    ReleasedTable.objects.create(making=making, file=result.file, report=result.report, classes=classes)
    log_activity(None, "releases.checked", release.history_subject, note=f"{release}.", when=now)


def proposed_disclosure(release: Release, result: MakingResult) -> ProposedDisclosure:
    """Returns the row for the disclosure ledger that publishing the release adds."""
    return ProposedDisclosure(
        DisclosureKind.RELEASE,
        release_disclosure_check.ledger_key(release),
        str(release),
        release.source.through or 0,
        Population.DISGUISED,
        classes=pack_classes(result.labels),
        digest=content_digest(result.file),
    )


def find_refusals(
    release: Release,
    records: DisguisedRecords,
    result: MakingResult,
    specification: Specification,
    before: Sequence[Disclosure],
) -> list[Message]:
    """Returns the reasons why the release may not be published beside earlier disclosures; empty if it may."""
    assert release.survey
    if ledger.is_missing_rows(release.survey):
        return release_disclosure_check.LOST
    if conflicts := release_disclosure_check.find_conflicts(
        release, records, result.labels, specification, before
    ):
        return release_disclosure_check.refusal_messages(conflicts)
    if attack_all_disclosures(release.survey, proposed_disclosure(release, result)).reveals_few:
        return release_disclosure_check.TOO_FEW_TOGETHER
    return []


def store_refusal(release: Release, words: Sequence[Message]) -> None:
    """Moves the release to the state *refused*, with the reasons in `words`."""
    now = database.now()
    if _end_making(release, State.REFUSED, now, problem=problem_json(words)):
        if release.survey:
            key = release_disclosure_check.ledger_key(release)
            ledger.store_refusal(release.survey, key, str(release), release.by, now)
        # A survey's release then waits for a reviewer (`Release.stage`).
        what = "releases.checked" if release.hides_outcome else "releases.refused"
        log_activity(None, what, release.history_subject, note=f"{release}.", when=now)


def return_to_draft(release: Release, path: str, words: Message) -> None:
    """Makes the release a draft again because it could not be made; stores the reason, and the place in its
    specification."""
    now = database.now()
    if _end_making(release, State.DRAFT, now, problem=problem_json([words], path)):
        log_activity(None, "releases.not-made", release.history_subject, note=f"{release}.", when=now)


def _end_making(release: Release, after: State, now: datetime, **values: Any) -> bool:
    """Moves a running release to another state; False if it is not running any more."""
    running = Release.objects.filter(pk=release.pk, state=State.RUNNING)
    return bool(running.update(state=after, since=now, by=None, **values))
