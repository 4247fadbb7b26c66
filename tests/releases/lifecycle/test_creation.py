"""Releases are made by a job: checked and stored at once, or not at all."""

import csv
import gzip
import io
import json
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import History, Person
from intake.disclosure.canonical_order import unpack_classes
from jobs import job_state_changes
from jobs.models import State as JobState
from jobs.progress_messages import Cancelled, Message
from mining import cancellable_thread
from privacy.anonymity.anonymisation_result import AnonymisedTable
from privacy.anonymity.table_anonymisation import METHODS
from privacy.anonymity.tables.specification import Specification
from privacy.grammar.input_error import InputError
from releases import source_tables, uploads
from releases.lifecycle import making_job, release_disclosure_check
from releases.models import Making, Release, ReleasedTable, Upload
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests import servers
from tests.releases.conftest import (
    AGES,
    CSV,
    NOW,
    SPEC,
    TOWNS,
    draft_of_survey,
    draft_of_upload,
    everybody,
    finish_job,
    made_release,
    open_rows,
    plain_survey,
)

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("read_here")]

State = Release.State


@pytest.fixture
def job(upload: Release, owner: Person) -> Making:
    return making_job.start_release_making(upload, owner, NOW)


def released_rows(release: Release) -> list[dict[str, str]]:
    stored = ReleasedTable.objects.get(making__release=release)
    return list(csv.DictReader(io.StringIO(gzip.decompress(stored.file).decode())))


def test_a_release_of_an_upload_keeps_its_criteria_in_the_file_and_says_what_was_lost(
    upload: Release, owner: Person
) -> None:
    release = made_release(upload, owner)
    assert (release.state, release.reason_text) == (State.CHECKED, "")
    rows = released_rows(release)
    assert list(rows[0]) == ["age", "town", "ill"]
    classes = Counter((row["age"], row["town"]) for row in rows)
    assert sum(classes.values()) == 120
    assert min(classes.values()) >= 10
    assert {ill: sum(row["ill"] == ill for row in rows) for ill in ("flu", "cold")} == {"flu": 60, "cold": 60}
    report = release.report
    assert report["criteria"]["k"]["asked"] == 10
    assert report["criteria"]["k"]["reached"] >= 10
    assert {"ncp", "discernibility", "hasr"} <= set(report["losses"])
    assert set(report["risks"]) == {"before", "after"}
    assert report["risks"]["before"]["uniqueness"] > 0
    assert report["risks"]["after"]["uniqueness"] == 0
    numbers = {"records": 120, "published": 120, "falsified": 0}
    assert report | {"method": "tree", "told": [], **numbers} == report
    said = list(History.objects.about(upload).order_by("pk").values_list("what", "who__username"))
    assert said == [("releases.uploaded", "owner"), ("releases.run", "owner"), ("releases.checked", None)]


def test_release_is_started_once_and_only_from_a_draft(
    upload: Release, owner: Person, reviewer: Person
) -> None:
    with pytest.raises(NotAllowed, match="Only people with edit access"):
        making_job.start_release_making(upload, reviewer, NOW)
    stale = Release.objects.get(pk=upload.pk)
    making_job.start_release_making(upload, owner, NOW)
    for again in (upload, stale):
        with pytest.raises(NotAllowed):
            making_job.start_release_making(again, owner, NOW)
    assert Making.objects.count() == 1


def test_failed_making_returns_to_the_draft_with_the_reason(owner: Person) -> None:
    wrong = CSV.replace(b"p1,21,", b"p1,many,")
    for content, k, reason in (
        (CSV, 121, "accounts.csv: k is 121, and there are fewer records"),
        (wrong, 10, "accounts.csv:3: age: 'many' is no number"),
    ):
        release = made_release(draft_of_upload(owner, content, k=k), owner)
        assert (release.state, release.reason_text) == (State.DRAFT, reason)
    assert not ReleasedTable.objects.exists()
    assert Upload.objects.count() == 2


def test_an_upload_that_is_gone_meanwhile_leads_back_with_the_reason(upload: Release, job: Making) -> None:
    Upload.objects.all().delete()
    finish_job(job)
    upload.refresh_from_db()
    assert upload.state == State.DRAFT
    assert "Upload it again" in upload.reason_text


