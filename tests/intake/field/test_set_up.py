"""A field device is made on the researchers' page, set up once by its ticket, and fetches its lots of tokens: the same
ones as often as it asks."""

import itertools
import re
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import History, Person
from intake.field_devices import devices
from intake.field_devices.device_requests import PACE, LotRateLimit
from intake.field_devices.models import FieldDevice, FieldLot
from intake.models import Sweep
from privacy.blind_signatures.tokens import is_token_signed
from surveys.lifecycle import state_changes
from surveys.models import FieldKeys, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As
from tests.intake import asked
from tests.intake.asked import CLOSED, IMPOSSIBLE, MALFORMED, FieldDevice as Device, outcome_of, post_field
from tests.surveys import drafts

pytestmark = pytest.mark.django_db
ASKS = asked.field_design()
NO_CODE, USED, SIGNED, ANOTHER = ((403, "unknown code"), (403, "used"), (200, "signed"), (422, "another lot"))


@pytest.fixture
def open_field_survey() -> Survey:
    return asked.field_survey(ASKS)


@pytest.fixture(autouse=True)
def each_lot_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = itertools.count(1)
    monkeypatch.setattr(PACE, "_last", 0.0)
    monkeypatch.setattr(PACE, "_turns", {})
    monkeypatch.setattr(PACE, "_clock", lambda: float(next(seconds)) * 10)


def make(opened: Survey, people: int = 60, label: str = "Tablet 3") -> Device:
    ticket = devices.make_device_and_ticket(opened, opened.owner, label, people, timezone.now())
    return Device(opened, ASKS, ticket)


def device_that_is_set_up(opened: Survey, people: int = 60) -> Device:
    device = make(opened, people)
    device.set_up()
    return device


def withdraw(opened: Survey) -> None:
    devices.withdraw_device(opened, opened.owner, FieldDevice.objects.get().pk, timezone.now())


def test_ticket_sets_up_one_device_and_a_repetition_gets_the_same_answer(open_field_survey: Survey) -> None:
    device = make(open_field_survey)
    assert len(device.ticket) == 22
    for _time in range(2):
        answer = device.set_up()
        assert answer.status_code == 200
        assert answer.json() == {"outcome": "set up", "label": "Tablet 3", "people": 60}
        assert answer["Cache-Control"] == "no-store"
        assert not answer.cookies
    second = Device(open_field_survey, ASKS, device.ticket)
    assert outcome_of(second.set_up()) == USED
    # The other one's secret opens nothing.
    assert outcome_of(second.report(5, waiting=False)) == NO_CODE
    assert outcome_of(device.report(5, waiting=False)) == (200, "noted")
    # Nor does a secret that belongs to another ticket set anything up.
    third = make(open_field_survey)
    third.secret = device.secret
    assert outcome_of(third.set_up()) == USED


def test_unknown_withdrawn_or_foreign_ticket_is_refused(open_field_survey: Survey) -> None:
    assert outcome_of(Device(open_field_survey, ASKS, asked.random_text()).set_up()) == NO_CODE
    other = asked.field_survey(ASKS)
    device = make(open_field_survey)
    assert outcome_of(Device(other, ASKS, device.ticket).set_up()) == NO_CODE
    assert (
        outcome_of(post_field(open_field_survey, "device", {"ticket": "A" * 22, "secret": "short"}))
        == MALFORMED
    )
    withdraw(open_field_survey)
    assert outcome_of(device.set_up()) == NO_CODE
    FieldDevice.objects.all().delete()
    device = device_that_is_set_up(open_field_survey)
    withdraw(open_field_survey)
    for answer in (
        device.set_up(),
        device.fetch_signatures(0, device.blind_tokens(50)),
        device.report(5, waiting=True),
    ):
        assert outcome_of(answer) == NO_CODE
    with pytest.raises(NotAllowed):
        withdraw(open_field_survey)
    acts = [(act.what, act.note) for act in History.objects.about(open_field_survey).order_by("pk")]
    assert acts == [(devices.MADE, "Tablet 3"), (devices.WITHDRAWN, "Tablet 3")] * 2


@pytest.mark.page
def test_token_lots_are_signed_and_the_last_has_the_rest(open_field_survey: Survey) -> None:
    device = device_that_is_set_up(open_field_survey)
    device.fetch(60)
    assert len(set(device.tokens)) == 60
    assert all(is_token_signed(ASKS.token_key, token) for token in device.tokens)
    assert devices.list_devices(open_field_survey)[0].fetched == 60
    for number, n in ((0, 49), (1, 50), (1, 11), (2, 50), (2, 0), (40, 0), (41, 0)):
        assert outcome_of(device.fetch_signatures(number, device.blind_tokens(n))) == MALFORMED, (number, n)


