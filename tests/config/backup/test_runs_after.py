"""Runs after a restore: what was found stays, what waited or ran is done, all of it to the same digit."""

import pytest
from tests.config.backup.instance import Make, take_list

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="config/backup/test_restoring.py")]

BEFORE = """
import json
from django.utils import timezone
from jobs import database, job_state_changes
from runs.models import Run
from mining.parameters import Parameters
from runs import run_start
from accounts.models import Person
from tests.runs import sealed, working
owner = Person.objects.create(username="owner")
survey = sealed.survey(owner, sealed.small(), [300] * 3)

def started(confidence):
    wanted = Parameters(min_support=0.1, min_confidence=confidence, max_size=2)
    return run_start.start(survey, owner, wanted, timezone.now())

done, waiting, running = started(0.3), started(0.4), started(0.5)
working.one(done)
# A worker has claimed it twice already, and works on it.
Run.objects.filter(pk=running.pk).update(attempts=2)
job_state_changes.claim(running.pk, token="a" * 32, worker="w9", now=database.now())
done.refresh_from_db()
"""
BACK_UP = """
from pathlib import Path
from config.backup import archive, backing_up
backing_up.back_up(Path({path!r}), archive.instance_key(), timezone.now(), lambda line: None)
"""
# After the backup the two others are done here as well.
HERE = """
job_state_changes.requeue_all_of_worker("w9")
working.all_that_waits()
print(json.dumps([done.pk, done.digest, list(Run.objects.order_by("pk").values_list("state", "digest"))]))
"""
THERE = """
import json
from datetime import timedelta
from django.utils import timezone
from jobs import heartbeat
from runs.models import Run
from runs import run_start
from accounts.models import Person
from tests.runs import working
found = list(Run.objects.order_by("pk").values_list("state", "attempts", "claim"))
heartbeat.requeue_dead_jobs(timezone.now())
working.all_that_waits()
again = working.work(run_start.repeat(Run.objects.get(pk={done}), Person.objects.get(), timezone.now()))
print(json.dumps([found, list(Run.objects.order_by("pk").values_list("state", "digest")), again.digest]))
"""


# Rows come back alike on both (test_restoring); what is done with them then is the same.
@pytest.mark.parametrize("make", ["sqlite"], indirect=True)
def test_runs_are_finished_and_repeated_with_the_same_digests(make: Make) -> None:
    home, new = make(migrated=True), make()
    path = home.var / "first.backup"
    done, digest, expected = home.shell(BEFORE + BACK_UP.format(path=str(path)) + HERE)
    assert [state for state, _digest in expected] == ["done"] * 3
    assert len({digest for _state, digest in expected}) == 3
    new.restore(path, "--list", str(take_list(home, new)))
    found, after, again = new.shell(THERE.format(done=done))
    # What ran waits again and has not lost an attempt by it.
    assert found == [["done", 1, ""], ["queued", 0, ""], ["queued", 2, ""]]
    assert after[:3] == expected
    assert after[3] == ["done", digest]
    assert again == digest
