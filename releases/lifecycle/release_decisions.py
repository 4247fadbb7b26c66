"""Decisions on releases: a reviewer approves, refuses or withdraws a release; the owner discards it.

Each is one conditional UPDATE, so that only one of two concurrent decisions succeeds, and a row in the
history.
"""

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.dispatch import Signal
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from intake.batches.overwrite_deleted import schedule_overwriting
from intake.disclosure import ledger
from intake.disclosure.canonical_order import unpack_classes
from intake.disclosure.models import DisclosureKind
from releases import source_tables, uploads
from releases.lifecycle import release_disclosure_check, upload_digests
from releases.models import Attack, Comparison, Making, Register, Release, ReleasedTable, Source, Upload
from releases.permissions import UNMADE
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from ui.sentence_joining import join_sentences

if TYPE_CHECKING:
    from accounts.models import Person

State = Release.State

release_approved = Signal()
"""Signal sent with `release` and `now` inside the transaction that approves the release."""


def approve(
    release: Release, reviewer: "Person", note: str, now: datetime, *, allows_shared_columns: bool = False
) -> None:
    """Approves a checked release, so that it can be downloaded, and deletes its upload.

    `allows_shared_columns`: the reviewer confirms that an upload may be released although an earlier released upload
    had some of its columns.
    """
    require_permission(release, reviewer, "review")
    with transaction.atomic():
        lock_survey_and_release(release)
        if release.survey and ledger.is_missing_rows(release.survey):
            # It may have been refused after the backup, and what was told since was not checked beside it.
            raise NotAllowed(join_sentences(map(str, release_disclosure_check.LOST)))
        if release.source.is_upload:
            _check_and_store_upload_digest(release, now, allows_shared_columns=allows_shared_columns)
        change_state(release, (State.CHECKED,), State.APPROVED, reviewer, now, reason="")
        uploads.delete_uploaded_bytes(release.source, now)
        log_activity(
            reviewer, "releases.approved", release.history_subject, note=history_note(release, note), when=now
        )
        release_approved.send(Release, release=release, now=now)


def refuse(release: Release, reviewer: "Person", reason: str, now: datetime) -> None:
    """Refuses a release that waits, also one whose table Candor could not make; deletes its table and its upload."""
    require_permission(release, reviewer, "refuse")
    if not reason.strip():
        raise NotAllowed(_("Say why, so that the owner knows what to change."))
    with transaction.atomic():
        lock_survey_and_release(release)
        release.refresh_from_db()
        before = State.REFUSED if release.stage == UNMADE else State.CHECKED
        values: dict[str, Any] = {"reason": reason.strip(), "problem": {}}
        change_state(release, (before,), State.REFUSED, reviewer, now, **values)
        uploads.delete_made_table(release)
        if release.survey:
            key = release_disclosure_check.ledger_key(release)
            ledger.replace_unpublished_by_refusal(release.survey, DisclosureKind.RELEASE, key)
        uploads.delete_uploaded_bytes(release.source, now)
        log_activity(
            reviewer,
            "releases.refused",
            release.history_subject,
            note=history_note(release, reason),
            when=now,
        )


def withdraw(release: Release, reviewer: "Person", reason: str, now: datetime) -> None:
    """Withdraws an approved release, so that nobody can download it.

    Downloaded copies cannot be taken back, so it still counts as disclosed.
    """
    require_permission(release, reviewer, "withdraw")
    if not reason.strip():
        raise NotAllowed(_("Give a reason, so that people who have downloaded it know what is wrong."))
    with transaction.atomic():
        lock_survey_and_release(release)
        change_state(release, (State.APPROVED,), State.WITHDRAWN, reviewer, now, reason=reason.strip())
        log_activity(
            reviewer,
            "releases.withdrawn",
            release.history_subject,
            note=history_note(release, reason),
            when=now,
        )


def discard(release: Release, person: "Person", now: datetime) -> None:
    """Deletes a release that was never approved, with its upload and its table."""
    require_permission(release, person, "discard")
    with transaction.atomic():
        lock_survey_and_release(release)
        current = Release.objects.with_permissions().filter(pk=release.pk).first()
        if current is None or not current.may(person, "discard"):
            raise NotAllowed(_("This release was started or decided meanwhile. Look at it again."))
        log_activity(person, "releases.discarded", release.history_subject, note=f"{release}.", when=now)
        uploads.delete_uploaded_bytes(release.source, now)
        Source.objects.filter(pk=release.source_id).delete()
        schedule_overwriting(Release, ReleasedTable, Comparison, Attack, Register)


def _check_and_store_upload_digest(release: Release, now: datetime, *, allows_shared_columns: bool) -> None:
    """Stores the digest of an upload that is being approved, by which it is recognised later.

    Refuses the approval if the same table was approved after this one was checked. `allows_shared_columns`: the
    reviewer allows an earlier released table to share some columns.
    """
    table = ReleasedTable.objects.get(making__release=release)
    content = bytes(uploads.get_upload(release.source, now).content)
    own = upload_digests.TableDigest.read(content, source_tables.get_layout(release))
    known = upload_digests.earlier_similar_tables(own, release)
    if any(earlier.is_same and earlier.digest.pk > table.report["until"] for earlier in known):
        raise NotAllowed(
            _("The same table was released meanwhile. Refuse this release, and let it be made again.")
        )
    if not allows_shared_columns and any(not earlier.is_same for earlier in known):
        raise NotAllowed(
            _(
                "Some columns of this table were released before. Confirm that both may stand beside each other."
            )
        )
    upload_digests.store_digest(release, own, unpack_classes(table.classes), now)


def require_permission(release: Release, person: "Person", action: str) -> None:
    """Raises `NotAllowed` if the person may not do this action on the release now."""
    if not release.may(person, action):
        raise NotAllowed(
            _("This release cannot be decided so, or not by you. Nobody reviews what is their own.")
        )


def lock_survey_and_release(release: Release) -> None:
    """Locks the release's survey, then the release; locks are taken in this order everywhere."""
    if release.source.survey_id:
        Survey.objects.get_locked_while_records_arrive(release.source.survey_id)
    Release.objects.lock(release.pk)


def change_state(
    release: Release, before: Collection[str], after: State, person: "Person", now: datetime, **values: Any
) -> None:
    """Moves the release from a state in `before` to `after`; raises `NotAllowed` if it is in another state."""
    rows = Release.objects.filter(pk=release.pk, state__in=before)
    moved = rows.update(state=after, since=now, by=person, **values)
    release.refresh_from_db()
    if not moved:
        state = State(release.state).label
        raise NotAllowed(
            _("This release was decided on in the meantime: it is %(state)s.") % {"state": state}
        )


def history_note(release: Release, note: str) -> str:
    return f"{release}. {note.strip()}".strip()


def delete_releases(survey: Survey, **kwargs: Any) -> None:
    """Deletes all releases of a survey, in the transaction that destroys its batches. Downloaded copies remain."""
    # Locked first: a worker may be storing a table.
    list(
        Release.objects.select_for_update(of=("self",))
        .filter(source__survey=survey)
        .order_by("pk")
        .values_list("pk")
    )
    Source.objects.filter(survey=survey).delete()
    schedule_overwriting(Release, ReleasedTable, Making, Comparison, Attack, Register, Upload)
