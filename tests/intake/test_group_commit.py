"""Transactions shared by those who come at the same time, in a real SQLite file."""

import json

import pytest

from intake.endpoint.group_commit import GroupCommit
from tests.intake.conftest import Shared

# Twelve threads, the first of which holds the turn until the others have come.
TWELVE = """
import json, secrets, time
from threading import Event, Thread
from django.db import IntegrityError, connection, transaction
from accounts.models import Person
from intake.endpoint.group_commit import GroupCommit

together, begun, go, mark = GroupCommit(), Event(), Event(), secrets.token_hex(8)
said = {}

def add(number):
    def work():
        if number == 0:
            begun.set()
            go.wait(300)
        with transaction.atomic():
            Person.objects.create(username=f"{mark}-{number % 6}")
        return number
    return work

def one(number):
    try:
        said[number] = together.do(add(number))
    except IntegrityError as error:
        said[number] = str(error)
    finally:
        connection.close()

threads = [Thread(target=one, args=[number]) for number in range({n})]
threads[0].start()
begun.wait(300)
for thread in threads[1:]:
    thread.start()
while len(together._waiting) < {n} - 1:
    time.sleep(0.001)
go.set()
for thread in threads:
    thread.join()
print(json.dumps([sorted(said.items()), Person.objects.filter(username__startswith=mark).count()]))
"""


@pytest.mark.django_db
def test_what_it_does_is_returned() -> None:
    assert GroupCommit[int]().do(lambda: 7) == 7


@pytest.mark.django_db
def test_what_fails_is_raised_and_the_next_one_is_done() -> None:
    together = GroupCommit[int]()

    def fails() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        together.do(fails)
    assert together.do(lambda: 7) == 7


def in_a_file(shared: Shared, n: int) -> tuple[list[tuple[int, object]], int]:
    said, people = json.loads(shared("sqlite").commands.run(TWELVE.replace("{n}", str(n))))
    return [tuple(pair) for pair in said], people


@pytest.mark.server
def test_six_threads_get_each_their_own_result(shared: Shared) -> None:
    assert in_a_file(shared, 6) == ([(number, number) for number in range(6)], 6)


@pytest.mark.server
def test_a_transaction_that_fails_has_failed_for_all_who_shared_it(shared: Shared) -> None:
    """The first is alone; of the other six, one takes a name for the second time."""
    said, people = in_a_file(shared, 7)
    assert said[0] == (0, 0)
    assert all(isinstance(answer, str) and "UNIQUE" in answer for _number, answer in said[1:])
    assert people == 1
