"""Two doors of one survey at the same moment, on PostgreSQL: the second sees the row of the first."""

import pytest

from tests import servers
from tests.conftest import Migrated, migrated

__all__ = ["migrated"]

pytestmark = pytest.mark.server

PAIRS = """
from threading import Barrier, Thread
from django.db import connection, transaction
from django.utils import timezone
from intake.disclosure import ledger
from intake.disclosure.ledger import Telling
from intake.disclosure.models import Disclosure, Door
from accounts.models import Person
from surveys.models import Survey
from tests.releases import surveyed
owner = Person.objects.create(username="owner", email="owner@x.org")
def tell(survey, door, barrier):
    barrier.wait()
    try:
        with transaction.atomic():
            locked = Survey.objects.locked_beside_records(survey.pk)
            # Each may be told alone, and neither beside the other.
            if not ledger.told(locked):
                ledger.enter(locked, Telling(door, str(door), "", 1, "disguised"), owner, timezone.now())
    finally:
        connection.close()
for number in range(50):
    survey, barrier = surveyed.survey(owner, surveyed.everybody(3)), Barrier(2)
    doors = [Thread(target=tell, args=(survey, door, barrier)) for door in (Door.REPORT, Door.RECORDS)]
    [door.start() for door in doors]
    [door.join() for door in doors]
print(Disclosure.objects.count(), Disclosure.objects.values("survey").distinct().count())
"""


def test_two_doors_at_once_see_each_other(migrated: Migrated) -> None:
    said = servers.manage(migrated("ledger"), "shell", "--verbosity=0", "-c", PAIRS)
    assert said.split()[-2:] == ["50", "50"]
