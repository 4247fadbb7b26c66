"""Attacks on releases as jobs: what they find, who may see it, and that nothing of a register stays."""

import json
import logging
from datetime import timedelta

import pytest
from django.core import serializers

from accounts.models import Person
from config.backup.tables import LEFT_OUT
from intake.models import Sweep
from jobs import transitions
from jobs.models import State as JobState
from releases import uploads
from releases.making import attacking, deciding, downloading
from releases.models import Attack, Register, Release, ReleasedTable
from releases.pages import attack_words
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.releases import made
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("read_here")]
REGISTER = b"who,age,town\nZacharias,21,b\nWilhelmina,59,c\n"
NAMES = ("Zacharias", "Wilhelmina")


def attacked(release: Release, person: Person, register: bytes = REGISTER) -> Attack:
    attack = attacking.start(release, person, register, NOW)
    made.work(attack)
    return attack


def everything_stored() -> str:
    """Every row of every table, as text."""
    from django.apps import apps

    rows = [row for model in apps.get_models() for row in model._base_manager.all()]
    return str(serializers.serialize("json", rows))


def test_a_release_is_attacked_by_the_job_that_checks_it(upload: Release, owner: Person) -> None:
    found = made.made(upload, owner).report["attacks"]
    assert found["rows"] == 120
    assert found["criteria"]["k"]["classes"] == 0
    assert found["criteria"]["k"]["reached"] >= 10
    assert "register" not in found


def test_what_is_published_says_nothing_of_attacks(upload: Release, owner: Person, reviewer: Person) -> None:
    release = made.made(upload, owner)
    deciding.approve(release, reviewer, "", NOW)
    members = dict(downloading.pieces_of(release, "csv"))
    assert "attack" not in b"".join(b"".join(pieces) for pieces in members.values()).decode().lower()


def test_earlier_releases_of_the_survey_are_held_beside_it(
    survey: Survey, owner: Person, reviewer: Person
) -> None:
    first = made.made(made.drafted(survey, owner, "age"), owner)
    deciding.approve(first, reviewer, "", NOW)
    second = made.made(made.drafted(survey, owner, "age"), owner)
    assert second.report["attacks"]["beside"] == [{"name": str(first), "below": {"records": 0}, "alone": 0}]
    sentences = attack_words.sentences(second.report["attacks"])
    assert f"Together with {first}, nobody is known to be in a group of fewer than 10." in sentences


def test_people_of_a_register_are_looked_for_in_the_published_file(upload: Release, owner: Person) -> None:
    release = made.made(upload, owner)
    attack = attacked(release, owner)
    assert attack.state == JobState.DONE
    assert attack.answer["register"]["people"] == 2
    assert attack.answer["register"]["found"] == {"count": 0, "people": []}


def test_an_upload_is_attacked_as_it_is_before_a_release_is_made(owner: Person) -> None:
    table = b"name,age,town,ill\nAnn,21,b,flu\nBea,21,b,cold\nCas,59,c,flu\n"
    attack = attacked(made.uploaded(owner, table), owner)
    assert attack.of_source
    assert attack.answer["register"]["found"] == {"count": 1, "people": [{"person": 2, "row": 3}]}
    assert attack.answer["criteria"]["k"]["classes"] == 2
    assert attacked(attack.release, owner, b"").answer["rows"] == 3


def test_what_was_found_in_an_upload_is_deleted_with_it(upload: Release, owner: Person) -> None:
    attacked(upload, owner)
    uploads.delete_old(upload.source.created + uploads.DAYS)
    assert not Attack.objects.exists()
    assert "releases_attack" in set(Sweep.objects.values_list("table", flat=True))


