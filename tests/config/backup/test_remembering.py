"""What the database remembers for the next restore, and the file beside it that says the same."""

from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from hypothesis import given, strategies as st
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from accounts.models import Person
from config.backup import irreversible_changes
from config.backup.archive import BackupRefused, Key
from config.backup.irreversible_changes_file import (
    DIGEST,
    Since,
    hash_survey_slug,
    invitation_digest,
    merge_digests,
    pack_digests,
    read_changes_file,
    unpack_digests,
    write_changes_file,
)
from config.backup.models import Backup, Remembered
from intake.batches import sealing
from intake.endpoint.key_hashes import Kind
from intake.invitations.tokens import create_tokens
from intake.models import Sweep
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
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
def invited() -> Survey:
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
    return sorted(invitation_digest(asked.hash_of(survey, Kind.LINK, token)) for token in tokens)


def listed(path: Path) -> Since:
    return read_changes_file(path, [KEY])[0]


def test_without_a_backup_nothing_is_remembered_and_no_file_written(
    invited: Survey, path: Path, django_capture_on_commit_callbacks: Commit
) -> None:
    answer(invited, create_tokens(invited, 50))
    destroy(invited, django_capture_on_commit_callbacks)
    irreversible_changes.on_tick(timezone.now())
    assert not Remembered.objects.exists()
    assert not path.exists()


def test_each_sealing_adds_what_was_used_in_one_order_that_tells_nothing(
    invited: Survey, backup: Backup, path: Path
) -> None:
    """What the row held before is to be overwritten."""
    tokens = create_tokens(invited, 90)
    first = answer(invited, tokens[:50])
    assert bytes(Remembered.objects.get().spent) == b"".join(first)
    second = answer(invited, tokens[50:80])
    sealing.seal_records(invited.pk)
    later = answer(invited, tokens[80:85])
    spent = bytes(Remembered.objects.get().spent)
    assert len(spent) == 80 * DIGEST
    assert not unpack_digests(spent) & set(later)
    assert spent == pack_digests(unpack_digests(spent))
    assert unpack_digests(spent) == set(first + second)
    irreversible_changes.on_tick(timezone.now())
    assert listed(path).spent == {hash_survey_slug(invited.slug): unpack_digests(spent)}
    assert "backup_remembered" in Sweep.objects.values_list("table", flat=True)


def test_a_destruction_takes_the_invitations_away_and_writes_the_file_at_once(
    invited: Survey, backup: Backup, path: Path, django_capture_on_commit_callbacks: Commit
) -> None:
    """Also that of a draft; and deletion dates are on the list."""
    answer(invited, create_tokens(invited, 50))
    dated = asked.survey(ASKS, destroy_on=date(2031, 2, 3))
    irreversible_changes.on_tick(timezone.now())
    assert listed(path).spent
    destroy(invited, django_capture_on_commit_callbacks)
    assert not Remembered.objects.filter(slug=hash_survey_slug(invited.slug)).exists()
    draft = Survey.objects.create(owner=Person.objects.create(username="someone"))
    destroy(draft, django_capture_on_commit_callbacks)
    gone = frozenset(hash_survey_slug(survey.slug) for survey in (invited, draft))
    until = {hash_survey_slug(dated.slug): date(2031, 2, 3)}
    assert listed(path) == Since({backup.pk.hex: backup.made}, gone, until)


def test_a_failure_to_write_is_told_and_destroys_nothing_less(
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


def test_the_tick_writes_when_something_changed_and_every_hour(backup: Backup, path: Path) -> None:
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
    assert len(listed(path).backups) == 2


def test_a_file_that_is_lost_or_damaged_is_written_anew(backup: Backup, path: Path) -> None:
    for damaged in ("", "candor-since/1\n", "candor-since/1\nat\n", "\x00\xff" * 99):
        irreversible_changes.on_tick(timezone.now())
        path.write_text(damaged)
        irreversible_changes.on_tick(timezone.now())
        assert backup.pk.hex in listed(path).backups, damaged
        assert [file.name for file in path.parent.iterdir()] == [path.name]


# --- the file ---------------------------------------------------------------------------------------------


def test_what_is_written_is_read(path: Path) -> None:
    found = Since(
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


def test_any_altered_character_and_any_cut_is_refused(path: Path) -> None:
    found = Since(destroyed=frozenset(["d" * 64]), spent={"a" * 64: frozenset([b"1" * 16])})
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


def test_two_lists_together_know_what_either_does() -> None:
    early, late = date(2027, 1, 1), date(2028, 1, 1)
    one = Since(
        {"x": timezone.now()}, frozenset("d"), {"s": late, "t": early}, {"s": frozenset([b"1"])}, {"s": 3}
    )
    spent = {"s": frozenset([b"2"]), "t": frozenset([b"3"])}
    two = Since({}, frozenset("e"), {"s": early, "u": late}, spent, {"s": 2, "u": 1})
    both = one | two
    assert both == Since(
        one.backups,
        frozenset("de"),
        {"s": early, "t": early, "u": late},
        {"s": frozenset([b"1", b"2"]), "t": frozenset([b"3"])},
        {"s": 3, "u": 1},
    )
    assert both.all_spent_digests == {b"1", b"2", b"3"}
