"""Keys of open links end by epochs, months that are the same for everybody; a record of an old one is refused."""

import itertools
import json
import random
import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from intake.batches import automatic_sealing, overwrite_deleted, sealing, seen_keys
from intake.endpoint import epochs
from intake.endpoint.accept_record import count_received, is_key_stored
from intake.endpoint.keyed_hashes_of_secrets import (
    HashedTextKind,
    get_or_create_survey_secret,
    hash_with_secret,
)
from intake.endpoint.store_record import StoreResult, SubmissionHashes, store_record
from intake.invitations.tokens import create_tokens
from intake.models import FreshKey, Inbox, KeySecret, SeenKeys, Sweep
from intake.rehearsal.respondent_simulation import simulate
from privacy.records import Envelope
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.intake import asked
from tests.intake.asked import KNOWN, STORED, outcome
from tests.intake.test_pages import Elements

pytestmark = [pytest.mark.django_db, pytest.mark.page]
ASKS = asked.design(least=20)
APRIL_2026, MAY_2026 = 12 * 56 + 3, 12 * 56 + 4
TOO_OLD, NOT_NOW = (410, "too old"), (503, "cannot be stored now")
At = Callable[[datetime], None]


@pytest.fixture
def set_time(monkeypatch: pytest.MonkeyPatch) -> At:
    """From now on the machine's clock says this."""
    return lambda moment: monkeypatch.setattr(timezone, "now", lambda: moment)


@pytest.fixture
def survey() -> Survey:
    return asked.survey(ASKS)


def day(month: int, number: int, hour: int = 12) -> datetime:
    return datetime(2026, month, number, hour, tzinfo=UTC)


def envelope_of_epoch(epoch: int | None) -> Envelope:
    return replace(asked.envelope(ASKS), epoch=epoch)


def outcomes(survey: Survey, sent: list[Envelope]) -> set[tuple[int, str]]:
    return {outcome(survey, each) for each in sent}


def sealed_in_april(at: At, survey: Survey) -> list[Envelope]:
    """Sixty people answered, of whom the keys of fifty are packed."""
    at(day(4, 20))
    sent = [asked.envelope(ASKS) for _ in range(60)]
    assert outcomes(survey, sent) == {STORED}
    assert SeenKeys.objects.filter(survey=survey, epoch=APRIL_2026).exists()
    return sent


# --- which months are accepted


def test_epoch_is_a_calendar_month_in_utc() -> None:
    assert epochs.epoch_at(datetime(1970, 1, 31, 23, 59, 59, tzinfo=UTC)) == 0
    assert epochs.epoch_at(datetime(1970, 2, 1, tzinfo=UTC)) == 1
    assert epochs.epoch_at(day(4, 30, 23)) == APRIL_2026
    east = timezone.get_fixed_timezone(120)
    assert epochs.epoch_at(datetime(2026, 5, 1, 1, tzinfo=east)) == APRIL_2026


def test_record_is_accepted_until_sixty_days_after_its_month(
    set_time: At, survey: Survey, settings: Any
) -> None:
    """April ends with the 30th; the sixtieth day after it is the 29th of June. How long is a setting."""
    for days, late, too_late in ((60, day(6, 29, 23), day(6, 30, 0)), (7, day(5, 7, 23), day(5, 8, 0))):
        settings.SEND_AGAIN_DAYS = days
        set_time(late)
        assert outcome(survey, envelope_of_epoch(APRIL_2026)) == STORED, days
        set_time(too_late)
        assert outcome(survey, envelope_of_epoch(APRIL_2026)) == TOO_OLD, days
    assert Inbox.objects.count() == 2


def test_malformed_epoch_is_refused_and_not_stored(set_time: At, survey: Survey) -> None:
    set_time(day(5, 20))
    for epoch in (0, -1, 10_000, "676", 676.0, True, None, [676]):
        body = json.dumps(json.loads(asked.envelope(ASKS).json) | {"epoch": epoch})
        assert outcome(survey, body) == asked.MALFORMED, epoch
    # A record without one is too old and stays on the device.
    assert outcome(survey, envelope_of_epoch(None)) == TOO_OLD
    assert not FreshKey.objects.exists()