def test_no_name_and_no_cell_of_a_register_stays(
    upload: Release, owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    release = made.made(upload, owner)
    attack = attacking.start(release, owner, REGISTER, NOW)
    assert bytes(Register.objects.get().content) == REGISTER
    made.work(attack)
    assert not Register.objects.exists()
    assert Sweep.objects.filter(table="releases_register").exists()
    stored = everything_stored() + caplog.text
    assert not [name for name in NAMES if name in stored]


def test_a_register_that_cannot_be_read_is_named_by_its_place_and_quoted_nowhere(
    upload: Release, owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    release = made.made(upload, owner)
    attack = attacked(release, owner, REGISTER + b"Zacharias,Wilhelmina,c\n")
    assert attack.state == JobState.FAILED
    assert str(attack.problem).startswith("register.csv:4: age: this cannot be read.")
    assert not Register.objects.exists()
    stored = everything_stored() + caplog.text
    assert not [name for name in NAMES if name in stored]


def test_the_register_is_deleted_before_it_is_read_so_that_a_killed_worker_leaves_none(
    upload: Release, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = made.made(upload, owner)
    attack = attacking.start(release, owner, REGISTER, NOW)

    def die(*_args: object, **_options: object) -> None:
        assert not Register.objects.exists()
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(attacking, "read_shown", die)
        with pytest.raises(SystemExit):
            made.work(attack)
    # As the reaper does with the job of a worker that is gone.
    Attack.objects.update(state=JobState.QUEUED, claim="")
    made.work(attack)
    assert attack.state == JobState.FAILED
    assert "The register has been deleted, since the attack was interrupted." in str(attack.problem)


def test_the_register_of_a_cancelled_attack_is_deleted_by_the_tick(upload: Release, owner: Person) -> None:
    attack = attacking.start(made.made(upload, owner), owner, REGISTER, NOW)
    attacking.delete_old(attack.created)
    assert Register.objects.exists()
    transitions.cancel(attack, NOW)
    attacking.delete_old(attack.created)
    assert not Register.objects.exists()


def test_no_register_waits_for_a_worker_longer_than_an_hour(upload: Release, owner: Person) -> None:
    attack = attacking.start(made.made(upload, owner), owner, REGISTER, NOW)
    attacking.delete_old(attack.created + timedelta(minutes=59))
    assert Register.objects.exists()
    attacking.delete_old(attack.created + timedelta(minutes=60))
    assert not Register.objects.exists()


def test_no_backup_holds_a_register_or_what_was_found_in_an_upload() -> None:
    assert {Register._meta.db_table, Attack._meta.db_table} <= set(LEFT_OUT)


def test_one_attack_at_a_time_by_who_may(
    upload: Release, owner: Person, reviewer: Person, stranger: Person
) -> None:
    for person in (reviewer, stranger):
        with pytest.raises(NotAllowed, match="Only the owner of an upload and reviewers"):
            attacking.start(upload, person, REGISTER, NOW)
    attacking.start(upload, owner, REGISTER, NOW)
    with pytest.raises(NotAllowed, match="under way already"):
        attacking.start(upload, owner, REGISTER, NOW)


def test_a_refused_release_takes_its_attacks_with_it(
    upload: Release, owner: Person, reviewer: Person
) -> None:
    release = made.made(upload, owner)
    attacked(release, reviewer)
    deciding.refuse(release, reviewer, "no", NOW)
    assert not Attack.objects.exists()


def test_a_table_that_was_deleted_meanwhile_fails_the_attack(upload: Release, owner: Person) -> None:
    release = made.made(upload, owner)
    attack = attacking.start(release, owner, REGISTER, NOW)
    release.makings.all().delete()
    assert not ReleasedTable.objects.exists()
    made.work(attack)
    assert attack.state == JobState.FAILED
    assert "or is deleted" in str(attack.problem)


def test_numbers_of_a_release_hold_no_value_of_a_person(upload: Release, owner: Person) -> None:
    answer = attacked(made.made(upload, owner), owner).answer
    assert set(json.loads(json.dumps(answer))) == {"register"}
    assert set(answer["register"]) == {
        "people",
        "fitting",
        "found",
        "learned",
        "expected",
        "journalist",
        "same_order",
    }
