"""A reviewer approves, refuses or withdraws; the owner discards; destruction takes all."""

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import History, Person
from intake.models import Sweep
from releases.lifecycle import release_decisions
from releases.models import Making, Release, ReleasedTable, Source, Upload
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.releases.conftest import NOW, draft_of_survey, draft_of_upload, made_release

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("read_here")]

State = Release.State


def history_entries(release: Release) -> list[tuple[str, str]]:
    return list(History.objects.about(release.history_subject).order_by("pk").values_list("what", "note"))


def test_an_approval_deletes_the_upload_and_stands_in_the_history(
    checked_release: Release, reviewer: Person
) -> None:
    release_decisions.approve(checked_release, reviewer, "Fine.", NOW)
    assert (checked_release.state, checked_release.by, checked_release.since) == (
        State.APPROVED,
        reviewer,
        NOW,
    )
    assert not Upload.objects.exists()
    approved = ("releases.approved", f"{checked_release}. Fine.")
    assert history_entries(checked_release)[-2:] == [("releases.upload-deleted", "accounts.csv"), approved]


def test_a_refusal_deletes_the_upload_and_the_table(checked_release: Release, reviewer: Person) -> None:
    """It needs a reason."""
    with pytest.raises(NotAllowed, match="Say why"):
        release_decisions.refuse(checked_release, reviewer, "", NOW)
    release_decisions.refuse(checked_release, reviewer, "Town tells too much.", NOW)
    assert (checked_release.state, checked_release.reason_text) == (State.REFUSED, "Town tells too much.")
    assert not Upload.objects.exists()
    assert not ReleasedTable.objects.exists()
    assert {"releases_upload", "releases_releasedtable"} <= set(Sweep.objects.values_list("table", flat=True))


def test_a_withdrawal_has_a_reason_and_keeps_the_classes(checked_release: Release, reviewer: Person) -> None:
    release_decisions.approve(checked_release, reviewer, "", NOW)
    with pytest.raises(NotAllowed, match="Give a reason"):
        release_decisions.withdraw(checked_release, reviewer, " ", NOW)
    release_decisions.withdraw(checked_release, reviewer, "A wrong column.", NOW)
    assert (checked_release.state, checked_release.reason_text) == (State.WITHDRAWN, "A wrong column.")
    assert ReleasedTable.objects.exists()
    assert history_entries(checked_release)[-1] == (
        "releases.withdrawn",
        f"{checked_release}. A wrong column.",
    )


def test_only_a_reviewer_not_the_owner_decides(
    checked_release: Release, owner: Person, stranger: Person
) -> None:
    for person in (owner, stranger):
        with pytest.raises(NotAllowed, match="not by you"):
            release_decisions.approve(checked_release, person, "", NOW)
        with pytest.raises(NotAllowed, match="not by you"):
            release_decisions.refuse(checked_release, person, "no", NOW)


def test_one_of_two_simultaneous_decisions_counts(checked_release: Release, reviewer: Person) -> None:
    stale = Release.objects.get(pk=checked_release.pk)
    release_decisions.approve(checked_release, reviewer, "", NOW)
    with pytest.raises(NotAllowed, match="decided on in the meantime: it is approved"):
        release_decisions.refuse(stale, reviewer, "no", NOW)
    assert Release.objects.get().state == State.APPROVED
    assert ReleasedTable.objects.exists()


def test_discarding_deletes_everything_but_the_history(checked_release: Release, owner: Person) -> None:
    pk = checked_release.pk
    release_decisions.discard(checked_release, owner, NOW)
    for model in (Release, Source, Upload, Making, ReleasedTable):
        assert not model._default_manager.exists()
    assert History.objects.filter(thing_id=str(pk), what="releases.discarded").exists()
    assert Sweep.objects.filter(table="releases_upload").exists()


def test_published_release_cannot_be_discarded(
    checked_release: Release, owner: Person, reviewer: Person
) -> None:
    stale = Release.objects.get(pk=checked_release.pk)
    release_decisions.approve(checked_release, reviewer, "", NOW)
    for release in (checked_release, stale):
        with pytest.raises(NotAllowed):
            release_decisions.discard(release, owner, NOW)
    assert Release.objects.exists()


def test_a_survey_s_release_is_decided_by_its_reviewers(
    survey: Survey, owner: Person, partial: Person, reviewer: Person
) -> None:
    release = made_release(draft_of_survey(survey, owner, "age"), owner)
    for person in (owner, partial):
        with pytest.raises(NotAllowed, match="not by you"):
            release_decisions.approve(release, person, "", NOW)
    release_decisions.approve(release, reviewer, "", NOW)
    assert history_entries(release)[-1] == ("releases.approved", f"{release}.")
    assert release.state == State.APPROVED


def test_the_database_keeps_a_released_table_as_it_is(checked_release: Release) -> None:
    for statement in (
        "UPDATE releases_releasedtable SET file = x'00'",
        "INSERT OR REPLACE INTO releases_releasedtable SELECT * FROM releases_releasedtable",
    ):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            connection.cursor().execute(statement)


def test_destruction_takes_sources_releases_and_tables_approved_or_not(
    survey: Survey, owner: Person, reviewer: Person
) -> None:
    approved = made_release(draft_of_survey(survey, owner, "age"), owner)
    release_decisions.approve(approved, reviewer, "", NOW)
    draft_of_survey(survey, owner, "age")
    kept = draft_of_upload(owner)
    lifecycle.destroy_survey(survey, owner, NOW)
    assert list(Release.objects.all()) == [kept]
    assert list(Source.objects.all()) == [kept.source]
    assert not ReleasedTable.objects.exists()
    tables = set(Sweep.objects.values_list("table", flat=True))
    assert {"releases_release", "releases_releasedtable", "releases_comparison"} <= tables
    assert History.objects.about(survey).filter(what="releases.approved").exists()