def test_repeated_lot_gets_the_same_signatures_and_another_one_none(open_field_survey: Survey) -> None:
    device = make(open_field_survey, 3)
    messages = device.blind_tokens(3)
    assert outcome_of(device.fetch_signatures(0, messages)) == NO_CODE, "before its set-up"
    device.set_up()
    body = {"secret": device.secret, "lot": 0, "blinded": [message.blinded for message in messages]}
    # A message beyond the key, none at all, and a member more.
    for wrong in ({"blinded": ["_" * 341 + "w"] * 3}, {"blinded": ["x"] * 3}, {"more": 1}):
        assert outcome_of(post_field(open_field_survey, "lot", body | wrong)) == MALFORMED
    assert not FieldLot.objects.exists()
    answers = [device.fetch_signatures(0, messages) for _time in range(2)]
    assert [outcome_of(answer) for answer in answers] == [SIGNED] * 2
    assert answers[0].json() == answers[1].json()
    assert outcome_of(device.fetch_signatures(0, device.blind_tokens(3))) == ANOTHER
    assert outcome_of(device.fetch_signatures(0, messages[::-1])) == ANOTHER
    assert FieldLot.objects.count() == 1


def test_process_signs_one_lot_a_second(open_field_survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    device = device_that_is_set_up(open_field_survey, 1)
    monkeypatch.setattr(PACE, "_clock", lambda: 10_000.0)
    monkeypatch.setattr(PACE, "_last", 0.0)
    messages = device.blind_tokens(1)
    assert outcome_of(device.fetch_signatures(0, messages)) == SIGNED
    late = device.fetch_signatures(0, messages)
    assert (outcome_of(late), late["Retry-After"]) == ((429, "too often"), "1")
    # A stranger's requests do not use up the second.
    assert outcome_of(make(open_field_survey).fetch_signatures(0, messages)) == NO_CODE
    times = iter([0.0, 0.9, 1.0])
    pace = LotRateLimit(lambda: next(times))
    assert [pace.try_acquire(1), pace.try_acquire(1), pace.try_acquire(1)] == [True, False, True]


def test_eager_device_waits_behind_others() -> None:
    """One asks eight times a second; seven others ask as they are told to, after one second."""
    now = 0.0
    pace = LotRateLimit(lambda: now)
    admitted = Counter[int]()
    for tick in range(160):
        now = tick / 8
        admitted[0] += pace.try_acquire(0)
        for device in range(1, 8):
            if tick % 8 == device:
                admitted[device] += pace.try_acquire(device)
    # Now and then the others wait until the one whose turn it is asks again.
    assert 17 <= sum(admitted.values()) <= 20
    assert all(2 <= admitted[device] <= 3 for device in range(8)), admitted
    # Whoever stopped asking keeps nobody waiting.
    now += 10
    assert pace.try_acquire(0)


def test_different_lot_under_a_stored_number_takes_no_turn(
    open_field_survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = make(open_field_survey)
    device.set_up()
    messages = device.blind_tokens(50)
    assert outcome_of(device.fetch_signatures(0, messages)) == SIGNED
    monkeypatch.setattr(LotRateLimit, "try_acquire", lambda *_: pytest.fail("a turn was taken"))
    assert outcome_of(device.fetch_signatures(0, messages[::-1])) == ANOTHER


def test_closed_survey_or_one_without_devices_sets_up_none() -> None:
    for state in ("closed", "finished"):
        over = asked.field_survey(ASKS, state=state)
        with pytest.raises(NotAllowed):
            make(over)
        device = Device(over, ASKS, asked.random_text())
        assert (
            outcome_of(device.set_up())
            == outcome_of(device.fetch_signatures(0, device.blind_tokens(1)))
            == CLOSED
        ), state
    plain = asked.survey(asked.design())
    with pytest.raises(NotAllowed, match="before a survey is opened"):
        make(plain)
    assert outcome_of(Device(plain, ASKS, asked.random_text()).set_up()) == NO_CODE
    assert outcome_of(post_field(plain, "record", {"sealed": "A"})) == IMPOSSIBLE


def test_device_report_counts_in_fives_without_times(open_field_survey: Survey) -> None:
    device = device_that_is_set_up(open_field_survey)
    assert devices.list_devices(open_field_survey)[0].asked_text == "fewer than 5"
    assert outcome_of(device.report(35, waiting=True)) == (200, "noted")
    (row,) = devices.list_devices(open_field_survey)
    assert (row.asked_text, row.device.is_waiting) == ("about 35", True)
    for body in ({"asked": 34}, {"asked": -5}, {"asked": 2005}, {"waiting": 1}, {"asked": "5"}):
        wrong = {"secret": device.secret, "asked": 5, "waiting": False} | body
        assert outcome_of(post_field(open_field_survey, "report", wrong)) == MALFORMED, body
    times = [f.name for f in FieldDevice._meta.get_fields() if "Date" in type(f).__name__]
    assert times == []


def test_no_column_links_a_device_or_lot_to_a_token_or_record() -> None:
    names = {model: {f.name for f in model._meta.get_fields()} for model in (FieldDevice, FieldLot)}
    own = "id survey label people ticket secret asked is_waiting is_withdrawn lots"
    assert names == {FieldDevice: {*own.split()}, FieldLot: {"id", "device", "number", "hash"}}


def test_requests_from_other_sites_are_refused_as_for_records(open_field_survey: Survey) -> None:
    for name in ("device", "lot", "report", "record"):
        foreign = post_field(open_field_survey, name, {}, **{"Sec-Fetch-Site": "cross-site"})
        assert outcome_of(foreign) == (403, "not sent by our page"), name
        assert outcome_of(post_field(open_field_survey, name, {}, content_type="text/plain")) == MALFORMED, (
            name
        )
        assert outcome_of(post_field(open_field_survey, name, "x" * 30_000)) == asked.TOO_LONG, name
        assert outcome_of(post_field(open_field_survey, name, '{"secret": 1, "secret": 2}')) == MALFORMED, (
            name
        )
        assert asked.CLIENT.get(f"/a/{open_field_survey.slug}/field/{name}").status_code == 405, name
        assert outcome_of(post_field(Survey(slug="not-there"), name, {})) == (404, "no such survey"), name


def test_finishing_and_deleting_end_device_keys(open_field_survey: Survey) -> None:
    now = timezone.now()
    device_that_is_set_up(open_field_survey, 1).fetch(1)
    deleted = asked.field_survey(ASKS)
    make(deleted)
    for survey in (open_field_survey, deleted):
        state_changes.close_survey(survey, None, now)
    assert FieldKeys.objects.count() == 2
    state_changes.finish_survey(open_field_survey, None, now + timedelta(hours=2))
    assert set(FieldKeys.objects.values_list("survey", flat=True)) == {deleted.pk}
    assert not FieldLot.objects.exists()
    swept = {row.table for row in Sweep.objects.all()}
    assert {"surveys_fieldkeys", "field_fielddevice", "field_fieldlot"} <= swept
    state_changes.destroy_survey(deleted, None, now)
    assert not FieldKeys.objects.exists()
    assert not FieldDevice.objects.exists()


# --- The researchers' page: a link shown once, a list without a time, and withdrawing

GIVEN = {"label": "Tablet 3", "people": "60"}


@pytest.fixture
def survey(owner: Person) -> Survey:
    return asked.field_survey(ASKS, owner=owner)


def field_page_address(survey: Survey, place: str = "") -> str:
    return f"/app/surveys/{survey.pk}/field{place}"


@pytest.mark.page
def test_setup_link_is_shown_once_and_sets_up_a_device(survey: Survey, client: Client) -> None:
    assert "No field device yet" in client.get(field_page_address(survey)).text
    for wrong in ({"people": "0"}, {"people": "2001"}, {"label": ""}, {"label": "x" * 61}):
        assert client.post(field_page_address(survey, "/make"), GIVEN | wrong).status_code == 422, wrong
    assert not FieldDevice.objects.exists()
    answer = client.post(field_page_address(survey, "/make"), GIVEN)
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    found = re.search(rf"http://testserver/a/{survey.slug}/field#([-\w]{{22}})", answer.text)
    assert found
    assert 'class="qr"' in answer.text
    page = client.get(field_page_address(survey)).text
    assert found[1] not in page
    assert "0 of 60 fetched" in page
    device = Device(survey, ASKS, found[1])
    assert device.set_up().json()["people"] == 60
    device.fetch(60)
    device.report(35, waiting=True)
    page = client.get(field_page_address(survey)).text
    assert asked.missing_parts(page, "Tablet 3", "60 of 60 fetched", "about 35") == []
    # No day and no time, in the page's table either.
    table = page[page.index("<tbody") : page.index("</tbody")]
    assert not re.search(r"20\d\d|\d:\d\d", table)


@pytest.mark.page
def test_withdrawing_states_how_many_records_a_stolen_device_may_send(
    survey: Survey, owner: Person, client: Client
) -> None:
    device = make(survey, 2)
    row = FieldDevice.objects.get()
    withdrawal = field_page_address(survey, f"/{row.pk}/withdraw")
    assert "up to" not in client.get(withdrawal).text
    device.set_up()
    device.fetch(2)
    assert "up to 2 records" in client.get(withdrawal).text
    assert client.post(withdrawal).status_code == 302
    row.refresh_from_db()
    assert row.is_withdrawn
    assert "withdrawn" in client.get(field_page_address(survey)).text
    assert "already" in client.post(withdrawal, follow=True).text
    # What it holds still arrives.
    sent = asked.field_envelope(ASKS, device.tokens[0])
    assert outcome_of(post_field(survey, "record", asked.sealed_body(ASKS, sent))) == asked.STORED
    other = asked.field_survey(ASKS, owner=owner)
    assert client.get(field_page_address(other, f"/{row.pk}/withdraw")).status_code == 404


@pytest.mark.page
def test_only_people_who_invite_change_devices(
    survey: Survey, client: Client, stranger: Person, works_on: Callable[..., Person], signed_in_as: As
) -> None:
    make(survey, 2)
    viewer, editor = (works_on(survey, may_edit=may_edit) for may_edit in (False, True))
    withdrawal = field_page_address(survey, f"/{FieldDevice.objects.get().pk}/withdraw")
    for person, status in ((None, 302), (stranger, 404), (viewer, 403)):
        other = signed_in_as(person)
        assert other.get(field_page_address(survey)).status_code == status
        assert other.post(field_page_address(survey, "/make"), GIVEN).status_code == status
        assert other.post(withdrawal).status_code == status
    assert FieldDevice.objects.filter(is_withdrawn=False).count() == 1
    assert signed_in_as(editor).post(field_page_address(survey, "/make"), GIVEN).status_code == 200
    assert client.get(field_page_address(survey, "/make")).status_code == 405
    assert client.post(field_page_address(survey)).status_code == 405


@pytest.mark.page
def test_field_devices_are_chosen_before_opening(owner: Person, client: Client) -> None:
    words = "have to be chosen in the settings before a survey is opened"
    draft = Survey.objects.create(owner=owner, draft=drafts.complete())
    assert field_page_address(draft) in client.get(f"/app/surveys/{draft.pk}/invitations").text
    page = client.get(field_page_address(draft)).text
    assert words in page
    assert "#id_field_devices" in page
    plain = asked.survey(asked.design(), owner=owner)
    page = client.get(field_page_address(plain)).text
    assert words in page
    assert "/make" not in page
    assert client.post(field_page_address(plain, "/make"), GIVEN, follow=True).status_code == 200
    assert not FieldDevice.objects.exists()
    assert "/field" not in client.get(f"/app/surveys/{plain.pk}/").text
    # Once it is open, nothing leads to devices that cannot be had any more.
    assert field_page_address(plain) not in client.get(f"/app/surveys/{plain.pk}/invitations").text
    assert "Field devices" not in client.get(f"/app/surveys/{plain.pk}/close").text


@pytest.mark.page
def test_closing_says_how_long_devices_may_send(survey: Survey, owner: Person, client: Client) -> None:
    now, words = timezone.now(), "Field devices may still send"
    paused = asked.field_survey(ASKS, owner=owner, paused=now)

    def page_text(of: Survey, place: str) -> str:
        return client.get(f"/app/surveys/{of.pk}/{place}").text

    assert field_page_address(survey) in page_text(survey, "")
    assert "what waits on them for 7 days" in page_text(survey, "close")
    only_reopened = "Field devices can send what waits on them only if you open the survey again"
    assert (only_reopened in page_text(paused, "close"), words in page_text(paused, "close")) == (True, False)
    for of in (survey, paused):
        state_changes.close_survey(of, owner, now)
    cannot = "field devices cannot send what waits on them"
    assert [text in page_text(survey, "finish") for text in (words, cannot)] == [True, False]
    assert [text in page_text(paused, "finish") for text in (words, cannot)] == [False, True]
    Survey.objects.filter(pk=survey.pk).update(closed_at=now - timedelta(days=8))
    assert words not in page_text(survey, "finish")
