"""A survey is closed, paused, finished or deleted while hundreds of people send: each is told truly what became of
their record, and what was acknowledged is stored once."""

import json
import time
from collections import Counter
from functools import partial

import pytest

from tests.intake import asked
from tests.intake.live_survey import LiveServer, LiveSurvey

pytestmark = pytest.mark.server
PEOPLE = 400
KNOWN_FOR = 0.5
"""Seconds after which no process takes a survey for what it was (a tenth) on a busy machine."""
STORED, KNOWN, GONE, LATER = 201, 200, 410, 503
ACT = """
from django.utils import timezone
from surveys.lifecycle import state_changes
from surveys.models import Survey
survey, now = Survey.objects.get(pk={survey}), timezone.now()
for act in {acts}:
    getattr(state_changes, act + "_survey")(survey, survey.owner, now)
"""
LEFT = """
import json
from django.utils import timezone
from intake.batches import automatic_sealing
from intake.models import Batch, FreshKey, Inbox, KeySecret, SeenKeys, WaitCount
def rows():
    kinds = (Batch, FreshKey, Inbox, KeySecret, SeenKeys, WaitCount)
    return {{kind.__name__: kind._base_manager.filter(survey={survey}).count() for kind in kinds}}
automatic_sealing.on_tick(timezone.now())
print(json.dumps([name for name, many in rows().items() if many]))
"""


def answer_while(server: LiveServer, *acts: str) -> tuple[LiveSurvey, list[int]]:
    """The survey, and what each person was told, of whom half send after these acts."""
    home = server.open(asked.design(least=20))
    envelopes = [home.envelope(number) for number in range(PEOPLE)]
    return home, home.post(envelopes, 40, partial(do, home, *acts))


def do(home: LiveSurvey, *acts: str) -> None:
    home.shell(ACT.format(survey=home.survey, acts=acts))
    time.sleep(KNOWN_FOR)


def require_stored(home: LiveSurvey, statuses: list[int]) -> None:
    """Each acknowledged record once, and no other."""
    acknowledged = [f"{number:06o}" for number, status in enumerate(statuses) if status == STORED]
    found = home.find()
    assert sorted(found.all) == acknowledged
    assert len(set(found.keys)) == len(acknowledged)


def test_whoever_sends_while_a_survey_is_closed_is_stored(server: LiveServer) -> None:
    """For an hour more, since they had begun."""
    home, statuses = answer_while(server, "close")
    assert Counter(statuses) == {STORED: PEOPLE}
    require_stored(home, statuses)


@pytest.mark.night
def test_whoever_is_asked_to_wait_while_a_survey_is_paused_is_stored_later(server: LiveServer) -> None:
    home, statuses = answer_while(server, "pause")
    assert set(statuses) == {STORED, LATER}
    require_stored(home, statuses)
    do(home, "resume")
    late = [number for number, status in enumerate(statuses) if status == LATER]
    assert set(home.post([home.envelope(number) for number in late])) == {STORED}
    require_stored(home, [STORED] * PEOPLE)


@pytest.mark.night
def test_whoever_sends_while_a_survey_is_finished_is_stored_or_told_so(server: LiveServer) -> None:
    home, statuses = answer_while(server, "close", "finish")
    assert set(statuses) == {STORED, GONE}
    require_stored(home, statuses)


def test_nothing_is_left_of_who_sends_while_a_survey_is_deleted(server: LiveServer) -> None:
    home, statuses = answer_while(server, "close", "destroy")
    assert set(statuses) == {STORED, GONE}
    assert json.loads(home.shell(LEFT.format(survey=home.survey))) == []