def test_a_cancelled_making_is_a_draft_again_and_a_live_one_is_left_alone(
    upload: Release, owner: Person, job: Making
) -> None:
    making_job.end_failed_makings(NOW)
    upload.refresh_from_db()
    assert upload.state == State.RUNNING
    job_state_changes.cancel(job, NOW)
    making_job.end_failed_makings(NOW)
    upload.refresh_from_db()
    assert (upload.state, upload.reason_text) == (State.DRAFT, "The making was cancelled.")
    making_job.start_release_making(upload, owner, NOW)
    making_job.end_failed_makings(NOW)
    upload.refresh_from_db()
    assert upload.state == State.RUNNING


def test_a_running_search_is_cancelled(upload: Release, job: Making, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        making_job, "make_table", lambda *args: job_state_changes.cancel(job, NOW) and args[4](None)
    )
    finish_job(job)
    upload.refresh_from_db()
    making_job.end_failed_making(upload, NOW)
    assert (job.state, upload.state) == (JobState.CANCELLED, State.DRAFT)


def test_a_failed_making_is_a_draft_again_with_its_reason(upload: Release, job: Making) -> None:
    claimed = job_state_changes.claim(job.pk, token="t", worker="w", now=NOW)
    assert claimed
    job_state_changes.fail(claimed, Message("There was not enough memory."), NOW)
    upload.refresh_from_db()
    making_job.end_failed_making(upload, NOW)
    assert (upload.state, upload.reason_text) == (State.DRAFT, "There was not enough memory.")


