"""When the inbox becomes a batch, what is in it, what is left, and until when."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from intake.batches import automatic_sealing, sealing
from intake.endpoint import people_asked_to_wait
from intake.endpoint.accept_record import GRACE
from intake.endpoint.epochs import epoch_at
from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind
from intake.endpoint.people_asked_to_wait import Tally
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
from surveys.lifecycle import record_counts, state_changes as lifecycle
from surveys.lifecycle.record_counts import WaitCounts
from surveys.models import Design, Survey
from tests.intake import asked

pytestmark = [pytest.mark.page, pytest.mark.django_db]
ASKS = asked.design(least=20)
DUE = 50
"""So many wait when a batch is sealed: two and a half times `least`."""
State = Survey.State


@pytest.fixture
def survey() -> Survey:
    return asked.survey(ASKS)


def take_records(survey: Survey, numbers: Iterable[int], **more: str) -> None:
    """Take in records that carry these numbers."""
    asked.take_in(survey, (asked.envelope(ASKS, number, **more) for number in numbers))


def put_waiting_records(survey: Survey, n: int = DUE) -> None:
    """So many records that wait, without keys."""
    records = (f"1{number:06o}".encode() for number in range(n))
    Inbox.objects.bulk_create(Inbox(id=random_inbox_id(), survey=survey, record=each) for each in records)


def waiting_record_numbers(survey: Survey) -> list[int]:
    return [int(bytes(row.record)[1:], 8) for row in Inbox.objects.filter(survey=survey)]


def numbers_by_batch(survey: Survey) -> list[list[int]]:
    """The numbers in each batch, in the order in which they lie there."""
    batches = (codes.T.tolist() for codes in asked.sealed_codes(survey))
    return [[int("".join(map(str, column)), 8) for column in batch] for batch in batches]


def sealed_and_waiting(survey: Survey) -> tuple[int, int]:
    """Sealed and waiting."""
    found = record_counts.counts_of_survey(survey)
    return found.sealed, found.waiting


def close(survey: Survey) -> None:
    lifecycle.close_survey(survey, None, timezone.now())


# --- while a survey is open


def test_fewer_than_two_and_a_half_minimum_batches_are_not_sealed(survey: Survey) -> None:
    for number in range(DUE - 1):
        asked.post(survey, asked.envelope(ASKS, number))
    assert sealing.seal_records(survey.pk) == 0
    assert len(waiting_record_numbers(survey)) == DUE - 1
    assert not Batch.objects.exists()
    # The fiftieth post seals.
    asked.post(survey, asked.envelope(ASKS, DUE - 1))
    assert 20 <= sealed_and_waiting(survey)[0] <= 30


def test_batch_has_the_minimum_and_a_drawn_number_and_the_minimum_waits(survey: Survey) -> None:
    take_records(survey, range(DUE))
    assert 20 <= sealing.seal_records(survey.pk) <= 30
    (batch,) = numbers_by_batch(survey)
    assert len(waiting_record_numbers(survey)) >= 20
    assert sorted(batch + waiting_record_numbers(survey)) == list(range(DUE))
    # Each size from least to half more is as likely; with an odd least at least as many stay.
    drawn = iter(range(110))
    sizes = [sealing.draw_batch_size_leaving_least(20, 0, lambda n: next(drawn) % n) for _ in range(110)]
    assert Counter(sizes) == dict.fromkeys(range(20, 31), 10)
    assert DUE - max(sizes) == 20
    assert sealing.draw_batch_size_leaving_least(21, 0, lambda n: n - 1) == 31
    assert record_counts.records_that_fill_a_batch(21) - 31 == 21
    # Batches are numbered one after the other.
    take_records(survey, range(DUE, 2 * DUE))
    sealing.seal_records(survey.pk)
    assert list(Batch.objects.values_list("first", "last")) == [(1, 1), (2, 2)]


def test_open_records_come_first_and_order_within_a_group_is_random(survey: Survey) -> None:
    records = (f"{number % 2}{number:06o}".encode() for number in range(200))
    Inbox.objects.bulk_create(Inbox(id=random_inbox_id(), survey=survey, record=each) for each in records)
    sealing.seal_records(survey.pk)
    (batch,) = numbers_by_batch(survey)
    group = [number % 2 for number in batch]
    assert group == sorted(group)
    for of_group in (batch[: group.index(1)], batch[group.index(1) :]):
        assert of_group != sorted(of_group)


def test_records_that_came_meanwhile_are_sealed_leaving_the_minimum(survey: Survey) -> None:
    take_records(survey, range(DUE + 17))
    assert 37 <= sealing.seal_records(survey.pk) <= 47
    assert 20 <= len(waiting_record_numbers(survey)) <= 30


def test_batch_size_is_drawn_once_however_often_tried(survey: Survey) -> None:
    """If every record beyond the first fifty drew again, small batches would be sealed more often."""
    draws: list[int] = []

    def counting(n: int) -> bytes:
        draws.append(n)
        return bytes(n)

    for number in range(DUE):
        take_records(survey, [number])
        sealing.seal_records(survey.pk, random_bytes=counting)
    # The order of the records, and one number.
    assert sorted(draws) == [8, 8 * DUE]


def test_sealed_records_and_their_order_are_random() -> None:
    """1 in 10^13 to draw the first twenty; 1 in 20! to find them in order. The randomness is the one passed in."""
    first, *seeded = [asked.survey(ASKS) for _survey in range(3)]
    put_waiting_records(first)
    sealing.seal_records(first.pk)
    (batch,) = numbers_by_batch(first)
    assert sorted(batch) != list(range(len(batch)))
    assert batch != sorted(batch)
    for survey in seeded:
        rows = [Inbox(survey=survey, record=f"1{number:06o}".encode()) for number in range(DUE)]
        Inbox.objects.bulk_create(rows)
        sealing.seal_records(survey.pk, random_bytes=lambda n: np.random.default_rng(5).bytes(n))
    assert numbers_by_batch(seeded[0]) == numbers_by_batch(seeded[1])


def test_records_left_waiting_get_new_ids_in_a_new_order(survey: Survey) -> None:
    put_waiting_records(survey)
    before = set(Inbox.objects.values_list("pk", flat=True))
    sealing.seal_records(survey.pk)
    assert not before & set(Inbox.objects.values_list("pk", flat=True))
    left = [int(record[1:], 8) for record in asked.as_they_lie("intake_inbox", bytes)]
    # 20 numbers in rising order by chance: 1 in 2 * 10^18.
    assert left != sorted(left)


def test_every_new_key_becomes_a_known_one_in_hash_order(survey: Survey) -> None:
    """Another survey's records and keys are left alone."""
    other = asked.survey(ASKS)
    take_records(survey, range(DUE))
    take_records(other, range(DUE - 1))
    fresh = asked.fresh_hashes(survey=survey)
    sealing.seal_records(survey.pk)
    assert not FreshKey.objects.filter(survey=survey).exists()
    assert asked.seen_hashes() == sorted(fresh)
    assert len(waiting_record_numbers(other)) == FreshKey.objects.filter(survey=other).count() == DUE - 1


