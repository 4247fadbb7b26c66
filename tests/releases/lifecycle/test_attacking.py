"""Attacks on releases as jobs: what they find, who may see it, and that nothing of a register stays."""

import json
import logging
from datetime import timedelta
from typing import Any

import pytest
from django.core import serializers

from accounts.models import Person
from config.backup.saved_tables import LEFT_OUT
from intake.models import Sweep
from jobs import job_state_changes
from jobs.models import State as JobState
from privacy.anonymity.risk import attack_sentences
from releases import uploads
from releases.lifecycle import attack_job, download_zip, release_decisions
from releases.models import Attack, Register, Release, ReleasedTable
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.privacy.anonymity.sample_tables import MEDICAL, REGISTER as REGISTER_003
from tests.releases.conftest import NOW, draft_of_survey, draft_of_upload, finish_job, made_release
from tests.releases.lifecycle.test_attack_command import QUASI

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("read_here")]
REGISTER = b"who,age,town\nZacharias,21,b\nWilhelmina,59,c\n"
NAMES = ("Zacharias", "Wilhelmina")


def attack_release(release: Release, person: Person, register: bytes = REGISTER, **more: Any) -> Attack:
    attack = attack_job.start_attack(release, person, register, NOW, **more)
    finish_job(attack)
    return attack


def names_that_stay(log: str) -> list[str]:
    """In any row of any table, or in the log."""
    from django.apps import apps

    rows = [row for model in apps.get_models() for row in model._base_manager.all()]
    stored = serializers.serialize("json", rows) + log
    return [name for name in NAMES if name in stored]


def test_release_is_attacked_by_its_checking_job_and_publishes_no_result(
    checked_release: Release, reviewer: Person
) -> None:
    found = checked_release.report["attacks"]
    assert found["rows"] == 120
    assert found["criteria"]["k"]["classes"] == 0
    assert found["criteria"]["k"]["reached"] >= 10
    assert "register" not in found
    release_decisions.approve(checked_release, reviewer, "", NOW)
    members = dict(download_zip.zip_members(checked_release, "csv"))
    assert "attack" not in b"".join(b"".join(pieces) for pieces in members.values()).decode().lower()


def test_earlier_releases_are_attacked_together(survey: Survey, owner: Person, reviewer: Person) -> None:
    first = made_release(draft_of_survey(survey, owner, "age"), owner)
    release_decisions.approve(first, reviewer, "", NOW)
    second = made_release(draft_of_survey(survey, owner, "age"), owner)
    assert second.report["attacks"]["beside"] == [{"name": str(first), "below": {"records": 0}, "alone": 0}]
    sentences = attack_sentences.attack_sentences(second.report["attacks"])
    assert f"Together with {first}, nobody is known to be in a group of fewer than 10." in sentences


def test_people_of_a_register_are_looked_for_in_the_published_file(
    checked_release: Release, owner: Person
) -> None:
    attack = attack_release(checked_release, owner)
    assert attack.state == JobState.DONE
    assert attack.answer["register"]["people"] == 2
    assert attack.answer["register"]["found"] == {"count": 0, "people": []}
    # Its numbers hold no value of a person.
    assert set(json.loads(json.dumps(attack.answer))) == {"register"}
    assert set(attack.answer["register"]) == {
        "people", "fitting", "found", "learned", "expected", "journalist", "same_order",
    }  # fmt: skip


def test_upload_is_attacked_before_its_release_is_made(owner: Person) -> None:
    table = b"name,age,town,ill\nAnn,21,b,flu\nBea,21,b,cold\nCas,59,c,flu\n"
    attack = attack_release(draft_of_upload(owner, table), owner)
    assert attack.of_source
    assert attack.answer["register"]["found"] == {"count": 1, "people": [{"person": 2, "row": 3}]}
    assert attack.answer["criteria"]["k"]["classes"] == 2
    assert attack_release(attack.release, owner, b"").answer["rows"] == 3


def test_attack_result_is_deleted_with_its_upload_and_in_no_backup(upload: Release, owner: Person) -> None:
    assert {Register._meta.db_table, Attack._meta.db_table} <= set(LEFT_OUT)
    attack_release(upload, owner)
    uploads.delete_expired_uploads(upload.source.created + uploads.DAYS)
    assert not Attack.objects.exists()
    assert "releases_attack" in set(Sweep.objects.values_list("table", flat=True))