def test_disagreeing_checker_fails_the_job(
    upload: Release, job: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_records(*args: Any) -> None:
        raise InputError("release.csv", "it does not hold the records of the table")

    monkeypatch.setattr(making_job, "check_published_table", refuse_records)
    finish_job(job)
    assert job.state == JobState.FAILED
    upload.refresh_from_db()
    making_job.end_failed_making(upload, NOW)
    assert upload.state == State.DRAFT
    assert "the check of the file disagreed" in upload.reason_text
    assert not ReleasedTable.objects.exists()


def test_pycanon_is_asked_of_the_release(
    upload: Release, job: Making, asked_specifications: list[Specification]
) -> None:
    finish_job(job)
    assert asked_specifications == [source_tables.get_specification(upload)]


def test_stopped_search_uses_its_best_result(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making_job, "ASK_AGAIN", 0)
    release = draft_of_upload(owner, seconds=600)
    job = making_job.start_release_making(release, owner, NOW)
    should_stop = making_job.make_stop_check(job, lambda *_words, **_values: None)
    assert not should_stop(0.5)
    making_job.stop_search(release, owner)
    assert should_stop(0.5)
    # It asks the database seldom.
    monkeypatch.setattr(making_job, "ASK_AGAIN", 600)
    assert not should_stop(0.5)
    monkeypatch.setattr(making_job, "ASK_AGAIN", 0)
    finish_job(job)
    release.refresh_from_db()
    assert release.state == State.CHECKED
    assert release.report["seconds"] < 300


TOLD = (
    "The table is read: %(records)s records so far",
    "The best classes are searched for",
    "The table is written",
    "The table is read back and checked",
    "Risks and losses are computed",
)


@pytest.mark.at_push(3)
@pytest.mark.parametrize("step", TOLD)
def test_every_step_can_be_cancelled(job: Making, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """And nothing goes on: neither in this thread nor in that of the search."""
    monkeypatch.setattr(cancellable_thread, "PAUSE", 0)
    told = list[str]()

    def progress(fraction: float | None, text: str = "", **values: object) -> None:
        told.append(text)
        if text == step:
            raise Cancelled

    specifying_slowly = {**SPEC, "seconds": 60}
    Release.objects.update(specification=json.dumps(specifying_slowly if step == TOLD[1] else SPEC))
    job.refresh_from_db()
    with pytest.raises(Cancelled):
        making_job.perform(job, progress)
    assert step in told
    # A thread and whoever waits for it tell the same progress, so that an earlier text may come once more.
    assert not set(TOLD[TOLD.index(step) + 1 :]) & set(told)
    for thread in threading.enumerate():
        if thread.name == "watched":
            thread.join(servers.PATIENCE)
            assert not thread.is_alive()


def test_a_method_without_result_stops_with_a_reason(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making_job, "ASK_AGAIN", 0)
    monkeypatch.setattr(cancellable_thread, "PAUSE", 0)
    begun = threading.Event()

    def never_return(*_asked: object) -> AnonymisedTable:
        begun.set()
        while True:
            begun.wait()

    monkeypatch.setitem(METHODS, "bottom-up", never_return)
    release = draft_of_upload(owner, method="bottom-up")
    job = making_job.start_release_making(release, owner, NOW)
    making_job.stop_search(release, owner)
    finish_job(job)
    release.refresh_from_db()
    assert release.state == State.DRAFT
    assert "stopped before it had a result" in release.reason_text


def test_stopping_needs_a_running_job_and_permission(
    upload: Release, owner: Person, stranger: Person
) -> None:
    with pytest.raises(NotAllowed, match="not being made"):
        making_job.stop_search(upload, owner)
    making_job.start_release_making(upload, owner, NOW)
    with pytest.raises(NotAllowed, match="Only people with edit access"):
        making_job.stop_search(upload, stranger)


class Killed(BaseException):
    """What ends a process ends every function."""


STEPS: list[tuple[Any, str]] = [
    (release_disclosure_check, "earlier_disclosures"),
    (source_tables, "read_source_file"),
    (release_disclosure_check, "anonymize_keeping_classes"),
    (making_job, "write_checked_file"),
    (making_job, "check_published_table"),
    (making_job, "store_result"),
    (ReleasedTable.objects, "create"),
    (making_job, "log_activity"),
]


@pytest.mark.at_push(4)
@pytest.mark.parametrize(
    "after", [pytest.param(False, marks=pytest.mark.night), True], ids=["before", "after"]
)
@pytest.mark.parametrize(("owner_of_step", "step"), STEPS, ids=[name for _of, name in STEPS])
def test_release_is_made_once_although_killed_at_any_step(
    upload: Release, job: Making, monkeypatch: pytest.MonkeyPatch, owner_of_step: Any, step: str, after: bool
) -> None:
    real: Callable[..., Any] = getattr(owner_of_step, step)

    def do_and_kill(*args: Any, **values: Any) -> Any:
        if after:
            real(*args, **values)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(owner_of_step, step, do_and_kill)
        with pytest.raises(Killed):
            finish_job(job)
    job.refresh_from_db()
    assert (job.state, ReleasedTable.objects.count()) == (JobState.RUNNING, 0)
    job_state_changes.requeue_all_of_worker("w1")
    finish_job(job)
    finish_job(job)
    upload.refresh_from_db()
    assert (upload.state, ReleasedTable.objects.count()) == (State.CHECKED, 1)
    assert History.objects.filter(what="releases.checked").count() == 1


def test_a_making_that_ends_when_its_upload_is_over_changes_nothing(upload: Release, job: Making) -> None:
    """The tick has ended the release while the worker was searching."""
    real = release_disclosure_check.anonymize_keeping_classes

    def finish_after_expiry(*args: Any) -> Any:
        uploads.delete_expired_uploads(NOW + uploads.DAYS)
        return real(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release_disclosure_check, "anonymize_keeping_classes", finish_after_expiry)
        finish_job(job)
    upload.refresh_from_db()
    assert (upload.state, ReleasedTable.objects.count()) == (State.REFUSED, 0)


@pytest.mark.night
def test_the_order_of_the_table_does_not_show_in_the_file(owner: Person) -> None:
    rows = [f"{n % 50},{'ab'[n % 2]}" for n in range(200)]
    columns = [{"name": "age", "kind": "number"}]
    plain = {"identifiers": [], "quasi_identifiers": columns, "k": 4, "max_frequency": None}
    files = []
    for order in (rows, rows[::-1], rows[77:] + rows[:77]):
        content = "\n".join(["age,ill", *order]).encode()
        release = made_release(draft_of_upload(owner, content, **plain), owner)
        files.append(released_rows(release))
        release.makings.all().delete()
    assert files[0] == files[1] == files[2]
    assert [int(row["age"]) for row in files[0]] == sorted(n % 50 for n in range(200))


def test_a_release_of_a_survey_holds_the_plain_answers_of_the_disguised(owner: Person) -> None:
    people = everybody(12)
    survey = plain_survey(owner, people + open_rows(people))
    release = made_release(draft_of_survey(survey, owner, "age", "town"), owner)
    assert release.state == State.CHECKED
    assert Counter((row["age"], row["town"]) for row in released_rows(release)) == {
        (age, town): 12 for age in AGES for town in TOWNS
    }
    assert History.objects.about(survey).filter(what="releases.checked").exists()


def test_survey_release_stores_classes_in_canonical_order(survey: Survey, owner: Person) -> None:
    release = made_release(draft_of_survey(survey, owner, "age"), owner)
    classes = unpack_classes(ReleasedTable.objects.get(making__release=release).classes)
    assert sorted(Counter(classes.tolist()).values()) == [120, 120, 120]
    # By age first: the canonical order is that of the plain answers.
    assert [len(set(classes[start : start + 120].tolist())) for start in (0, 120, 240)] == [1, 1, 1]