def test_sealing_notes_what_must_be_overwritten() -> None:
    tables = {"intake_inbox", "intake_freshkey"}
    for invited, more in ((False, set[str]()), (True, {"intake_token", "intake_spenttoken"})):
        Sweep.objects.all().delete()
        survey = asked.survey(ASKS, invited=invited)
        put_waiting_records(survey)
        sealing.seal_records(survey.pk)
        assert set(Sweep.objects.values_list("table", flat=True)) == tables | more


# --- closing


def test_closing_seals_all_waiting_records_if_enough(survey: Survey) -> None:
    take_records(survey, range(33))
    close(survey)
    assert [sorted(batch) for batch in numbers_by_batch(survey)] == [list(range(33))]
    assert not FreshKey.objects.exists()


def test_closing_leaves_too_few_records_uncounted(survey: Survey) -> None:
    take_records(survey, range(19))
    close(survey)
    assert sealed_and_waiting(survey) == (0, 19)
    assert FreshKey.objects.count() == 19
    # A reopening brings more, and then all are sealed.
    lifecycle.reopen_survey(survey, None, timezone.now())
    take_records(survey, [19])
    close(survey)
    assert sealed_and_waiting(survey) == (20, 0)


def test_records_of_the_hour_after_closing_are_sealed_if_enough(survey: Survey) -> None:
    now = timezone.now()
    close(survey)
    take_records(survey, range(25))
    automatic_sealing.on_tick(now + timedelta(minutes=59))
    assert sealed_and_waiting(survey) == (0, 25)
    automatic_sealing.on_tick(now + GRACE + timedelta(minutes=1))
    assert sealed_and_waiting(survey) == (25, 0)


