"""A restore brings back every row as it was, with the rules of its table, and nothing that was left out."""

from dataclasses import dataclass

import pytest

from tests import servers
from tests.config.backup.instance import Done, Instance, Make, Rows, take_list

pytestmark = pytest.mark.server

FILL = "from tests.config.backup import filled; filled.filled()"
LEFT_OUT = {
    "api_delivery",
    "api_event",
    "api_token",
    "api_webhook",
    "django_session",
    "accounts_lockout",
    "jobs_worker",
    "jobs_lease",
    "releases_upload",
    "releases_attack",
    "releases_register",
    "intake_sweep",
}


@dataclass
class Moved:
    """A filled instance, its rows when it was backed up, and a new machine that the backup was restored on."""

    first: Instance
    numbers: dict[str, int]
    before: Rows
    second: Instance
    after: Rows
    done: Done


@pytest.fixture(scope="module")
def moved(make: Make) -> Moved:
    first = make(migrated=True)
    numbers = first.shell(FILL)
    path = first.back_up()
    before = first.rows()
    second = make(migrated=True)
    done = second.restore(path, "--list", str(take_list(first, second)))
    return Moved(first, numbers, before, second, second.rows(), done)


def test_a_database_without_anybody_in_it_is_replaced_without_a_question(moved: Moved) -> None:
    assert moved.done.json["older"] is None
    assert any("olga" in row for row in moved.after["accounts_person"])


def test_every_row_comes_back_as_it_was(moved: Moved) -> None:
    # A restore ends links to set a password and says what it was; the times of the migrations are its own.
    # The specification of an upload quotes its values.
    changed = {"accounts_person", "accounts_history", "django_migrations", "releases_release"} | LEFT_OUT
    assert moved.before.keys() == moved.after.keys()
    for table in moved.before.keys() - changed:
        assert moved.after[table] == moved.before[table], table
    for table in ("surveys_fieldkeys", "field_fielddevice", "field_fieldlot"):
        assert moved.after[table], table
    assert len([table for table in moved.before.keys() - changed if moved.before[table]]) > 20


def test_the_activity_log_says_that_there_was_a_restore_and_keeps_all_the_rest(moved: Moved) -> None:
    before, after = set(moved.before["accounts_history"]), set(moved.after["accounts_history"])
    assert before < after
    (added,) = after - before
    assert "backup.restored" in added


def test_who_was_signed_in_is_not_in_the_backup_and_what_lives_now_neither(moved: Moved) -> None:
    # No sweep is owed, nobody attacks a release (tests/releases/lifecycle/test_attacking.py).
    for table in LEFT_OUT - {"intake_sweep", "releases_attack", "releases_register"}:
        assert moved.before[table], table
        assert moved.after[table] == [], table
    rows = sum(
        len(found)
        for table, found in moved.before.items()
        if table not in LEFT_OUT | {"django_migrations", "candor_migrations"}
    )
    assert moved.done.json["rows"] == rows


def test_the_columns_of_an_upload_are_not_in_the_backup(moved: Moved) -> None:
    [before], [after] = moved.before["releases_release"], moved.after["releases_release"]
    assert "town" in before
    assert "candor-release/1" in after
    assert "town" not in after


SAID = """
import json
from accounts.models import History, Person
from jobs.models import Trial
from tests.config.backup.filled import ODD
print(json.dumps([
    Person.objects.get(username="olga").name == ODD,
    Person.objects.get(username="olga").check_password("a-long-password"),
    Person.objects.get(username="closed").is_active,
    Trial.objects.get().words == {"odd": [ODD, 1e-300, None, True, 2**60]},
    Trial.objects.get().fraction == 1 / 3,
]))
"""


def test_values_are_the_same_to_the_last_character_and_digit(moved: Moved) -> None:
    assert moved.second.shell(SAID) == [True, True, False, True, True]


REFUSED = """
import json
from django.db import IntegrityError, connection, transaction
from surveys import triggers
said = []
for statement in {statements!r}:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
        said.append(statement)
    except IntegrityError:
        pass
print(json.dumps([said, triggers.missing_triggers(connection)]))
"""
STATEMENTS = [
    "UPDATE accounts_history SET note = 'forged'",
    "DELETE FROM accounts_history",
    "UPDATE surveys_design SET json = '{}'",
    "DELETE FROM surveys_design",
    "UPDATE surveys_survey SET slug = 'elsewhere' WHERE design_id IS NOT NULL",
    "UPDATE surveys_survey SET draft = '{}' WHERE design_id IS NOT NULL",
    "UPDATE surveys_survey SET destroy_on = NULL WHERE design_id IS NOT NULL",
    "DELETE FROM surveys_survey WHERE design_id IS NOT NULL",
    "UPDATE reports_decision SET note = 'forged'",
    "UPDATE reports_publication SET content = '{}'",
]


def test_what_may_not_be_changed_still_may_not(moved: Moved) -> None:
    assert moved.second.shell(REFUSED.format(statements=STATEMENTS)) == [[], {}]
    servers.manage(moved.second.env, "check", "--database", "default")


NEXT = """
import json
from accounts.models import Person
from surveys.models import Survey
owner = Person.objects.get(username="olga")
print(json.dumps([Survey.objects.create(owner=owner).pk, Person.objects.create(username="next").pk]))
"""


def test_numbers_that_were_given_are_not_given_again(moved: Moved) -> None:
    # The last account was the fifth; it was deleted before the backup.
    assert moved.second.shell(NEXT) == moved.first.shell(NEXT) == [5, 6]


def test_the_summary_says_what_the_backup_holds(moved: Moved) -> None:
    said = moved.done.json
    assert {key: said[key] for key in ("surveys", "records", "runs", "accounts")} == {
        "surveys": 3,
        "records": 45 + 2400,
        "runs": 1,
        "accounts": 3,
    }
    assert said["earliest_deletion"] == "2030-05-01"
    assert said["older"] is None
    assert said["complete"] is True
    assert said["migrated"] == 0
    assert said["swept"] is True
