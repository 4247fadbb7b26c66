"""How many records a minute a survey takes, a process admits, and how often it counts."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from intake.batches import automatic_sealing
from intake.batches.automatic_sealing import CountPacing
from intake.endpoint import accept_record, endpoint
from intake.endpoint.rate_limits import PART, RecordRateLimit, RequestLimits
from intake.invitations.tokens import create_tokens
from intake.models import FreshKey, Inbox
from surveys.lifecycle.record_counts import Counts
from surveys.models import Survey
from tests import servers
from tests.intake import asked
from tests.intake.asked import CLOSED, KNOWN, MALFORMED, STORED, outcome, outcome_of
from tests.intake.conftest import live_survey

ASKS = asked.design()
TOO_MANY = (503, "too many at once")


class World:
    """Processes that see the same survey; each record that one admits is stored at once."""

    def __init__(self, a_minute: int, processes: int = 1) -> None:
        self.now, self.stored, self.looks = 0.0, 0, 0
        self.processes = [
            RecordRateLimit(a_minute, self._count_stored, lambda: self.now) for _ in range(processes)
        ]

    def _count_stored(self, survey: int) -> int:
        self.looks += 1
        return self.stored

    def send(self, n: int, to: int = 0, a_minute: int | None = None) -> int:
        """How many of n are let in, one after the other."""
        before = self.stored
        for _ in range(n):
            self.stored += self.processes[to].try_acquire(1, "", a_minute)
        return self.stored - before


@pytest.mark.page
def test_minutes_allowance_is_admitted_at_once_then_the_rate() -> None:
    """The standard lets a town hall in at one moment, of each survey and process."""
    world = World(600)
    assert world.send(10_000) == 600
    for _second in range(60):
        world.now += 1
        assert world.send(1_000) == 10
    # An hour's rest saves one minute's worth.
    world.now += 3_600
    assert world.send(1_000) == 600
    # A survey that is never faster meets no limit.
    world = World(600)
    for _second in range(3 * 3_600):
        world.now += 1
        assert world.send(10) == 10
    assert World(settings.RECORDS_PER_MINUTE).send(6_000) == 6_000
    limits = RequestLimits(clock=lambda: 0.0)
    assert all(limits.try_acquire() for _ in range(5_000))
    # Surveys do not share a bucket.
    stored = {1: 0, 2: 0}
    rate = RecordRateLimit(1, lambda survey: stored[survey], lambda: 0.0)
    for survey in stored:
        assert rate.try_acquire(survey)
        stored[survey] += 1
    assert not any(map(rate.try_acquire, stored))


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
def test_idle_process_learns_what_others_admitted_and_a_new_one_starts_anew() -> None:
    world = World(600, 2)
    assert (world.send(1, to=1), world.send(1_000, to=0)) == (1, 600)
    world.now += 1
    # The rate of a second, less the one that it had not looked at.
    assert world.send(1_000, to=1) == 9
    for _minute in range(60):
        world.now += 60
        assert world.send(600, to=0) == 600
    world.now += 60
    assert world.send(600, to=1) == 600
    # After a restart nobody waits for what came before it.
    world = World(600, 2)
    sent = [world.send(n, to=to) for n, to in ((600, 0), (1_000, 0), (1_000, 1), (1_000, 1))]
    assert sent == [600, 0, 600, 0]


@pytest.mark.page
def test_surveys_own_rate_applies_from_the_next_look() -> None:
    world = World(600)
    for n, a_minute, let_in in ((1_000, 100, 100), (10_000, 3_000, 3_000), (10_000, None, 600)):
        assert world.send(n, a_minute=a_minute) == let_in
        world.now += 60


@pytest.mark.page
def test_refused_flood_costs_one_look_a_second() -> None:
    world = World(600)
    world.send(600)
    world.looks = 0
    for _hundredth in range(1_000):
        world.now += 0.01
        world.send(100)
    # One for each record that is let in, and one each second that finds nothing.
    assert world.looks <= 10 * (10 + 2)


# --- at the endpoint

Limit = Callable[[int], None]


@pytest.fixture
def limit(db: None, monkeypatch: pytest.MonkeyPatch) -> Limit:
    """So many a minute, in which no time passes."""

    def set_limit(a_minute: int) -> None:
        monkeypatch.setattr(endpoint, "RATE", RecordRateLimit(a_minute, endpoint.RATE.received, lambda: 0.0))

    return set_limit


def post_statuses(survey: Survey, n: int) -> list[int]:
    return [asked.post(survey, asked.envelope(ASKS)).status_code for _ in range(n)]


@pytest.mark.page
def test_refused_request_beyond_the_rate_leaves_nothing(limit: Limit, django_assert_num_queries: Any) -> None:
    survey = asked.survey(ASKS)
    limit(3)
    assert post_statuses(survey, 3) == [201] * 3
    sent = asked.envelope(ASKS)
    answers = [asked.post(survey, sent) for _ in range(60)]
    assert {outcome_of(answer) for answer in answers} == {TOO_MANY}
    # Those who wait do not all come back at the same moment.
    waits = {int(answer["Retry-After"]) for answer in answers}
    assert len(waits) > 5
    assert all(5 <= wait < 60 for wait in waits)
    # The survey, and whether this record is known: of one that is turned away nothing else.
    with django_assert_num_queries(2) as queries:
        assert post_statuses(survey, 1) == [503]
    assert all(query["sql"].startswith("SELECT") for query in queries.captured_queries)
    # What is refused for good is not asked to come again.
    closed = asked.survey(ASKS, state=Survey.State.CLOSED, closed_at=timezone.now() - timedelta(hours=2))
    assert outcome(survey, "{}") == MALFORMED
    assert outcome(closed, asked.envelope(ASKS)) == CLOSED
    assert (Inbox.objects.count(), FreshKey.objects.count()) == (3, 3)
    # The same bytes, once there is room.
    limit(3)
    assert [outcome(survey, sent) for _time in range(2)] == [STORED, KNOWN]


@pytest.mark.page
def test_survey_expecting_more_at_once_admits_more(limit: Limit) -> None:
    """Changed while it is open: the next look knows it, in every process."""
    survey = asked.survey(ASKS)
    limit(1)
    assert post_statuses(survey, 2) == [201, 503]
    Survey.objects.filter(pk=survey.pk).update(at_once=60)
    limit(1)
    assert post_statuses(survey, 70) == [201] * 60 + [503] * 10


@pytest.mark.page
def test_cap_fills_no_faster_than_the_rate(limit: Limit) -> None:
    survey = asked.survey(ASKS, cap=20)
    limit(10)
    assert post_statuses(survey, 100).count(201) == 10
    automatic_sealing.on_tick(timezone.now())
    survey.refresh_from_db()
    assert survey.state == Survey.State.OPEN


@pytest.mark.page
def test_invitations_and_rehearsals_are_not_rate_limited(limit: Limit) -> None:
    invited, rehearsal = asked.survey(ASKS, invited=True), asked.design(rehearsal=True)
    tried = asked.survey(rehearsal)
    limit(1)
    for token in create_tokens(invited, 10):
        assert outcome(invited, asked.envelope(ASKS, token=token)) == STORED
    for _ in range(10):
        assert outcome(tried, asked.envelope(rehearsal)) == STORED


@pytest.mark.page
@pytest.mark.night
@pytest.mark.server
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_flood_over_two_processes_is_slowed_to_the_rate(
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
        stored = len(living.find().all_records)
    assert set(statuses) == {201, 503}
    assert stored == statuses.count(201)
    # What each process lets in at once, however late its first look is, what is refilled meanwhile, what eight threads
    # were writing while another looked, and in each process what a second look let in that began before the first had
    # ended. How they share a minute: the tests of processes on one clock, above.
    assert 60 <= stored <= 2 * 60 + 60 * minutes + 3 * (60 // PART) + 8


# --- what one process admits

TOKEN, OTHER = b"\x0a\x1b" + bytes(14), b"\x0a\x1c" + bytes(14)


def test_process_admits_limited_requests_a_minute_and_fewer_of_a_refused_token() -> None:
    now = 0.0
    limits = RequestLimits(in_total=3, by_token=2, clock=lambda: now)
    assert [limits.try_acquire() for _ in range(5)] == [True, True, True, False, False]
    # Asking alone does not use up what a token may.
    assert all(limits.admits_token(TOKEN) for _ in range(5))
    for is_admitted in (True, True, False):
        assert limits.admits_token(TOKEN) is is_admitted
        limits.count_refused(TOKEN)
    assert limits.admits_token(OTHER)
    # The next minute begins anew.
    now = 60.0
    assert limits.try_acquire()
    assert limits.admits_token(TOKEN)


# --- how often a process counts whether a sealing is due


def test_process_counts_at_first_then_after_a_quarter_then_after_its_share() -> None:
    pace = CountPacing()
    assert pace.note_record_is_count_due("a")
    pace.schedule_count("a", missing=12, received=1)
    assert [pace.note_record_is_count_due("a") for _ in range(4)] == [False, False, True, False]
    # After a count that failed the next record counts.
    pace.allow_recount_after_failure("a")
    assert [pace.note_record_is_count_due("a"), pace.note_record_is_count_due("a")] == [True, False]
    # Near the mark every record counts.
    pace.schedule_count("b", missing=3, received=1)
    assert pace.note_record_is_count_due("b")
    # Of sixty that came it stored twenty, so that it stores about a third of the next twelve.
    pace.schedule_count("c", missing=100, received=40)
    for _ in range(20):
        pace.note_record_is_count_due("c")
    pace.schedule_count("c", missing=12, received=100)
    assert [pace.note_record_is_count_due("c") for _ in range(4)] == [False, False, False, True]


@pytest.mark.django_db
def test_waiting_records_are_not_recounted_for_each_record() -> None:
    public = accept_record.find_public_survey(asked.survey(ASKS).slug)
    assert public
    least = ASKS.least
    missing = partial(automatic_sealing.seal_or_close_count_missing, may_seal=False)
    for waiting in (5 * least // 2, 4 * least, 40 * least):
        assert missing(public, Counts(0, waiting)) == least
    assert missing(replace(public, cap=4 * least + 3), Counts(0, 4 * least)) == 3


def test_process_sweeps_every_half_minute_and_a_survey_is_sealed_once_a_second() -> None:
    now = 100.0
    pace = CountPacing(clock=lambda: now)
    assert [pace.may_overwrite_now(), pace.may_overwrite_now()] == [True, False]
    assert pace.may_seal("a", 0)
    # Another process has sealed since: when is not known, so a second counts from now on.
    assert not pace.may_seal("a", 25)
    assert pace.may_seal("b", 0)
    assert not pace.may_seal("c", 25)
    now = 100.9
    assert not pace.may_seal("a", 25)
    now = 101.0
    assert pace.may_seal("a", 25)
    now = 131.0
    assert pace.may_overwrite_now()
