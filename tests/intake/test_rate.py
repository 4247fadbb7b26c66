"""A survey's open link takes so many records a minute, over all processes together, and nothing is stored for it."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from intake.batches import due
from intake.endpoint import endpoint
from intake.endpoint.rate import PART, Rate
from intake.invitations.making import generate
from intake.models import FreshKey, Inbox
from surveys.models import Survey
from tests import servers
from tests.intake import asked
from tests.intake.live_survey import live_survey

pytestmark = pytest.mark.page
ASKS = asked.design()


class World:
    """Processes that see the same survey; each record that one admits is stored at once."""

    def __init__(self, a_minute: int, processes: int = 1) -> None:
        self.now, self.stored, self.looks = 0.0, 0, 0
        self.processes = [Rate(a_minute, self._look, lambda: self.now) for _ in range(processes)]

    def _look(self, survey: int) -> int:
        self.looks += 1
        return self.stored

    def send(self, n: int, to: int = 0) -> int:
        """How many of n are let in, one after the other."""
        before = self.stored
        for _ in range(n):
            self.stored += self.processes[to].admits(1)
        return self.stored - before


def test_as_many_as_in_a_minute_are_let_in_at_once_and_no_more() -> None:
    world = World(600)
    assert world.send(10_000) == 600


def test_then_as_many_as_the_rate_names() -> None:
    world = World(600)
    world.send(600)
    let_in = []
    for _second in range(60):
        world.now += 1
        let_in.append(world.send(1_000))
    assert let_in == [10] * 60


def test_a_survey_that_is_never_faster_meets_no_limit() -> None:
    world = World(600)
    for _hour in range(3):
        for _second in range(3_600):
            world.now += 1
            assert world.send(10) == 10


def test_an_hour_s_rest_saves_one_minute_s_worth() -> None:
    world = World(60)
    world.send(60)
    world.now += 3_600
    assert world.send(1_000) == 60


@pytest.mark.parametrize("processes", [2, 4, 8])
def test_all_processes_together_keep_the_rate(processes: int) -> None:
    world = World(600, processes)
    for _tenth in range(6_000):
        world.now += 0.1
        for process in range(processes):
            world.send(20, process)
    # Ten minutes of a flood: the bucket once, ten minutes' worth, and what others let in before a process's first look.
    assert 600 + 6_000 - 20 <= world.stored <= 600 + 6_000 + (processes - 1) * 600 // PART


def test_a_process_that_was_idle_knows_what_others_let_in() -> None:
    world = World(600, 2)
    assert world.send(1, to=1) == 1
    assert world.send(1_000, to=0) == 600
    world.now += 1
    # The rate of a second, less the one that it had not looked at.
    assert world.send(1_000, to=1) == 9
    for _minute in range(60):
        world.now += 60
        assert world.send(600, to=0) == 600
    world.now += 60
    assert world.send(600, to=1) == 600


def test_after_a_restart_nobody_waits_for_what_came_before_it() -> None:
    world = World(600, 2)
    assert world.send(600, to=0) == 600
    assert world.send(1_000, to=0) == 0
    assert world.send(1_000, to=1) == 600
    assert world.send(1_000, to=1) == 0


def test_a_survey_s_own_rate_holds_from_the_next_look_on() -> None:
    world = World(600)
    (rate,) = world.processes

    def send(n: int, a_minute: int | None) -> int:
        before = world.stored
        for _ in range(n):
            world.stored += rate.admits(1, "", a_minute)
        return world.stored - before

    assert send(1_000, 100) == 100
    world.now += 60
    assert send(10_000, 3_000) == 3_000
    world.now += 60
    assert send(10_000, None) == 600


def test_a_flood_that_is_turned_away_costs_a_look_a_second() -> None:
    world = World(600)
    world.send(600)
    world.looks = 0
    for _hundredth in range(1_000):
        world.now += 0.01
        world.send(100)
    # One for each record that is let in, and one each second that finds nothing.
    assert world.looks <= 10 * (10 + 2)


def test_surveys_do_not_share_a_bucket() -> None:
    stored = {1: 0, 2: 0}
    rate = Rate(1, lambda survey: stored[survey], lambda: 0.0)
    for survey in stored:
        assert rate.admits(survey)
        stored[survey] += 1
    assert not any(map(rate.admits, stored))


def test_the_standard_lets_a_town_hall_in_at_one_moment() -> None:
    assert World(settings.RECORDS_PER_MINUTE).send(6_000) == 6_000


# --- at the endpoint ----------------------------------------------------------------------------------

Limit = Callable[[int], None]


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> Limit:
    """So many a minute, in which no time passes."""

    def to(a_minute: int) -> None:
        received = endpoint.RATE.received
        monkeypatch.setattr(endpoint, "RATE", Rate(a_minute, received, lambda: 0.0))

    return to


def said(response: Any) -> tuple[int, str]:
    word: str = response.json()["outcome"]
    return response.status_code, word


@pytest.mark.django_db
def test_what_comes_beyond_the_rate_is_asked_to_come_again_and_leaves_nothing(limit: Limit) -> None:
    survey = asked.survey(ASKS)
    limit(3)
    for _ in range(3):
        assert said(asked.post(survey, asked.envelope(ASKS)))[0] == 201
    sent = asked.envelope(ASKS)
    for _ in range(3):
        response = asked.post(survey, sent)
        assert said(response) == (503, "too many at once")
        assert 5 <= int(response["Retry-After"]) < 60
    assert (Inbox.objects.count(), FreshKey.objects.count()) == (3, 3)
    # The same bytes, once there is room.
    limit(3)
    assert said(asked.post(survey, sent)) == (201, "stored")
    assert said(asked.post(survey, sent)) == (200, "already stored")


@pytest.mark.django_db
def test_a_survey_that_expects_more_at_once_takes_more(limit: Limit) -> None:
    """Changed while it is open: the next look knows it, in every process."""
    survey = asked.survey(ASKS)
    limit(1)
    assert [said(asked.post(survey, asked.envelope(ASKS)))[0] for _ in range(2)] == [201, 503]
    Survey.objects.filter(pk=survey.pk).update(at_once=60)
    limit(1)
    statuses = [said(asked.post(survey, asked.envelope(ASKS)))[0] for _ in range(70)]
    assert (statuses.count(201), statuses.count(503)) == (60, 10)


@pytest.mark.django_db
def test_those_who_wait_do_not_all_come_back_at_the_same_moment(limit: Limit) -> None:
    survey = asked.survey(ASKS)
    limit(1)
    asked.post(survey, asked.envelope(ASKS))
    assert len({asked.post(survey, asked.envelope(ASKS))["Retry-After"] for _ in range(60)}) > 5


@pytest.mark.django_db
def test_a_cap_counts_no_faster_than_the_rate(limit: Limit) -> None:
    survey = asked.survey(ASKS, cap=20)
    limit(10)
    statuses = [asked.post(survey, asked.envelope(ASKS)).status_code for _ in range(100)]
    assert statuses.count(201) == 10
    due.tick(timezone.now())
    survey.refresh_from_db()
    assert survey.state == Survey.State.OPEN


@pytest.mark.django_db
def test_what_is_refused_for_good_is_not_asked_to_come_again(limit: Limit) -> None:
    late = timezone.now() - timedelta(hours=2)
    closed = asked.survey(ASKS, state=Survey.State.CLOSED, closed_at=late)
    survey = asked.survey(ASKS)
    limit(1)
    asked.post(survey, asked.envelope(ASKS))
    assert said(asked.post(survey, "{}"))[0] == 422
    assert said(asked.post(closed, asked.envelope(ASKS)))[0] == 410


@pytest.mark.django_db
def test_invitations_and_rehearsals_are_not_counted(limit: Limit) -> None:
    invited = asked.survey(ASKS, invited=True)
    rehearsal = asked.design(rehearsal=True)
    tried = asked.survey(rehearsal)
    limit(1)
    for token in generate(invited, 10):
        assert said(asked.post(invited, asked.envelope(ASKS, token=token)))[0] == 201
    for _ in range(10):
        assert said(asked.post(tried, asked.envelope(rehearsal)))[0] == 201


@pytest.mark.django_db
def test_nothing_is_written_for_it(limit: Limit, django_assert_num_queries: Any) -> None:
    survey = asked.survey(ASKS)
    limit(1)
    for _ in range(2):
        asked.post(survey, asked.envelope(ASKS))
    # The survey, and whether this record is known: of one that is turned away nothing else.
    with django_assert_num_queries(2) as queries:
        assert asked.post(survey, asked.envelope(ASKS)).status_code == 503
    assert all(query["sql"].startswith("SELECT") for query in queries.captured_queries)


@pytest.mark.release
@pytest.mark.server
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_flood_over_two_processes_is_slowed_to_the_rate(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    database = {}
    if kind == "postgresql":
        postgres: servers.Postgres = request.getfixturevalue("postgres")
        database["DATABASE_URL"] = postgres.create("rate", postgres.migrated())
    with live_survey(tmp_path, ASKS, {**database, "RECORDS_PER_MINUTE": "60"}) as living:
        began = timezone.now()
        statuses = living.post([living.envelope(number) for number in range(400)])
        minutes = (timezone.now() - began) / timedelta(minutes=1)
        stored = len(living.find().all)
    assert set(statuses) == {201, 503}
    assert stored == statuses.count(201)
    # What is let in at once, what is refilled meanwhile, what the other process let in before its first look, and what
    # eight threads were writing while another looked.
    assert 60 <= stored <= 60 + 60 * minutes + 60 // PART + 8 + 2
