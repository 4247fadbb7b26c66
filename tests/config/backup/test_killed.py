"""A restore that dies at any step has not happened, and can be begun again."""

import signal

import pytest

from tests import servers
from tests.config.backup.instance import Make, Rows

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="config/backup/test_restoring.py")]

# Dies before the first statement with such words, each in a process of its own; how each of them ended.
KILLED = """
import json, os, time
from django.core.management import call_command
from django.db import connection, connections
from tests.commands import dies_before

# PostgreSQL notices a moment later that a process is gone; a restore is refused beside it.
OTHERS = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

def is_alone():
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute(OTHERS)
        return cursor.fetchone() is None

found = []
for place in {places!r}:
    while not is_alone():
        time.sleep(0.05)
    connections.close_all()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with connection.execute_wrapper(dies_before(place)):
            call_command("restore", *{words!r})
        os._exit(0)
    found.append(os.waitpid(child, 0)[1])
print(json.dumps(found))
"""
# Dies once all is committed, before the files of the database are cleared of what was replaced.
UNSWEPT = """
import os, signal
from django.core.management import call_command
from intake.batches import overwrite_deleted
overwrite_deleted.overwrite_deleted_rows = lambda: os.kill(os.getpid(), signal.SIGKILL)
if not os.fork():
    call_command("restore", *{words!r})
os.wait()
"""
TICK = """
from django.utils import timezone
from intake.batches import automatic_sealing
automatic_sealing.on_tick(timezone.now())
"""
# Once the first migration is recorded, and after all rows. What was committed too early would be there after the later
# death.
PLACES = ['INSERT INTO "django_migrations"', 'INSERT INTO "accounts_history"']
PEOPLE = (
    "from accounts.models import Person; [Person.objects.create(username=f'{name}{{n}}') for n in range(5)]"
)


def test_a_restore_that_is_killed_leaves_what_was_there(make: Make) -> None:
    home = make(migrated=True)
    home.shell(PEOPLE.format(name="old"))
    path = home.back_up()
    home.shell(PEOPLE.format(name="new"))
    words = [str(path), "--replace", "--yes"]
    before = home.rows()
    ended = home.shell(KILLED.format(places=PLACES, words=words))
    assert ended == [signal.SIGKILL] * len(PLACES)
    assert home.rows() == before
    # It can be begun again.
    home.shell(UNSWEPT.format(words=words))
    after = home.rows()
    assert names(after) == names_in(["old"])
    # The tick finds what is left to do.
    assert after["intake_sweep"]
    servers.manage(home.env, "shell", "--verbosity=0", "-c", TICK)
    assert home.rows()["intake_sweep"] == []


def names(rows: Rows) -> set[str]:
    return {name for name in names_in(["old", "new"]) if any(name in row for row in rows["accounts_person"])}


def names_in(kinds: list[str]) -> set[str]:
    return {f"{kind}{n}" for kind in kinds for n in range(5)}