def test_page_with_a_fast_clock_resends_its_record_in_its_month(set_time: At) -> None:
    """On the last day of a month the next is accepted."""
    for epoch in (MAY_2026 + 1, 9999):
        survey, envelope = asked.survey(ASKS), envelope_of_epoch(epoch)
        set_time(day(5, 20))
        response = asked.post(survey, envelope)
        assert asked.outcome_of(response) == NOT_NOW
        assert int(response["Retry-After"]) >= 10
        assert not FreshKey.objects.filter(survey=survey).exists()
        set_time(datetime(1970 + epoch // 12, epoch % 12 + 1, 1, tzinfo=UTC))
        assert outcome(survey, envelope) == STORED
    set_time(day(4, 29, 23))
    envelope = envelope_of_epoch(MAY_2026)
    assert outcome(survey, envelope) == NOT_NOW
    set_time(day(4, 30, 1))
    assert outcome(survey, envelope) == STORED


def test_invitation_surveys_ask_for_no_epoch() -> None:
    survey = asked.survey(ASKS, invited=True)
    for token, epoch in zip(create_tokens(survey, 3), (None, 1, 9999), strict=True):
        envelope = replace(asked.envelope(ASKS, token=token), epoch=epoch)
        assert outcome(survey, envelope) == STORED
        assert outcome(survey, replace(envelope, epoch=None)) == KNOWN
    assert set(FreshKey.objects.values_list("epoch", flat=True)) == {epochs.NO_EPOCH}


# --- a dropped epoch


def test_key_of_a_dropped_epoch_is_refused_for_ever(set_time: At, survey: Survey, settings: Any) -> None:
    other = asked.survey(ASKS)
    sent = sealed_in_april(set_time, survey)
    set_time(day(6, 29, 23))
    automatic_sealing.on_tick(timezone.now())
    assert outcomes(survey, sent) == {KNOWN}
    set_time(day(7, 2))
    automatic_sealing.on_tick(timezone.now())
    assert SeenKeys.objects.count() + FreshKey.objects.count() == 0
    assert outcomes(survey, sent) == {TOO_OLD}
    # For ever, whatever the setting says later.
    settings.SEND_AGAIN_DAYS = 365
    assert outcomes(survey, sent) == {TOO_OLD}
    assert count_received(survey.pk).received == 60
    # Of a survey that had no keys then nothing was forgotten.
    assert outcome(other, sent[0]) == STORED


def test_clock_jump_counts_nobody_twice_and_keeps_nobody_out(set_time: At, survey: Survey) -> None:
    sent = sealed_in_april(set_time, survey)
    automatic_sealing.on_tick(datetime(2036, 1, 1, tzinfo=UTC))
    assert outcomes(survey, sent) == {TOO_OLD}
    assert count_received(survey.pk).received == 60
    # Until the month is over pages carry the next one, whose keys were never deleted.
    assert epoch_in_page(survey) == MAY_2026
    assert outcome(survey, envelope_of_epoch(MAY_2026)) == STORED


def test_keys_their_memory_and_overwriting_notes_change_together(
    set_time: At, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed_in_april(set_time, survey)
    Sweep.objects.all().delete()
    overwritten: list[bool] = []

    def raise_disk_full(*tables: object) -> None:
        raise OperationalError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(seen_keys, "schedule_overwriting", raise_disk_full)
        patch.setattr(overwrite_deleted, "overwrite_deleted_rows", lambda: overwritten.append(True))
        automatic_sealing.on_tick(day(7, 2))
    assert overwritten == [True]
    assert len(asked.seen_hashes(survey=survey)) + FreshKey.objects.count() == 60
    assert KeySecret.objects.get(survey=survey).dropped_before == 0
    seen_keys.delete_keys_of_old_epochs(survey.pk, day(7, 2))
    assert {row.table for row in Sweep.objects.all()} == {"intake_freshkey", "intake_seenkeys"}


def test_record_is_refused_by_its_date_even_if_its_rows_remain(set_time: At, survey: Survey) -> None:
    """Rows stay for a day for a machine whose clock is late, and what was dropped is remembered."""
    sent = sealed_in_april(set_time, survey)
    closed_at = timezone.now()
    automatic_sealing.on_tick(day(6, 30, 22))
    set_time(day(6, 29, 23))
    assert outcome(survey, sent[0]) == KNOWN
    set_time(day(7, 2))
    assert len(asked.seen_hashes(survey=survey)) >= 50
    assert outcomes(survey, sent) == {TOO_OLD}
    # The record may have arrived.
    Survey.objects.filter(pk=survey.pk).update(state=Survey.State.CLOSED, closed_at=closed_at)
    assert outcome(survey, sent[0]) == TOO_OLD
    # The number that remembers never falls.
    for before in (MAY_2026 + 5, APRIL_2026, 1):
        seen_keys.delete_keys_before_epoch(survey.pk, before)
        assert KeySecret.objects.get(survey=survey).dropped_before == MAY_2026


def test_other_epochs_and_surveys_keep_their_keys(set_time: At, survey: Survey) -> None:
    invited = asked.survey(ASKS, invited=True)
    of_april = sealed_in_april(set_time, survey)
    of_invited = [asked.envelope(ASKS, token=token) for token in create_tokens(invited, 60)]
    assert outcomes(invited, of_invited) == {STORED}
    set_time(day(5, 20))
    of_may = [asked.envelope(ASKS) for _ in range(60)]
    assert outcomes(survey, of_may) == {STORED}
    # The keys of two months are packed apart, and all are known.
    sealing.seal_records(survey.pk)
    assert outcomes(survey, [*of_april, *of_may]) == {KNOWN}
    epochs_of_survey = SeenKeys.objects.filter(survey=survey).values_list("epoch", flat=True)
    assert set(epochs_of_survey) == {APRIL_2026, MAY_2026}
    set_time(day(7, 2))
    automatic_sealing.on_tick(timezone.now())
    assert set(epochs_of_survey.all()) == {MAY_2026}
    assert outcomes(survey, of_may) == outcomes(invited, of_invited) == {KNOWN}


def test_same_key_in_another_epoch_is_another_key(set_time: At, survey: Survey) -> None:
    """Whoever changes the month by hand sends two records, as with two keys; a page never does."""
    envelope = envelope_of_epoch(APRIL_2026)
    set_time(day(5, 20))
    sent = [envelope, replace(envelope, epoch=MAY_2026), envelope]
    assert [outcome(survey, each) for each in sent] == [STORED, STORED, KNOWN]
    assert len(FreshKey.objects.values_list("hash").distinct()) == 2


# --- the pages


def epoch_in_page(survey: Survey) -> object:
    return Elements(Client().get(survey.address).text).page_settings.get("epoch")


def test_page_holds_the_month_for_everybody_and_none_with_invitations(set_time: At) -> None:
    """Simulated people send it."""
    set_time(day(5, 20))
    assert [epoch_in_page(asked.survey(ASKS)) for _visitor in range(2)] == [MAY_2026] * 2
    assert epoch_in_page(asked.survey(ASKS, invited=True)) is None
    assert epoch_in_page(asked.exchange_survey(asked.exchange_design())) is None
    simulate(asked.survey(asked.design(rehearsal=True)), 30, seed=1)
    assert set(FreshKey.objects.values_list("epoch", flat=True)) == {MAY_2026}


# --- packed


def store_seen_keys(survey: Survey, keys: list[bytes], epoch: int = 1) -> None:
    FreshKey.objects.bulk_create(FreshKey(survey=survey, hash=key, epoch=epoch) for key in keys)
    seen_keys.move_fresh_keys(survey.pk)


def test_key_blocks_hold_every_key_once_in_order_within_a_size(survey: Survey) -> None:
    stored: set[bytes] = set()
    for _sealing in range(6):
        new = {secrets.token_bytes(16) for _ in range(150)}
        store_seen_keys(survey, [*new])
        stored |= new
        blocks = list(SeenKeys.objects.filter(survey=survey).order_by("first"))
        assert asked.seen_hashes(survey=survey) == sorted(stored)
        assert max(len(block.hashes) for block in blocks) <= 16 * seen_keys.MOST
    assert len(blocks) >= 900 / seen_keys.MOST
    # A key that is none of them is not found in the block that it would be in.
    assert not is_key_stored(survey.pk, 1, secrets.token_bytes(16))
    assert all(is_key_stored(survey.pk, 1, key) for key in stored)


def packed_in_turns(turns: list[list[bytes]]) -> list[tuple[bytes, bytes]]:
    """The blocks of a survey after a sealing for each turn."""
    survey = asked.survey(ASKS)
    for new in turns:
        store_seen_keys(survey, new)
    rows = SeenKeys.objects.filter(survey=survey).order_by("first").values_list("first", "hashes")
    return [(bytes(first), bytes(hashes)) for first, hashes in rows]


def test_block_boundaries_do_not_reveal_arrival_order() -> None:
    keys = [secrets.token_bytes(15) + b"1" for _ in range(1500)]
    of_many = packed_in_turns([keys[at : at + 100] for at in range(0, 1500, 100)])
    backwards = packed_in_turns([keys[::-1]])
    assert of_many == backwards
    # Each begins at a multiple of a power of two: for so many, within its first two bytes.
    assert max(len(first) for first, _hashes in of_many) <= 2


def test_block_is_halved_at_the_first_bit_that_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    # A key below all others is found again.
    lowest = asked.survey(ASKS)
    for key in (b"\x80" * 16, b"\x00" * 16, b"\xff" * 16):
        store_seen_keys(lowest, [key])
        assert is_key_stored(lowest.pk, 1, key)
    assert SeenKeys.objects.count() == 1
    monkeypatch.setattr(seen_keys, "MOST", 2)
    low, middle, high = b"\x00" * 16, b"\x60" * 16, b"\x7f" * 16
    blocks = packed_in_turns([[low, high], [middle]])
    assert blocks == [(b"", low), (b"\x40", middle + high), (b"\x80", b"")]


def test_new_keys_are_moved_reading_few_blocks_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many have come in, what is held of the blocks stays small."""
    read: list[int] = []
    read_blocks = seen_keys.read_blocks_or_one_empty

    def read_and_count(*asked_for: Any) -> Any:
        blocks = read_blocks(*asked_for)
        read.append(sum(len(hashes) for _first, hashes, _next in blocks))
        return blocks

    monkeypatch.setattr(seen_keys, "read_blocks_or_one_empty", read_and_count)
    monkeypatch.setattr(seen_keys, "AT_ONCE", 50)
    packed_in_turns([[secrets.token_bytes(16) for _ in range(1000)] for _turn in range(2)])
    assert len(read) == 40
    assert max(read) <= 51 * 16 * seen_keys.MOST


@pytest.mark.parametrize("seed", range(3))
def test_packed_keys_are_found_for_any_bytes(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Keys that share long beginnings, in two surveys and three epochs, against a set."""
    draw = random.Random(seed)
    monkeypatch.setattr(seen_keys, "MOST", draw.choice([1, 2, 3, 5]))
    monkeypatch.setattr(seen_keys, "AT_ONCE", draw.choice([1, 3, 1000]))
    surveys, stored = [asked.survey(ASKS).pk for _ in range(2)], set[tuple[int, int, bytes]]()
    for _step in range(200):
        survey, epoch = draw.choice(surveys), draw.choice([0, 675, 676])
        if draw.random() < 0.1:
            seen_keys.move_fresh_keys(survey)
        begin = bytes([draw.choice([0, 1, 127, 128, 255])]) * draw.choice([1, 2, 15])
        key = (begin + bytes([draw.randrange(4)]) + b"U" * 16)[:14] + bytes([survey % 251, epoch % 251])
        was_stored = (survey, epoch, key) in stored
        assert is_key_stored(survey, epoch, key) == was_stored
        result = store_record(SubmissionHashes(survey, epoch, key), b"1000000")
        assert result is (StoreResult.KNOWN if was_stored else StoreResult.STORED)
        stored.add((survey, epoch, key))
    assert Inbox.objects.count() == len(stored)


def test_keys_tokens_and_exchanges_share_the_same_blocks() -> None:
    """Of 50 exchanges with a record there are 150 hashes, and nothing says which is which."""
    survey = asked.exchange_survey(asked.exchange_design(least=20))
    hashes = [secrets.token_bytes(16) for _ in range(150)]
    store_seen_keys(survey, hashes, 0)
    assert asked.seen_hashes(survey=survey) == sorted(hashes)
    columns = {field.attname for field in SeenKeys._meta.local_concrete_fields}
    assert columns == {"survey_id", "epoch", "first", "hashes"}


# --- the secret of the hashes


def test_each_survey_has_its_own_secret_made_once_and_deleted_at_its_end(settings: Any) -> None:
    over = asked.survey(ASKS, invited=True, state=Survey.State.FINISHED)
    with pytest.raises(NotAllowed):
        create_tokens(over, 20)
    assert not KeySecret.objects.exists()
    one, other, envelope = asked.survey(ASKS), asked.survey(ASKS), asked.envelope(ASKS)
    secrets_of = [get_or_create_survey_secret(each.pk) for each in (one, one, other)]
    assert secrets_of[0] == secrets_of[1] != secrets_of[2]
    assert {len(bytes(row.secret)) for row in KeySecret.objects.all()} == {32}
    # So a key is stored by each survey that it is sent to.
    assert [outcome(survey, envelope) for survey in (one, other, one)] == [STORED, STORED, KNOWN]
    assert not asked.fresh_hashes(survey=one) & asked.fresh_hashes(survey=other)
    # Another secret key of the site changes nothing.
    settings.SECRET_KEY = "another-" * 8
    assert outcome(one, envelope) == KNOWN


def test_stored_hash_has_sixteen_bytes_and_depends_on_secret_kind_and_text() -> None:
    given = itertools.product((b"1" * 32, b"2" * 32), HashedTextKind, "ab")
    made = [hash_with_secret(*each) for each in given]
    assert len(set(made)) == 2 * len(HashedTextKind) * 2
    assert {len(hash_) for hash_ in made} == {16}
