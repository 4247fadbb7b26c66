"""A restore that dies at any step has not happened, and can be begun again."""

import signal

import pytest

from tests.config.backup.instance import Make, Rows, take_list

pytestmark = pytest.mark.server

# Dies at the statements of these numbers, each in a process of its own; how each of them ended.
KILLED = """
import json, os, time
from django.core.management import call_command
from django.db import connection, connections
from tests.dying import dies_at

# PostgreSQL notices a moment later that a process is gone; a restore is refused beside it.
OTHERS = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

def is_alone():
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute(OTHERS)
        return cursor.fetchone() is None

found = []
for number in {numbers!r}:
    while not is_alone():
        time.sleep(0.05)
    connections.close_all()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with connection.execute_wrapper(dies_at(number)):
            call_command("restore", *{words!r})
        os._exit(0)
    found.append(os.waitpid(child, 0)[1])
print(json.dumps(found))
"""
COUNT = """
import json
from django.core.management import call_command
from django.db import connection
n = []
def count(execute, sql, params, many, context):
    n.append(sql)
    return execute(sql, params, many, context)
import contextlib, io
with connection.execute_wrapper(count), contextlib.redirect_stdout(io.StringIO()):
    call_command("restore", *{words!r})
last = max(place for place, sql in enumerate(n) if "people_history" in sql and "INSERT" in sql)
print(json.dumps([len(n), last]))
"""
# Dies once all is committed, before the files of the database are cleared of what was replaced.
UNSWEPT = """
import os, signal
from django.core.management import call_command
from surveys.intake import sweeping
sweeping.sweep = lambda: os.kill(os.getpid(), signal.SIGKILL)
if not os.fork():
    call_command("restore", *{words!r})
os.wait()
"""
PEOPLE = (
    "from people.models import Person; [Person.objects.create(username=f'{name}{{n}}') for n in range(5)]"
)


def test_a_restore_that_is_killed_leaves_what_was_there(make: Make) -> None:
    home, other = make(migrated=True), make(migrated=True)
    home.shell(PEOPLE.format(name="old"))
    path = home.back_up()
    for each in (home, other):
        each.shell(PEOPLE.format(name="new"))
    words = [str(path), "--replace", "--yes"]
    # On another machine it is counted how many statements that takes, and which is the last before the end.
    total, last = other.shell(COUNT.format(words=[*words, "--list", str(take_list(home, other))]))
    assert total > 200
    before = home.rows()
    early = [*range(20, last, last // 6), last - 1, last]
    ended = home.shell(KILLED.format(numbers=early, words=words))
    assert ended == [signal.SIGKILL] * len(early)
    assert home.rows() == before
    home.shell(UNSWEPT.format(words=words))
    after = home.rows()
    assert names(after) == names_in(["old"])
    # The tick will find what is left to do.
    assert after["intake_sweep"]
    assert home.restore(path, "--replace", "--yes").json["swept"] is True
    assert home.rows()["intake_sweep"] == []


def names(rows: Rows) -> set[str]:
    return {name for name in names_in(["old", "new"]) if any(name in row for row in rows["people_person"])}


def names_in(kinds: list[str]) -> set[str]:
    return {f"{kind}{n}" for kind in kinds for n in range(5)}