@pytest.mark.parametrize("cap", [20, 25, 45])
def test_survey_closes_at_its_cap_without_a_grace_hour(cap: int) -> None:
    """Also below the size of a batch."""
    survey = asked.survey(ASKS, cap=cap)
    sent = [asked.envelope(ASKS, number) for number in range(cap + 1)]
    for each in sent[: cap - 1]:
        assert asked.post(survey, each).status_code == 201
    survey.refresh_from_db()
    assert survey.state == State.OPEN
    assert [asked.post(survey, each).status_code for each in sent[cap - 1 :]] == [201, 410]
    survey.refresh_from_db()
    assert survey.state == State.CLOSED
    assert sealed_and_waiting(survey) == (cap, 0)
    # Who has been stored is told so, however late.
    assert asked.outcome(survey, sent[0]) == asked.KNOWN


def test_cap_bounds_records_of_the_hour_after_closing() -> None:
    survey = asked.survey(ASKS, cap=25)
    take_records(survey, range(24))
    close(survey)
    assert [asked.post(survey, asked.envelope(ASKS)).status_code for _ in range(3)] == [201, 410, 410]


# --- what the tick does again


def test_tick_seals_leftovers_of_a_dead_process_despite_a_damaged_survey(survey: Survey) -> None:
    """The design of the other one is not what its fingerprint says. It can be closed all the same."""
    bad = Design.objects.create(fingerprint="f" * 64, json=ASKS.canonical)
    damaged = Survey.objects.create(
        owner=survey.owner, design_id=bad.pk, state=State.OPEN, draft={"title": {"en": "A"}}
    )
    put_waiting_records(damaged)
    take_records(survey, range(DUE))
    automatic_sealing.on_tick(timezone.now())
    assert 20 <= sealed_and_waiting(survey)[0] <= 30
    assert sealed_and_waiting(damaged) == (0, DUE)
    close(damaged)
    damaged.refresh_from_db()
    assert damaged.state == State.CLOSED
    assert sealed_and_waiting(damaged) == (0, DUE)


# --- destruction


def test_destruction_leaves_no_row_of_sent_records() -> None:
    """What was on its way into the survey, or an invitation made meanwhile, is removed by the tick."""
    survey = asked.survey(ASKS, invited=True)
    for token in create_tokens(survey, 55)[:51]:
        take_records(survey, range(1), token=token)
    sealing.seal_records(survey.pk)
    close(survey)
    lifecycle.destroy_survey(survey, None, timezone.now())
    for table in (Inbox, FreshKey, SeenKeys, KeySecret, Token, SpentToken, Batch):
        assert not table.objects.filter(survey=survey).exists(), table
    assert "intake_batch" in Sweep.objects.values_list("table", flat=True)
    Inbox.objects.create(survey=survey, record=b"1000000")
    FreshKey.objects.create(survey=survey, hash=b"a" * 16, epoch=epoch_at(timezone.now()))
    Token.objects.create(survey=survey, hash=b"a" * 16)
    automatic_sealing.on_tick(timezone.now())
    for table in (Inbox, FreshKey, Token):
        assert not table.objects.exists(), table


# --- invitations that were used


@pytest.fixture
def hashes_by_sealing() -> Iterator[list[list[bytes]]]:
    """The hashes of used invitations that each sealing tells, in turn."""
    heard: list[list[bytes]] = []

    def note_hashes(hashes: list[bytes], **kwargs: object) -> None:
        heard.append(hashes)

    sealing.invitations_spent.connect(note_hashes)
    yield heard
    sealing.invitations_spent.disconnect(note_hashes)


def answer(survey: Survey, tokens: list[str]) -> list[bytes]:
    """Each of these invitations is used; their hashes, in order."""
    for number, token in enumerate(tokens):
        take_records(survey, [number], token=token)
    return sorted(asked.hash_of(survey, HashedTextKind.LINK, token) for token in tokens)


def spent_hashes() -> list[bytes]:
    return sorted(bytes(row.hash) for row in SpentToken.objects.all())