def test_register_names_and_cells_are_not_stored(
    checked_release: Release, owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    attack = attack_job.start_attack(checked_release, owner, REGISTER, NOW)
    assert bytes(Register.objects.get().content) == REGISTER
    finish_job(attack)
    assert not Register.objects.exists()
    assert Sweep.objects.filter(table="releases_register").exists()
    assert names_that_stay(caplog.text) == []


def test_a_register_that_cannot_be_read_is_named_by_its_place_and_quoted_nowhere(
    checked_release: Release, owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    attack = attack_release(checked_release, owner, REGISTER + b"Zacharias,Wilhelmina,c\n")
    assert attack.state == JobState.FAILED
    assert str(attack.problem).startswith("register.csv:4: age: this cannot be read.")
    assert not Register.objects.exists()
    assert names_that_stay(caplog.text) == []


def test_the_register_is_deleted_before_it_is_read_so_that_a_killed_worker_leaves_none(
    checked_release: Release, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    attack = attack_job.start_attack(checked_release, owner, REGISTER, NOW)

    def die_after_deletion(*_args: object, **_options: object) -> None:
        assert not Register.objects.exists()
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(attack_job, "read_shown_table", die_after_deletion)
        with pytest.raises(SystemExit):
            finish_job(attack)
    # As the reaper does with the job of a worker that is gone.
    Attack.objects.update(state=JobState.QUEUED, claim="")
    finish_job(attack)
    assert attack.state == JobState.FAILED
    assert "The register has been deleted, since the attack was interrupted." in str(attack.problem)


def test_the_register_of_a_cancelled_attack_is_deleted_by_the_tick(
    checked_release: Release, owner: Person
) -> None:
    """And of one that waits for a worker longer than an hour."""
    attack = attack_job.start_attack(checked_release, owner, REGISTER, NOW)
    attack_job.delete_unused_attacker_files(attack.created)
    assert Register.objects.exists()
    job_state_changes.cancel(attack, NOW)
    attack_job.delete_unused_attacker_files(attack.created)
    assert not Register.objects.exists()
    attack = attack_job.start_attack(checked_release, owner, REGISTER, NOW)
    attack_job.delete_unused_attacker_files(attack.created + timedelta(minutes=59))
    assert Register.objects.exists()
    attack_job.delete_unused_attacker_files(attack.created + timedelta(minutes=60))
    assert not Register.objects.exists()


def test_one_attack_runs_at_a_time_by_permitted_people(
    upload: Release, owner: Person, reviewer: Person, stranger: Person
) -> None:
    for person in (reviewer, stranger):
        with pytest.raises(NotAllowed, match="Only the owner of an upload and reviewers"):
            attack_job.start_attack(upload, person, REGISTER, NOW)
    attack_job.start_attack(upload, owner, REGISTER, NOW)
    with pytest.raises(NotAllowed, match="under way already"):
        attack_job.start_attack(upload, owner, REGISTER, NOW)


def test_a_refused_release_takes_its_attacks_with_it(checked_release: Release, reviewer: Person) -> None:
    attack_release(checked_release, reviewer)
    release_decisions.refuse(checked_release, reviewer, "no", NOW)
    assert not Attack.objects.exists()


def test_a_table_that_was_deleted_meanwhile_fails_the_attack(checked_release: Release, owner: Person) -> None:
    attack = attack_job.start_attack(checked_release, owner, REGISTER, NOW)
    checked_release.makings.all().delete()
    assert not ReleasedTable.objects.exists()
    finish_job(attack)
    assert attack.state == JobState.FAILED
    assert "or is deleted" in str(attack.problem)


# --- the medical table of document 003, attacked with three files at once --------------------------------


DIVERSE = b"""age,sex,zip,problem
25..38,*,1****,bronchitis
25..38,*,1****,flu
29..40,*,1****,bronchitis
25..38,*,1****,AIDS
29..40,*,1****,pneumonia
29..40,*,1****,flu
"""
"""A second release of the six people, whose rows are in another order."""
EARLIER = b"age,sex\n25,F\n26,M\n29,F\n37,M\n38,M\n40,M\n"
"""An earlier table of them, without their problems."""


def test_three_files_and_ruled_out_values_attack_the_medical_table_at_once(owner: Person) -> None:
    roles = {"identifiers": [], "quasi_identifiers": QUASI, "sensitive": ["problem"], "max_frequency": None}
    release = draft_of_upload(owner, MEDICAL.encode(), **roles, k=2)
    others = {"second.csv": DIVERSE, "earlier.csv": EARLIER}
    attack = attack_job.start_attack(release, owner, REGISTER_003.encode(), NOW, others, ruled_out=3)
    assert Register.objects.filter(attack=attack).count() == 3
    finish_job(attack)
    assert attack.state == JobState.DONE, attack.problem
    assert not Register.objects.exists()
    # The table as it is: Betty alone fits the row 1, and each of the six rows has its own cells.
    assert attack.answer["register"]["found"] == {"count": 1, "people": [{"person": 1, "row": 1}]}
    second, earlier = attack.answer["beside"]
    assert (second["name"], second["same_order"], second["unlinked"]) == ("second.csv", False, 0)
    assert (earlier["name"], earlier["alone"]) == ("earlier.csv", 6)
    assert earlier["below"] == {"records": 6, "rows": [1, 2, 3, 4, 5, 6]}
    # Of four problems three can be ruled out in four ways.
    assert attack.answer["ruled_out"]["columns"]["problem"]["sets"] == 4


def test_rows_in_the_order_of_another_table_are_joined_one_by_one(owner: Person) -> None:
    # Two kinds of rows in turn, and a code in the other table that splits neither.
    rows = [f"{20 + n % 2},{'ab'[n % 2]},flu" for n in range(20)]
    release = draft_of_upload(owner, "\n".join(["age,town,ill", *rows]).encode(), identifiers=[])
    other = "\n".join(["age,code", *(f"{20 + n % 2},{n}" for n in range(20))]).encode()
    attack = attack_release(release, owner, b"", others={"unsorted.csv": other})
    assert attack.answer["beside"][0]["same_order"]
    assert "The rows are in the order of unsorted.csv, so both are joined row by row." in (
        attack_sentences.attack_sentences(attack.answer)
    )


def test_made_release_stores_only_what_the_files_add(checked_release: Release, owner: Person) -> None:
    published = download_zip.published_file(checked_release)
    attack = attack_release(checked_release, owner, b"", others={"same.csv": published}, ruled_out=1)
    assert set(attack.answer) == {"beside", "k", "rows"}
    assert attack.answer["beside"][0]["below"]["records"] == 0
    both = attack_release(checked_release, owner, b"", ruled_out=2)
    assert set(both.answer) == {"ruled_out"}
    # Two values, and both of them ruled out.
    assert attack_sentences.attack_sentences(both.answer) == [
        "No sensitive column has more than 2 values, so that ruling out so many leaves none. Rule out fewer."
    ]


def test_progress_names_the_running_attack(upload: Release, owner: Person) -> None:
    attack = attack_job.start_attack(upload, owner, REGISTER, NOW, {"second.csv": REGISTER})
    words: list[str] = []
    shares: list[float] = []

    def progress(fraction: float | None, text: str = "", **values: str | int | float) -> None:
        words.append(text % values)
        shares.append(fraction or 0)

    attack_job.perform(attack, progress)
    assert list(dict.fromkeys(words)) == [
        "The table is read",
        "register.csv is read",
        "second.csv is read",
        "The classes are searched for values that they tell",
        "The people of the register are looked for in the table",
        "The rows are joined with those of second.csv",
    ]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)


def test_other_table_is_not_stored_and_an_interrupted_attack_asks_again(
    checked_release: Release, owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for end, problem in ((b"", ""), (b"Zacharias,Wilhelmina,c\n", "second.csv:4: age: this cannot be read.")):
        attack = attack_release(checked_release, owner, b"", others={"second.csv": REGISTER + end})
        assert str(attack.problem).startswith(problem)
        assert not Register.objects.exists()
    assert names_that_stay(caplog.text) == []
    attack = attack_job.start_attack(checked_release, owner, REGISTER, NOW, {"second.csv": REGISTER})
    Register.objects.filter(name="second.csv").delete()
    finish_job(attack)
    assert not Register.objects.exists()
    assert "The files have been deleted, since the attack was interrupted." in str(attack.problem)


def test_more_sets_of_values_than_can_be_tried_fail_the_attack(owner: Person) -> None:
    rows = "".join(f"p{n},{20 + n % 40},a,ill {n % 25}\n" for n in range(100))
    release = draft_of_upload(owner, f"name,age,town,ill\n{rows}".encode())
    attack = attack_release(release, owner, b"", ruled_out=10)
    # 25! / (10! 15!)
    assert str(attack.problem) == (
        "ill: 10 of its values can be ruled out in 3268760 ways, too many to try. Rule out fewer."
    )
