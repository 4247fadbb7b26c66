"""Decisions on releases: a reviewer approves, refuses or withdraws; the owner discards.

Each is one conditional UPDATE, so that of two concurrent ones one succeeds, and a line in the history.
"""

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.dispatch import Signal
from django.utils.translation import gettext as _

from accounts.history import log_activity
from intake.batches.overwrite_deleted import schedule_overwriting
from intake.disclosure import ledger
from intake.disclosure.canonical_order import unpack_classes
from intake.disclosure.models import Door
from releases import sources, uploads
from releases.lifecycle import joint_check, upload_digests
from releases.models import Attack, Comparison, Making, Register, Release, ReleasedTable, Source, Upload
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

State = Release.State

release_approved = Signal()
"""Sent with `release` and `now` inside the transaction that approves it."""


def approve(release: Release, reviewer: "Person", note: str, now: datetime, *, apart: bool = False) -> None:
    """Let a checked table be downloaded. The ledger has its row since it was checked, and all that was told since was
    held beside it. `apart`: the reviewer has made sure that an upload with some of the columns of an earlier one may
    stand beside it."""
    require(release, reviewer, "review")
    with transaction.atomic():
        lock(release)
        if release.source.is_upload:
            _keep_digest(release, now, apart=apart)
        move(release, (State.CHECKED,), State.APPROVED, reviewer, now, reason="")
        uploads.delete_upload(release.source, now)
        log_activity(reviewer, "releases.approved", release.thing, note=noted(release, note), when=now)
        release_approved.send(Release, release=release, now=now)


def refuse(release: Release, reviewer: "Person", reason: str, now: datetime) -> None:
    """The table is deleted, the upload too."""
    require(release, reviewer, "review")
    if not reason.strip():
        raise NotAllowed(_("Say why, so that the owner knows what to change."))
    with transaction.atomic():
        lock(release)
        move(release, (State.CHECKED,), State.REFUSED, reviewer, now, reason=reason.strip())
        release.makings.all().delete()
        release.attacks.all().delete()
        schedule_overwriting(ReleasedTable, Attack, Register)
        _forget(release)
        uploads.delete_upload(release.source, now)
        log_activity(reviewer, "releases.refused", release.thing, note=noted(release, reason), when=now)


def withdraw(release: Release, reviewer: "Person", reason: str, now: datetime) -> None:
    """Nobody downloads it any more. What was downloaded cannot be taken back, so it goes on counting as left."""
    require(release, reviewer, "withdraw")
    if not reason.strip():
        raise NotAllowed(_("Give a reason, so that people who have downloaded it know what is wrong."))
    with transaction.atomic():
        lock(release)
        move(release, (State.APPROVED,), State.WITHDRAWN, reviewer, now, reason=reason.strip())
        log_activity(reviewer, "releases.withdrawn", release.thing, note=noted(release, reason), when=now)


def discard(release: Release, person: "Person", now: datetime) -> None:
    """Delete a release that has not left, with its upload and its table."""
    require(release, person, "discard")
    states = (State.DRAFT, State.CHECKED, State.REFUSED)
    with transaction.atomic():
        lock(release)
        log_activity(person, "releases.discarded", release.thing, note=f"{release}.", when=now)
        uploads.delete_upload(release.source, now)
        if not Release.objects.filter(pk=release.pk, state__in=states).exists():
            raise NotAllowed(_("This release was started or decided meanwhile. Look at it again."))
        _forget(release)
        Source.objects.filter(pk=release.source_id).delete()
        schedule_overwriting(Release, ReleasedTable, Comparison, Attack, Register)


def _keep_digest(release: Release, now: datetime, *, apart: bool) -> None:
    """Two uploads of one table may have been checked at the same time: what was approved meanwhile counts."""
    table = ReleasedTable.objects.get(making__release=release)
    content = bytes(uploads.get_upload(release.source, now).content)
    own = upload_digests.TableDigest.read(content, sources.get_layout(release))
    known = upload_digests.known_tables(own, release)
    if any(earlier.is_same and earlier.digest.pk > table.report["until"] for earlier in known):
        raise NotAllowed(
            _("The same table was released meanwhile. Refuse this release, and let it be made again.")
        )
    if not apart and any(not earlier.is_same for earlier in known):
        raise NotAllowed(
            _(
                "Some columns of this table were released before. Confirm that both may stand beside each other."
            )
        )
    upload_digests.keep(release, own, unpack_classes(table.classes), now)


def _forget(release: Release) -> None:
    """A release that was never approved has told nobody anything."""
    if release.survey:
        ledger.delete_disclosure(release.survey, Door.RELEASE, joint_check.key_of(release))


def require(release: Release, person: "Person", action: str) -> None:
    if not release.may(person, action):
        raise NotAllowed(
            _("This release cannot be decided so, or not by you. Nobody reviews what is their own.")
        )


def lock(release: Release) -> None:
    """The survey first, as everywhere."""
    if release.source.survey_id:
        Survey.objects.get_locked_beside_records(release.source.survey_id)
    Release.objects.lock(release.pk)


def move(
    release: Release, before: Collection[str], after: State, person: "Person", now: datetime, **values: Any
) -> None:
    rows = Release.objects.filter(pk=release.pk, state__in=before)
    moved = rows.update(state=after, since=now, by=person, **values)
    release.refresh_from_db()
    if not moved:
        state = State(release.state).label
        raise NotAllowed(
            _("This release was decided on in the meantime: it is %(state)s.") % {"state": state}
        )


def noted(release: Release, note: str) -> str:
    return f"{release}. {note.strip()}".strip()


def on_destruction(survey: Survey, **kwargs: Any) -> None:
    """Inside the transaction that destroys the batches. Tables that were downloaded cannot be taken back."""
    # Locked first: a worker may be storing a table.
    list(
        Release.objects.select_for_update(of=("self",))
        .filter(source__survey=survey)
        .order_by("pk")
        .values_list("pk")
    )
    Source.objects.filter(survey=survey).delete()
    schedule_overwriting(Release, ReleasedTable, Making, Comparison, Attack, Register, Upload)
