"""How many records a minute a survey takes, a process admits, and how often it counts."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from intake.batches import automatic_sealing
from intake.endpoint import accept_record, endpoint
from intake.endpoint.rate_limits import PART, Limits, Rate
from intake.invitations.tokens import create_tokens
from intake.models import FreshKey, Inbox
from surveys.lifecycle.record_counts import Counts
from surveys.models import Survey
from tests import servers
from tests.intake import asked
from tests.intake.live_survey import live_survey

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
            self.stored += self.processes[to].try_acquire(1)
        return self.stored - before


@pytest.mark.page
def test_as_many_as_in_a_minute_are_let_in_at_once_and_no_more() -> None:
    world = World(600)
    assert world.send(10_000) == 600


@pytest.mark.page
def test_then_as_many_as_the_rate_names() -> None:
    world = World(600)
    world.send(600)
    let_in = []
    for _second in range(60):
        world.now += 1
        let_in.append(world.send(1_000))
    assert let_in == [10] * 60


@pytest.mark.page
def test_a_survey_that_is_never_faster_meets_no_limit() -> None:
    world = World(600)
    for _hour in range(3):
        for _second in range(3_600):
            world.now += 1
            assert world.send(10) == 10


@pytest.mark.page
def test_an_hour_s_rest_saves_one_minute_s_worth() -> None:
    world = World(60)
    world.send(60)
    world.now += 3_600
    assert world.send(1_000) == 60


@pytest.mark.page
@pytest.mark.parametrize("processes", [2, *(pytest.param(many, marks=pytest.mark.night) for many in (4, 8))])
def test_all_processes_together_keep_the_rate(processes: int) -> None:
    world = World(600, processes)
    for _tenth in range(6_000):
        world.now += 0.1
        for process in range(processes):
            world.send(20, process)
    # Ten minutes of a flood: the bucket once, ten minutes' worth, and what others let in before a process's first look.
    assert 600 + 6_000 - 20 <= world.stored <= 600 + 6_000 + (processes - 1) * 600 // PART


@pytest.mark.page
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


@pytest.mark.page
def test_after_a_restart_nobody_waits_for_what_came_before_it() -> None:
    world = World(600, 2)
    assert world.send(600, to=0) == 600
    assert world.send(1_000, to=0) == 0
    assert world.send(1_000, to=1) == 600
    assert world.send(1_000, to=1) == 0


@pytest.mark.page
def test_a_survey_s_own_rate_holds_from_the_next_look_on() -> None:
    world = World(600)
    (rate,) = world.processes

    def send(n: int, a_minute: int | None) -> int:
        before = world.stored
        for _ in range(n):
            world.stored += rate.try_acquire(1, "", a_minute)
        return world.stored - before

    assert send(1_000, 100) == 100
    world.now += 60
    assert send(10_000, 3_000) == 3_000
    world.now += 60
    assert send(10_000, None) == 600


@pytest.mark.page
def test_a_flood_that_is_turned_away_costs_a_look_a_second() -> None:
    world = World(600)
    world.send(600)
    world.looks = 0
    for _hundredth in range(1_000):
        world.now += 0.01
        world.send(100)
    # One for each record that is let in, and one each second that finds nothing.
    assert world.looks <= 10 * (10 + 2)


@pytest.mark.page
def test_surveys_do_not_share_a_bucket() -> None:
    stored = {1: 0, 2: 0}
    rate = Rate(1, lambda survey: stored[survey], lambda: 0.0)
    for survey in stored:
        assert rate.try_acquire(survey)
        stored[survey] += 1
    assert not any(map(rate.try_acquire, stored))


@pytest.mark.page
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


@pytest.mark.page
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


@pytest.mark.page
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


@pytest.mark.page
@pytest.mark.django_db
def test_those_who_wait_do_not_all_come_back_at_the_same_moment(limit: Limit) -> None:
    survey = asked.survey(ASKS)
    limit(1)
    asked.post(survey, asked.envelope(ASKS))
    assert len({asked.post(survey, asked.envelope(ASKS))["Retry-After"] for _ in range(60)}) > 5


@pytest.mark.page
@pytest.mark.django_db
def test_a_cap_counts_no_faster_than_the_rate(limit: Limit) -> None:
    survey = asked.survey(ASKS, cap=20)
    limit(10)
    statuses = [asked.post(survey, asked.envelope(ASKS)).status_code for _ in range(100)]
    assert statuses.count(201) == 10
    automatic_sealing.on_tick(timezone.now())
    survey.refresh_from_db()
    assert survey.state == Survey.State.OPEN


@pytest.mark.page
@pytest.mark.django_db
def test_what_is_refused_for_good_is_not_asked_to_come_again(limit: Limit) -> None:
    late = timezone.now() - timedelta(hours=2)
    closed = asked.survey(ASKS, state=Survey.State.CLOSED, closed_at=late)
    survey = asked.survey(ASKS)
    limit(1)
    asked.post(survey, asked.envelope(ASKS))
    assert said(asked.post(survey, "{}"))[0] == 422
    assert said(asked.post(closed, asked.envelope(ASKS)))[0] == 410


@pytest.mark.page
@pytest.mark.django_db
def test_invitations_and_rehearsals_are_not_counted(limit: Limit) -> None:
    invited = asked.survey(ASKS, invited=True)
    rehearsal = asked.design(rehearsal=True)
    tried = asked.survey(rehearsal)
    limit(1)
    for token in create_tokens(invited, 10):
        assert said(asked.post(invited, asked.envelope(ASKS, token=token)))[0] == 201
    for _ in range(10):
        assert said(asked.post(tried, asked.envelope(rehearsal)))[0] == 201


@pytest.mark.page
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


@pytest.mark.page
@pytest.mark.night
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


TOKEN, OTHER = b"\x0a\x1b" + bytes(14), b"\x0a\x1c" + bytes(14)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_process_admits_so_many_in_a_minute() -> None:
    limits = Limits(in_total=3, clock=Clock())
    assert [limits.try_acquire() for _ in range(5)] == [True, True, True, False, False]


def test_the_next_minute_begins_anew() -> None:
    clock = Clock()
    limits = Limits(in_total=1, by_token=1, clock=clock)
    assert limits.try_acquire()
    limits.count_refused(TOKEN)
    assert not limits.admits_token(TOKEN)
    clock.now = 60.0
    assert limits.try_acquire()
    assert limits.admits_token(TOKEN)


def test_a_refused_token_is_limited_and_another_is_not() -> None:
    limits = Limits(by_token=2, clock=Clock())
    admitted = []
    for _ in range(3):
        admitted.append(limits.admits_token(TOKEN))
        limits.count_refused(TOKEN)
    assert admitted == [True, True, False]
    assert limits.admits_token(OTHER)


def test_asking_alone_does_not_use_up_what_a_token_may() -> None:
    limits = Limits(by_token=1, clock=Clock())
    assert all(limits.admits_token(TOKEN) for _ in range(5))


def test_the_standard_limits_are_far_above_a_town_hall() -> None:
    limits = Limits(clock=Clock())
    assert all(limits.try_acquire() for _ in range(5_000))


# --- How often a process counts whether a sealing is due


def test_a_process_counts_at_first_then_after_a_quarter_of_what_is_missing() -> None:
    pace = automatic_sealing.CountPacing()
    assert pace.should_count("a")
    pace.schedule_count("a", missing=12, received=1)
    assert [pace.should_count("a") for _ in range(4)] == [False, False, True, False]


def test_after_a_count_that_failed_the_next_record_counts() -> None:
    pace = automatic_sealing.CountPacing()
    assert [pace.should_count("a"), pace.should_count("a")] == [True, False]
    pace.allow_recount_after_failure("a")
    assert pace.should_count("a")


def test_from_the_second_count_on_a_process_counts_after_its_share_of_what_is_missing() -> None:
    """Of sixty that came it stored twenty, so that it stores about a third of the next twelve."""
    pace = automatic_sealing.CountPacing()
    pace.schedule_count("a", missing=100, received=40)
    for _ in range(20):
        pace.should_count("a")
    pace.schedule_count("a", missing=12, received=100)
    assert [pace.should_count("a") for _ in range(4)] == [False, False, False, True]


def test_near_the_mark_every_record_counts() -> None:
    pace = automatic_sealing.CountPacing()
    pace.schedule_count("a", missing=3, received=1)
    assert pace.should_count("a")


@pytest.mark.django_db
def test_however_many_wait_for_a_sealing_that_is_not_due_not_each_record_counts_them() -> None:
    public = accept_record.find_public_survey(asked.survey(ASKS).slug)
    assert public
    least = ASKS.least
    for waiting in (5 * least // 2, 4 * least, 40 * least):
        assert automatic_sealing.seal_or_close(public, Counts(0, waiting), may_seal=False) == least
    near_cap = replace(public, cap=4 * least + 3)
    assert automatic_sealing.seal_or_close(near_cap, Counts(0, 4 * least), may_seal=False) == 3


def test_under_load_a_process_sweeps_every_half_minute() -> None:
    now = 100.0
    pace = automatic_sealing.CountPacing(clock=lambda: now)
    assert [pace.take_overwriting_turn(), pace.take_overwriting_turn()] == [True, False]
    now = 131.0
    assert pace.take_overwriting_turn()


def test_a_survey_is_sealed_once_a_second_whichever_process_seals_it() -> None:
    now = 100.0
    pace = automatic_sealing.CountPacing(clock=lambda: now)
    assert pace.may_seal("a", 0)
    # Another process has sealed since: when is not known, so a second counts from now on.
    assert not pace.may_seal("a", 25)
    assert pace.may_seal("b", 0)
    assert not pace.may_seal("c", 25)
    now = 100.9
    assert not pace.may_seal("a", 25)
    now = 101.0
    assert pace.may_seal("a", 25)
