"""What the database and a file remember for the next restore; what the operator is told before it; what it holds."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.apps import apps
from django.db import connection, models
from django.utils import timezone
from hypothesis import given, strategies as st
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from accounts.models import Person
from config import migration_digests
from config.backup import irreversible_changes, survey_and_account_facts
from config.backup.archive import Archive, BackupRefused, Json, Key
from config.backup.irreversible_changes_file import (
    DIGEST,
    IrreversibleChanges,
    hash_survey_slug,
    invitation_digest,
    merge_digests,
    pack_digests,
    read_changes_file,
    unpack_digests,
    write_changes_file,
)
from config.backup.models import Backup, Remembered
from config.backup.restore_plan import RestorePlan, plan_lines
from config.backup.saved_tables import LEFT_OUT, MIGRATIONS, BackupTable, backup_tables
from config.backup.table_rows import row_storage
from intake.batches import sealing
from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind
from intake.field_devices.models import FieldDevice
from intake.invitations.tokens import create_tokens
from intake.models import Sweep
from jobs.models import Job
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Approval, NamedReviewer, Survey
from tests.cast import add_collaborator
from tests.intake import asked

pytestmark = [pytest.mark.django_db, pytest.mark.page]
ASKS = asked.design(least=20)
KEY = Key("k" * 50)
Commit = DjangoCaptureOnCommitCallbacks


@pytest.fixture(autouse=True)
def path(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings.BACKUP_LIST = tmp_path / "kept" / "since.list"
    settings.SECRET_KEY = KEY.secret
    monkeypatch.setenv("SECRET_KEY", KEY.secret)
    return tmp_path / "kept" / "since.list"


@pytest.fixture
def backup() -> Backup:
    return Backup.objects.create(made=timezone.now())


@pytest.fixture
def invitation_survey() -> Survey:
    return asked.survey(ASKS, invited=True)


def destroy(survey: Survey, commit: Commit) -> None:
    with commit(execute=True):
        if survey.state == Survey.State.OPEN:
            lifecycle.close_survey(survey, None, timezone.now())
        lifecycle.destroy_survey(survey, None, timezone.now())


def answer(survey: Survey, tokens: list[str]) -> list[bytes]:
    """Each of these is used; their digests."""
    for token in tokens:
        assert asked.post(survey, asked.envelope(ASKS, token=token)).status_code == 201
    return sorted(invitation_digest(asked.hash_of(survey, HashedTextKind.LINK, token)) for token in tokens)


def read_changes(path: Path) -> IrreversibleChanges:
    return read_changes_file(path, [KEY])[0]


def test_changes_are_not_recorded_without_a_backup(
    invitation_survey: Survey, path: Path, django_capture_on_commit_callbacks: Commit
) -> None:
    answer(invitation_survey, create_tokens(invitation_survey, 50))
    destroy(invitation_survey, django_capture_on_commit_callbacks)
    irreversible_changes.on_tick(timezone.now())
    assert (Remembered.objects.exists(), path.exists()) == (False, False)


def test_each_sealing_adds_used_invitations_in_an_uninformative_order(
    invitation_survey: Survey, backup: Backup, path: Path
) -> None:
    """What the row held before is to be overwritten."""
    tokens = create_tokens(invitation_survey, 90)
    first = answer(invitation_survey, tokens[:50])
    assert bytes(Remembered.objects.get().spent) == b"".join(first)
    second = answer(invitation_survey, tokens[50:80])
    sealing.seal_records(invitation_survey.pk)
    later = answer(invitation_survey, tokens[80:85])
    spent = bytes(Remembered.objects.get().spent)
    assert len(spent) == 80 * DIGEST
    assert not unpack_digests(spent) & set(later)
    assert spent == pack_digests(frozenset(first + second))
    irreversible_changes.on_tick(timezone.now())
    assert read_changes(path).spent == {hash_survey_slug(invitation_survey.slug): unpack_digests(spent)}
    assert "backup_remembered" in Sweep.objects.values_list("table", flat=True)


def test_destruction_drops_invitations_and_writes_the_file_at_once(
    invitation_survey: Survey, backup: Backup, path: Path, django_capture_on_commit_callbacks: Commit
) -> None:
    """Also that of a draft; and deletion dates are on the list."""
    answer(invitation_survey, create_tokens(invitation_survey, 50))
    dated = asked.survey(ASKS, destroy_on=date(2031, 2, 3))
    irreversible_changes.on_tick(timezone.now())
    assert read_changes(path).spent
    destroy(invitation_survey, django_capture_on_commit_callbacks)
    assert not Remembered.objects.filter(slug=hash_survey_slug(invitation_survey.slug)).exists()
    draft = Survey.objects.create(owner=Person.objects.create(username="someone"))
    destroy(draft, django_capture_on_commit_callbacks)
    gone = frozenset(hash_survey_slug(survey.slug) for survey in (invitation_survey, draft))
    until = {hash_survey_slug(dated.slug): date(2031, 2, 3)}
    assert read_changes(path) == IrreversibleChanges({backup.pk.hex: backup.made}, gone, until)


def test_failed_write_of_changes_is_reported_and_destroys_no_less(
    backup: Backup,
    settings: Settings,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    django_capture_on_commit_callbacks: Commit,
) -> None:
    (tmp_path / "file").touch()
    settings.BACKUP_LIST = tmp_path / "file" / "since.list"
    survey = asked.survey(ASKS)
    destroy(survey, django_capture_on_commit_callbacks)
    survey.refresh_from_db()
    assert survey.state == Survey.State.DESTROYED
    assert "cannot be written" in caplog.text
    with pytest.raises(BackupRefused, match="BACKUP_LIST"):
        irreversible_changes.on_tick(timezone.now())


def test_tick_writes_changes_when_there_are_some_and_every_hour(backup: Backup, path: Path) -> None:
    now = timezone.now()
    irreversible_changes.on_tick(now)
    written = path.stat().st_mtime_ns
    irreversible_changes.on_tick(now + timedelta(minutes=50))
    assert path.stat().st_mtime_ns == written
    irreversible_changes.on_tick(now + timedelta(minutes=61))
    hour_later = (now + timedelta(minutes=61)).replace(second=0, microsecond=0)
    assert read_changes_file(path, [KEY])[1] == hour_later
    Backup.objects.create(made=now)
    irreversible_changes.on_tick(now + timedelta(minutes=62))
    assert len(read_changes(path).backups) == 2


def test_lost_or_damaged_changes_file_is_rewritten(backup: Backup, path: Path) -> None:
    for damaged in ("", "candor-since/1\n", "candor-since/1\nat\n", "\x00\xff" * 99):
        irreversible_changes.on_tick(timezone.now())
        path.write_text(damaged)
        irreversible_changes.on_tick(timezone.now())
        assert backup.pk.hex in read_changes(path).backups, damaged
        assert [file.name for file in path.parent.iterdir()] == [path.name]


# --- the file ---------------------------------------------------------------------------------------------


def test_changes_file_is_read_as_written(path: Path) -> None:
    found = IrreversibleChanges(
        backups={"b" * 32: datetime.fromisoformat("2026-11-20T10:11:12.131415+00:00")},
        destroyed=frozenset(["d" * 64, "e" * 64]),
        until={"a" * 64: date(2027, 1, 2)},
        spent={"a" * 64: frozenset([b"1" * 16, b"0" * 16])},
        told={"a" * 64: 12},
    )
    at = datetime.fromisoformat("2026-11-20T10:11:12+00:00")
    write_changes_file(path, found, at, "f" * 64, KEY)
    assert read_changes_file(path, [KEY]) == (found, at.replace(second=0))
    assert read_changes_file(path, [Key("other"), KEY])[0] == found


def test_altered_or_cut_changes_file_is_refused(path: Path) -> None:
    found = IrreversibleChanges(destroyed=frozenset(["d" * 64]), spent={"a" * 64: frozenset([b"1" * 16])})
    write_changes_file(path, found, timezone.now(), "f" * 64, KEY)
    whole = path.read_bytes()
    for place in range(len(whole)):
        for bad in (whole[:place], whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]):
            path.write_bytes(bad)
            with pytest.raises(BackupRefused):
                read_changes_file(path, [KEY])


DIGESTS = st.frozensets(st.sampled_from([bytes([n]) * DIGEST for n in range(9)]))


@given(DIGESTS, DIGESTS)
def test_digests_are_merged_in_order_and_once(some: frozenset[bytes], more: frozenset[bytes]) -> None:
    assert merge_digests(pack_digests(some), more) == pack_digests(some | more)


def test_two_merged_lists_know_what_either_knows() -> None:
    early, late = date(2027, 1, 1), date(2028, 1, 1)
    one = IrreversibleChanges(
        {"x": timezone.now()}, frozenset("d"), {"s": late, "t": early}, {"s": frozenset([b"1"])}, {"s": 3}
    )
    spent = {"s": frozenset([b"2"]), "t": frozenset([b"3"])}
    two = IrreversibleChanges({}, frozenset("e"), {"s": early, "u": late}, spent, {"s": 2, "u": 1})
    both = one | two
    until = {"s": early, "t": early, "u": late}
    used = {"s": frozenset([b"1", b"2"]), "t": frozenset([b"3"])}
    assert both == IrreversibleChanges(one.backups, frozenset("de"), until, used, {"s": 3, "u": 1})
    assert both.all_spent_digests == {b"1", b"2", b"3"}


# --- what the operator is told ---


NOW = datetime(2026, 12, 4, 12, 0, tzinfo=UTC)


def survey(number: int, **values: object) -> Json:
    usual = {"state": "open", "records": 100, "sealed": 80, "runs": 1, "published": [], "deletion": None}
    return {"number": number, "named": f"n{number}", "title": f"Title {number}", **usual, **values}


def restore_plan_lines(
    then: Json, now: Json | None, since: IrreversibleChanges | None = None, *, complete: bool = True
) -> list[str]:
    head = {"id": "b", "made": "2026-12-01T09:30:00+00:00", "vendor": "sqlite", "facts": then}
    archive = Archive(Path("a.backup"), head, {}, [], None, None)  # type: ignore[arg-type]
    plan = RestorePlan(archive, since or IrreversibleChanges(), complete, now, {}, None)
    return list(plan_lines(plan, NOW))


THEN: Json = {
    "surveys": [
        survey(1, published=[7, 8, "public page of run 8"]),
        survey(2, deletion="2026-12-03"),
        survey(3),
    ],
    "accounts": {"olga": ["Researchers"], "ruth": ["Reviewers"], "gone": []},
}


def test_restore_plan_describes_the_backup_then_everything_newer() -> None:
    changed = survey(1, state="closed", records=120, published=[8])
    accounts = {"olga": ["Researchers"], "ruth": [], "new": []}
    now = {"surveys": [changed, THEN["surveys"][1], survey(4, records=1500)], "accounts": accounts}
    assert restore_plan_lines(THEN, now) == [
        "A backup of 2026-12-01 09:30 UTC, 3 days old: 3 surveys, 300 records, 3 runs, 3 accounts.",
        "Destroyed since, or due to be, and so destroyed again: surveys 2.",
        "What the database holds now is replaced:",
        "  survey 1 “Title 1”: now state closed, then open; records 120, then 100",
        "  survey 4 “Title 4” was made since and is lost with 1,500 records",
        "  withdrawn or closed since, and there again (a number: report of this run): 7, public page of run 8",
        "  accounts with other rights or ways to sign in then, or closed since: gone, ruth",
    ]


def test_surveys_destroyed_since_are_destroyed_again_or_named() -> None:
    lines = restore_plan_lines(THEN, None, IrreversibleChanges(destroyed=frozenset(["n1", "other"])))
    again = "Destroyed since, or due to be, and so destroyed again: surveys"
    assert lines[1:] == [f"{again} 1, 2."]
    # Its day was brought forward since, and has come.
    since = IrreversibleChanges(until={"n1": date(2026, 12, 5), "n3": date(2026, 12, 4)})
    lines = restore_plan_lines(THEN, None, since)
    assert lines[1:] == [f"{again} 2, 3."]
    # Its withdrawn reports are not public again, and nothing else of it comes back.
    now = {"surveys": [survey(1, state="destroyed", records=0), survey(3)], "accounts": THEN["accounts"]}
    lines = restore_plan_lines(THEN, now, IrreversibleChanges(destroyed=frozenset(["n1"])))
    assert lines[1:] == [f"{again} 1, 2.", "What the database holds now is replaced."]
    assert restore_plan_lines(THEN, None, complete=False)[1:4] == [
        "No invitation of the backup will be valid, and surveys destroyed since will be there again:",
        "  survey 1 “Title 1”: destroy it if it was destroyed",
        "  survey 3 “Title 3”: destroy it if it was destroyed",
    ]


def test_facts_count_existing_rows_and_hold_no_slug() -> None:
    assert survey_and_account_facts.is_database_empty()
    opened = asked.survey(ASKS, draft={"title": {"en": "A title"}})
    for number in range(25):
        asked.post(opened, asked.envelope(ASKS, number))
    Survey.objects.filter(pk=opened.pk).update(paused=timezone.now())
    Person.objects.create(username="closed", is_active=False)
    ann, ruth = (Person.objects.create(username=username) for username in ("ann", "ruth"))
    add_collaborator(opened, ann, may_edit=True)
    passkey = Authenticator.objects.create(user=ann, type="webauthn", data={}).pk
    provider = SocialAccount.objects.create(user=ruth, provider="campus", uid="1").pk
    NamedReviewer.objects.create(survey=opened, person=ruth, when=timezone.now())
    said = {"survey": opened, "fingerprint": ASKS.fingerprint, "by": ruth, "when": timezone.now()}
    for what, verdict in zip(
        2 * ["records", "deposit"], ["refused", *2 * ["allowed"], "refused"], strict=True
    ):
        Approval.objects.create(what=what, verdict=verdict, **said)
    FieldDevice.objects.create(survey=opened, label="Tablet", people=1, ticket=b"1")
    FieldDevice.objects.create(survey=opened, label="Lost", people=1, ticket=b"2", is_withdrawn=True)
    found = survey_and_account_facts.database_facts()
    of = f"survey {opened.pk}"
    anns = [of, f"edit {opened.pk}", f"factor {passkey}"]
    assert found["accounts"] == {"owner": [], "ann": anns, "ruth": [f"provider {provider}"]}
    (row,), device = found["surveys"], FieldDevice.objects.get(label="Tablet").pk
    told = [f"approval in {of}: records", f"reviewer of {of}: ruth", f"field device {device}"]
    assert row["published"] == told
    assert (row["title"], row["state"], row["records"], row["sealed"]) == ("A title", "paused", 25, 0)
    assert opened.slug not in str(found)
    assert not survey_and_account_facts.is_database_empty()


def test_every_table_is_in_a_backup_or_listed_as_left_out() -> None:
    there = set(connection.introspection.table_names())
    assert {table.name for table in backup_tables(apps)} | {MIGRATIONS, migration_digests.TABLE} == there
    assert LEFT_OUT.keys() < there


def test_no_model_stores_files_outside_the_database() -> None:
    fields = [field for model in apps.get_models() for field in model._meta.get_fields()]
    assert not [field for field in fields if isinstance(field, models.FileField)]


def test_attack_job_is_left_out_with_its_register() -> None:
    now = timezone.now()
    kinds = ("releases.attack", "runs.run")
    Job.objects.bulk_create(Job(kind=kind, created=now, queued=now) for kind in kinds)
    (row,) = row_storage().rows(BackupTable.from_model(Job))
    assert b"runs.run" in row