def test_sealing_announces_used_invitations_once(hashes_by_sealing: list[list[bytes]]) -> None:
    survey = asked.survey(ASKS, invited=True)
    tokens = create_tokens(survey, 2 * DUE + 1)
    early = answer(survey, tokens[: DUE - 1])
    # What no sealing follows tells no invitation.
    assert sealing.seal_records(survey.pk) == 0
    assert (hashes_by_sealing, spent_hashes()) == ([], early)
    first = sorted(early + answer(survey, tokens[DUE - 1 : DUE]))
    assert spent_hashes() == first
    sealing.seal_records(survey.pk)
    # Of all that were used, whether their record was drawn or waits on.
    assert (hashes_by_sealing, spent_hashes()) == ([first], [])
    second = answer(survey, tokens[DUE : 2 * DUE])
    sealing.seal_records(survey.pk)
    assert hashes_by_sealing == [first, second]
    assert Token.objects.count() == 1


def test_refused_record_uses_no_invitation() -> None:
    survey = asked.survey(ASKS, invited=True)
    (token,) = create_tokens(survey, 1)
    take_records(survey, [1], token=token, key="a" * 32)
    asked.post(survey, asked.envelope(ASKS, 1, token=token, key="a" * 32))
    asked.post(survey, asked.envelope(ASKS, 2, token=token))
    asked.post(survey, asked.envelope(ASKS, 2, token="f" * 32))
    assert spent_hashes() == [asked.hash_of(survey, HashedTextKind.LINK, token)]


# --- submission keys are deleted seven days after a survey is finished


def test_keys_are_kept_a_week_and_deleted_with_their_bytes() -> None:
    """Of two batches, so that there are keys of both kinds; those of another survey stay."""

    def keys(survey: Survey) -> int:
        return len(asked.fresh_hashes(survey=survey)) + len(asked.seen_hashes(survey=survey))

    finished, destroyed, other = (asked.survey(ASKS) for _survey in range(3))
    sent = [asked.envelope(ASKS) for _person in range(46)]
    for survey in (finished, destroyed):
        assert {asked.outcome(survey, each) for each in sent} == {asked.STORED}
        lifecycle.close_survey(survey, survey.owner, timezone.now())
        lifecycle.finish_survey(survey, survey.owner, timezone.now())
    asked.post(other, sent[0])
    lifecycle.destroy_survey(destroyed, destroyed.owner, timezone.now())
    assert (keys(destroyed), ExpiringKeys.objects.count()) == (0, 1)
    now = timezone.now()
    automatic_sealing.on_tick(now + timedelta(days=6, hours=23))
    assert keys(finished) == 46
    assert asked.outcome(finished, sent[0]) == asked.KNOWN
    automatic_sealing.on_tick(now + timedelta(days=7, hours=1))
    assert (keys(finished), keys(other)) == (0, 1)
    assert not ExpiringKeys.objects.exists()
    assert not KeySecret.objects.filter(survey=finished).exists()
    # The records stay, and whoever sends one again is told that the survey is closed.
    assert sum(Batch.objects.filter(survey=finished).values_list("n", flat=True)) == 46
    assert asked.outcome(finished, sent[0]) == asked.CLOSED


# --- a clock that is set back by a day while people answer


def test_sealing_continues_after_the_clock_was_set_back(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now()
    yesterday = now - timedelta(days=1)
    closed = asked.survey(ASKS, state=State.CLOSED, closed_at=now)
    before, after = asked.envelope(ASKS), asked.envelope(ASKS)
    assert asked.outcome(survey, before) == asked.STORED
    monkeypatch.setattr(timezone, "now", lambda: yesterday)
    answers = [asked.outcome(survey, each) for each in (before, after, after)]
    assert answers == [asked.KNOWN, asked.STORED, asked.KNOWN]
    assert (Inbox.objects.count(), FreshKey.objects.count()) == (2, 2)
    for _person in range(DUE - 2):
        asked.post(survey, asked.envelope(ASKS))
    automatic_sealing.on_tick(yesterday)
    assert Batch.objects.filter(survey=survey).get().n >= 20
    assert sum(sealed_and_waiting(survey)) == DUE
    # Who sends after the closing is taken rather than lost.
    assert asked.outcome(closed, asked.envelope(ASKS)) == asked.STORED
    # People who waited are added to the hour that comes again.
    hour = people_asked_to_wait.start_of_hour(yesterday)
    WaitCount.objects.create(survey=survey, hour=hour, asked=20)
    people_asked_to_wait.add_to_hourly_counts(survey.pk, Tally(40, 20))
    assert WaitCount.objects.get().asked == 60
    assert record_counts.wait_counts_of_survey(survey) == WaitCounts(60, 20)
