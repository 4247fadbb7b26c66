"""When the inbox becomes a batch, what is in it, what is left, and until when."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

import numpy as np
import pytest
from django.utils import timezone

from intake.batches import automatic_sealing, batch_reader, sealing
from intake.endpoint import people_asked_to_wait
from intake.endpoint.accept_record import GRACE, find_public_survey, receive_record
from intake.endpoint.epochs import epoch_at
from intake.endpoint.key_hashes import Kind
from intake.endpoint.people_asked_to_wait import Tally
from intake.endpoint.rate_limits import Limits
from intake.invitations.tokens import create_tokens
from intake.models import (
    Batch,
    ExpiringKeys,
    FreshKey,
    Inbox,
    KeySecret,
    SeenKeys,
    SpentToken,
    Sweep,
    Token,
    WaitCount,
    random_inbox_id,
)
from privacy.records import Envelope, packed_bit_columns
from surveys.lifecycle import record_counts, state_changes as lifecycle
from surveys.lifecycle.record_counts import WaitCounts
from surveys.models import Design, Survey
from tests.intake import asked

pytestmark = [pytest.mark.page, pytest.mark.django_db]
ASKS = asked.design(least=20)
DUE = 50
"""So many wait when a batch is sealed: two and a half times `least`."""
State = Survey.State


def take(survey: Survey, numbers: Iterable[int], **more: str) -> None:
    """Take in records that carry these numbers, without looking whether anything is due."""
    public = find_public_survey(survey.slug)
    assert public
    for number in numbers:
        sent = asked.envelope(ASKS, number, **more).json.encode()
        assert receive_record(public, sent, timezone.now(), Limits()).status == 201


def waiting(survey: Survey) -> list[int]:
    return [int(bytes(row.record)[1:], 8) for row in Inbox.objects.filter(survey=survey)]


def sealed(survey: Survey) -> list[list[int]]:
    """The numbers in each batch, in the order in which they lie there."""
    found = []
    for batch in batch_reader.read_batches(survey, sealing.last_batch_number(survey.pk)):
        _group, codes = packed_bit_columns.unpack_columns(batch.columns)
        found.append([int("".join(map(str, column)), 8) for column in codes.T.tolist()])
    return found


def close(survey: Survey) -> None:
    lifecycle.close_survey(survey, None, timezone.now())


# --- while a survey is open -----------------------------------------------------------------------


def test_below_two_and_a_half_times_least_nothing_is_sealed() -> None:
    survey = asked.survey(ASKS)
    take(survey, range(DUE - 1))
    assert sealing.seal_records(survey.pk) == 0
    assert len(waiting(survey)) == DUE - 1
    assert not Batch.objects.exists()


def test_a_batch_holds_least_and_a_drawn_number_and_least_wait() -> None:
    survey = asked.survey(ASKS)
    take(survey, range(DUE))
    assert 20 <= sealing.seal_records(survey.pk) <= 30
    (batch,) = sealed(survey)
    assert len(waiting(survey)) >= 20
    assert sorted(batch + waiting(survey)) == list(range(DUE))


def test_open_records_lie_first_and_within_a_group_the_order_is_random() -> None:
    survey = asked.survey(ASKS)
    Inbox.objects.bulk_create(
        Inbox(id=random_inbox_id(), survey=survey, record=f"{number % 2}{number:06o}".encode())
        for number in range(200)
    )
    sealing.seal_records(survey.pk)
    (batch,) = sealed(survey)
    group = [number % 2 for number in batch]
    assert group == sorted(group)
    for of_group in (batch[: group.index(1)], batch[group.index(1) :]):
        assert of_group != sorted(of_group)


def test_the_fiftieth_post_seals() -> None:
    survey = asked.survey(ASKS)
    for number in range(DUE - 1):
        asked.post(survey, asked.envelope(ASKS, number))
    assert not Batch.objects.exists()
    asked.post(survey, asked.envelope(ASKS, DUE - 1))
    assert 20 <= record_counts.counts_of_survey(survey).sealed <= 30


def test_what_came_in_meanwhile_is_sealed_too_so_that_least_wait() -> None:
    survey = asked.survey(ASKS)
    take(survey, range(DUE + 17))
    assert 37 <= sealing.seal_records(survey.pk) <= 47
    assert 20 <= len(waiting(survey)) <= 30


def test_each_size_from_least_to_half_more_is_as_likely_and_leaves_least() -> None:
    drawn = iter(range(110))
    sizes = [sealing.batch_size(20, 0, lambda n: next(drawn) % n) for _ in range(110)]
    assert Counter(sizes) == dict.fromkeys(range(20, 31), 10)
    assert DUE - max(sizes) == 20


def test_with_an_odd_least_at_least_as_many_stay() -> None:
    assert sealing.batch_size(21, 0, lambda n: n - 1) == 31
    assert record_counts.records_that_fill_a_batch(21) - 31 == 21


def test_a_size_is_drawn_once_however_often_it_is_tried() -> None:
    """If every record beyond the first fifty drew again, small batches would be sealed more often."""
    survey = asked.survey(ASKS)
    draws: list[int] = []

    def counting(n: int) -> bytes:
        draws.append(n)
        return bytes(n)

    for number in range(DUE):
        take(survey, [number])
        sealing.seal_records(survey.pk, random_bytes=counting)
    # The order of the records, and one number.
    assert sorted(draws) == [8, 8 * DUE]


def test_which_records_are_sealed_and_in_which_order_is_random() -> None:
    """1 in 10^13 to draw the first twenty; 1 in 20! to find them in order."""
    survey = asked.survey(ASKS)
    take(survey, range(DUE))
    sealing.seal_records(survey.pk)
    (batch,) = sealed(survey)
    assert sorted(batch) != list(range(len(batch)))
    assert batch != sorted(batch)


def test_the_randomness_is_the_one_passed_in() -> None:
    def same(n: int) -> bytes:
        return np.random.default_rng(5).bytes(n)

    orders = []
    for _repetition in range(2):
        survey = asked.survey(ASKS)
        rows = [Inbox(survey=survey, record=f"1{number:06o}".encode()) for number in range(DUE)]
        Inbox.objects.bulk_create(rows)
        sealing.seal_records(survey.pk, random_bytes=same)
        orders.append(sealed(survey))
    assert orders[0] == orders[1]


def test_what_goes_on_waiting_gets_new_ids_in_a_new_order() -> None:
    survey = asked.survey(ASKS)
    take(survey, range(DUE))
    before = set(Inbox.objects.values_list("pk", flat=True))
    sealing.seal_records(survey.pk)
    assert not before & set(Inbox.objects.values_list("pk", flat=True))
    left = [int(record[1:], 8) for record in asked.as_they_lie("intake_inbox", bytes)]
    # 20 numbers in rising order by chance: 1 in 2 * 10^18.
    assert left != sorted(left)


def test_every_fresh_key_becomes_a_seen_one_in_hash_order() -> None:
    survey = asked.survey(ASKS)
    take(survey, range(DUE))
    fresh = asked.fresh_hashes()
    sealing.seal_records(survey.pk)
    assert not FreshKey.objects.exists()
    by_place = asked.seen_hashes()
    assert set(by_place) == fresh
    assert by_place == sorted(by_place)


def test_another_surveys_records_and_keys_are_left_alone() -> None:
    survey, other = asked.survey(ASKS), asked.survey(ASKS)
    take(survey, range(DUE))
    take(other, range(DUE - 1))
    sealing.seal_records(survey.pk)
    assert len(waiting(other)) == DUE - 1
    assert FreshKey.objects.filter(survey=other).count() == DUE - 1


def test_batches_are_numbered_one_after_the_other() -> None:
    survey = asked.survey(ASKS)
    take(survey, range(DUE))
    sealing.seal_records(survey.pk)
    take(survey, range(DUE, 2 * DUE))
    sealing.seal_records(survey.pk)
    assert list(Batch.objects.values_list("first", "last")) == [(1, 1), (2, 2)]


@pytest.mark.parametrize(
    ("invited", "tables"),
    [
        (False, {"intake_inbox", "intake_freshkey"}),
        (True, {"intake_inbox", "intake_freshkey", "intake_token", "intake_spenttoken"}),
    ],
)
def test_a_sealing_leaves_a_note_of_what_must_be_swept(invited: bool, tables: set[str]) -> None:
    survey = asked.survey(ASKS, invited=invited)
    Inbox.objects.bulk_create(Inbox(survey=survey, record=b"1000000") for _ in range(DUE))
    sealing.seal_records(survey.pk)
    assert set(Sweep.objects.values_list("table", flat=True)) == tables


# --- closing --------------------------------------------------------------------------------------------


def test_at_closing_all_that_wait_are_sealed_if_they_are_enough() -> None:
    survey = asked.survey(ASKS)
    take(survey, range(33))
    close(survey)
    (batch,) = sealed(survey)
    assert sorted(batch) == list(range(33))
    assert not FreshKey.objects.exists()


def test_at_closing_too_few_stay_uncounted() -> None:
    survey = asked.survey(ASKS)
    take(survey, range(19))
    close(survey)
    assert record_counts.counts_of_survey(survey) == (0, 19)
    assert FreshKey.objects.count() == 19


def test_a_reopening_brings_more_and_then_all_are_sealed() -> None:
    survey = asked.survey(ASKS)
    take(survey, range(19))
    close(survey)
    lifecycle.reopen_survey(survey, None, timezone.now())
    take(survey, range(19, 20))
    close(survey)
    assert record_counts.counts_of_survey(survey) == (20, 0)


def test_what_came_in_the_hour_after_closing_is_sealed_at_its_end_if_it_is_enough() -> None:
    now = timezone.now()
    survey = asked.survey(ASKS)
    close(survey)
    take(survey, range(25))
    automatic_sealing.on_tick(now + timedelta(minutes=59))
    assert record_counts.counts_of_survey(survey) == (0, 25)
    automatic_sealing.on_tick(now + GRACE + timedelta(minutes=1))
    assert record_counts.counts_of_survey(survey) == (25, 0)


def test_a_survey_closes_at_its_cap() -> None:
    survey = asked.survey(ASKS, cap=45)
    for number in range(44):
        asked.post(survey, asked.envelope(ASKS, number))
    survey.refresh_from_db()
    assert survey.state == State.OPEN
    asked.post(survey, asked.envelope(ASKS, 44))
    survey.refresh_from_db()
    assert survey.state == State.CLOSED
    assert record_counts.counts_of_survey(survey) == (45, 0)


def test_a_cap_below_the_size_of_a_batch_closes_too() -> None:
    survey = asked.survey(ASKS, cap=20)
    for number in range(20):
        asked.post(survey, asked.envelope(ASKS, number))
    survey.refresh_from_db()
    assert survey.state == State.CLOSED
    assert record_counts.counts_of_survey(survey) == (20, 0)


def test_a_full_survey_gives_no_hour_of_grace() -> None:
    survey = asked.survey(ASKS, cap=25)
    sent = [asked.envelope(ASKS, number) for number in range(26)]
    assert [asked.post(survey, each).status_code for each in sent] == [201] * 25 + [410]
    assert record_counts.counts_of_survey(survey) == (25, 0)
    # Who has been stored is told so, however late.
    assert asked.post(survey, sent[0]).status_code == 200


def test_the_cap_bounds_what_comes_in_the_hour_after_closing() -> None:
    survey = asked.survey(ASKS, cap=25)
    take(survey, range(24))
    close(survey)
    assert [asked.post(survey, asked.envelope(ASKS)).status_code for _ in range(3)] == [201, 410, 410]


# --- what the tick does again -----------------------------------------------------------------------------


def test_the_tick_seals_what_a_dead_process_left() -> None:
    survey = asked.survey(ASKS)
    take(survey, range(DUE))
    automatic_sealing.on_tick(timezone.now())
    assert 20 <= record_counts.counts_of_survey(survey).sealed <= 30


@pytest.fixture
def damaged() -> Survey:
    """Fifty wait for a survey whose design is not what its fingerprint says."""
    survey = asked.survey(ASKS)
    bad = Design.objects.create(fingerprint="f" * 64, json=ASKS.canonical)
    found = Survey.objects.create(
        owner=survey.owner, design_id=bad.pk, state=State.OPEN, draft={"title": {"en": "A"}}
    )
    Inbox.objects.bulk_create(Inbox(survey=found, record=b"1000000") for _ in range(DUE))
    return found


def test_a_survey_that_cannot_be_sealed_does_not_stop_the_others(damaged: Survey) -> None:
    good = asked.survey(ASKS)
    take(good, range(DUE))
    automatic_sealing.on_tick(timezone.now())
    assert 20 <= record_counts.counts_of_survey(good).sealed <= 30
    assert record_counts.counts_of_survey(damaged) == (0, DUE)


def test_a_survey_that_cannot_be_sealed_can_be_closed(damaged: Survey) -> None:
    close(damaged)
    damaged.refresh_from_db()
    assert damaged.state == State.CLOSED
    assert record_counts.counts_of_survey(damaged) == (0, DUE)


# --- destruction ---------------------------------------------------------------------------------------------


def test_destruction_leaves_no_row_of_what_was_sent() -> None:
    survey = asked.survey(ASKS, invited=True)
    for token in create_tokens(survey, 55)[:51]:
        take(survey, range(1), token=token)
    sealing.seal_records(survey.pk)
    take(survey, range(0))
    close(survey)
    lifecycle.destroy_survey(survey, None, timezone.now())
    for table in (Inbox, FreshKey, SeenKeys, KeySecret, Token, SpentToken, Batch):
        assert not table.objects.filter(survey=survey).exists()
    assert "intake_batch" in Sweep.objects.values_list("table", flat=True)


def test_a_record_on_its_way_into_a_destroyed_survey_is_removed_by_the_tick() -> None:
    survey = asked.survey(ASKS)
    close(survey)
    lifecycle.destroy_survey(survey, None, timezone.now())
    Inbox.objects.create(survey=survey, record=b"1000000")
    FreshKey.objects.create(survey=survey, hash=b"a" * 16, epoch=epoch_at(timezone.now()))
    automatic_sealing.on_tick(timezone.now())
    assert not Inbox.objects.exists()
    assert not FreshKey.objects.exists()


def test_an_invitation_made_while_its_survey_was_destroyed_is_removed_by_the_tick() -> None:
    survey = asked.survey(ASKS, invited=True)
    close(survey)
    lifecycle.destroy_survey(survey, None, timezone.now())
    Token.objects.create(survey=survey, hash=b"a" * 16)
    automatic_sealing.on_tick(timezone.now())
    assert not Token.objects.exists()


# --- invitations that were used ----------------------------------------------------------------------------


@pytest.fixture
def told() -> Iterator[list[list[bytes]]]:
    """The hashes of used invitations that each sealing tells, in turn."""
    heard: list[list[bytes]] = []

    def hear(hashes: list[bytes], **kwargs: object) -> None:
        heard.append(hashes)

    sealing.invitations_spent.connect(hear)
    yield heard
    sealing.invitations_spent.disconnect(hear)


def answer(survey: Survey, tokens: list[str]) -> list[bytes]:
    """Each of these invitations is used; their hashes, in order."""
    for number, token in enumerate(tokens):
        take(survey, [number], token=token)
    return sorted(asked.hash_of(survey, Kind.LINK, token) for token in tokens)


def test_a_sealing_tells_the_invitations_used_since_the_last_in_hash_order_and_forgets_them(
    told: list[list[bytes]],
) -> None:
    survey = asked.survey(ASKS, invited=True)
    tokens = create_tokens(survey, 2 * DUE + 1)
    first = answer(survey, tokens[:DUE])
    assert sorted(bytes(row.hash) for row in SpentToken.objects.all()) == first
    sealing.seal_records(survey.pk)
    # Of all that were used, whether their record was drawn or waits on.
    assert told == [first]
    assert not SpentToken.objects.exists()
    second = answer(survey, tokens[DUE : 2 * DUE])
    sealing.seal_records(survey.pk)
    assert told == [first, second]
    assert Token.objects.count() == 1


def test_what_no_sealing_follows_tells_no_invitation(told: list[list[bytes]]) -> None:
    survey = asked.survey(ASKS, invited=True)
    answer(survey, create_tokens(survey, DUE - 1))
    assert sealing.seal_records(survey.pk) == 0
    assert told == []
    assert SpentToken.objects.count() == DUE - 1


def test_a_record_that_is_refused_uses_no_invitation() -> None:
    survey = asked.survey(ASKS, invited=True)
    (token,) = create_tokens(survey, 1)
    take(survey, [1], token=token, key="a" * 32)
    asked.post(survey, asked.envelope(ASKS, 1, token=token, key="a" * 32))
    asked.post(survey, asked.envelope(ASKS, 2, token=token))
    asked.post(survey, asked.envelope(ASKS, 2, token="f" * 32))
    assert list(SpentToken.objects.values_list("hash", flat=True)) == [
        asked.hash_of(survey, Kind.LINK, token)
    ]


# --- Submission keys are deleted seven days after a survey is finished

ASKS_OF_ALL = asked.design()


def finished() -> tuple[Survey, Envelope]:
    """With two batches, so that there are keys of both kinds; and an envelope that arrived."""
    survey, sent = asked.survey(ASKS_OF_ALL), asked.envelope(ASKS_OF_ALL)
    assert asked.post(survey, sent).status_code == 201
    for _ in range(45):
        asked.post(survey, asked.envelope(ASKS_OF_ALL))
    lifecycle.close_survey(survey, survey.owner, timezone.now())
    lifecycle.finish_survey(survey, survey.owner, timezone.now())
    return survey, sent


def keys(survey: Survey) -> int:
    return len(asked.fresh_hashes(survey=survey)) + len(asked.seen_hashes(survey=survey))


def test_keys_are_kept_for_a_week_and_then_deleted_with_their_bytes() -> None:
    survey, sent = finished()
    now = timezone.now()
    automatic_sealing.on_tick(now + timedelta(days=6, hours=23))
    assert keys(survey) == 46
    assert asked.post(survey, sent).json()["outcome"] == "already stored"
    automatic_sealing.on_tick(now + timedelta(days=7, hours=1))
    assert (keys(survey), ExpiringKeys.objects.count(), KeySecret.objects.count()) == (0, 0, 0)
    # The records stay, and whoever sends one again is told that the survey is closed.
    assert sum(Batch.objects.filter(survey=survey).values_list("n", flat=True)) == 46
    assert asked.post(survey, sent).json()["outcome"] == "closed"


def test_keys_of_another_survey_stay() -> None:
    survey, _sent = finished()
    other = asked.survey(ASKS_OF_ALL)
    assert asked.post(other, asked.envelope(ASKS_OF_ALL)).status_code == 201
    automatic_sealing.on_tick(timezone.now() + timedelta(days=8))
    assert (keys(survey), keys(other)) == (0, 1)


def test_of_a_destroyed_survey_nothing_is_left_to_expire() -> None:
    survey, _sent = finished()
    lifecycle.destroy_survey(survey, survey.owner, timezone.now())
    assert (keys(survey), ExpiringKeys.objects.count()) == (0, 0)


# --- A clock that is set back while people answer

DAY = timedelta(days=1)


@pytest.fixture
def yesterday(monkeypatch: pytest.MonkeyPatch) -> datetime:
    """From now on the machine takes it for yesterday."""
    moment = timezone.now() - DAY
    monkeypatch.setattr(timezone, "now", lambda: moment)
    return moment


def test_what_was_stored_before_is_known_and_what_comes_after_is_stored(
    request: pytest.FixtureRequest,
) -> None:
    survey = asked.survey(ASKS)
    before, after = asked.envelope(ASKS), asked.envelope(ASKS)
    assert asked.post(survey, before).status_code == 201
    request.getfixturevalue("yesterday")
    assert [asked.post(survey, each).status_code for each in (before, after, after)] == [200, 201, 200]
    assert (Inbox.objects.count(), FreshKey.objects.count()) == (2, 2)


def test_batches_are_sealed_as_ever(yesterday: datetime) -> None:
    survey = asked.survey(ASKS)
    for _person in range(50):
        asked.post(survey, asked.envelope(ASKS))
    automatic_sealing.on_tick(yesterday)
    assert Batch.objects.filter(survey=survey).get().n >= 20
    assert record_counts.counts_of_survey(survey).received == 50


def test_who_sends_after_the_closing_is_taken_rather_than_lost(yesterday: datetime) -> None:
    survey = asked.survey(ASKS, state=Survey.State.CLOSED, closed_at=yesterday + DAY)
    assert asked.post(survey, asked.envelope(ASKS)).status_code == 201


def test_people_who_waited_are_added_to_the_hour_that_comes_again(yesterday: datetime) -> None:
    survey = asked.survey(ASKS)
    WaitCount.objects.create(survey=survey, hour=people_asked_to_wait.start_of_hour(yesterday), asked=20)
    people_asked_to_wait.add_to_hour(survey.pk, Tally(40, 20))
    assert WaitCount.objects.get().asked == 60
    assert record_counts.count_people_asked_to_wait(survey) == WaitCounts(60, 20)
