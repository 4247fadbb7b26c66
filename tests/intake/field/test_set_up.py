"""A field device is set up by its ticket, once, and fetches its lots of tokens: the same ones as often as it asks."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import History
from intake.field_devices import devices
from intake.field_devices.models import FieldDevice, FieldLot
from intake.field_devices.requests import PACE, LotPace
from intake.models import Sweep
from privacy.blind_signatures.tokens import is_valid
from surveys.lifecycle import state_changes
from surveys.models import FieldKeys, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.intake import asked
from tests.intake.field import simulated
from tests.intake.field.conftest import ASKS
from tests.intake.field.simulated import Device, said

pytestmark = pytest.mark.django_db


def make(opened: Survey, people: int = 60, label: str = "Tablet 3") -> Device:
    ticket = devices.make_device(opened, opened.owner, label, people, timezone.now())
    return Device(opened, ASKS, ticket)


def withdraw(opened: Survey) -> None:
    devices.withdraw_device(opened, opened.owner, FieldDevice.objects.get().pk, timezone.now())


def test_a_ticket_sets_up_one_device_and_the_same_pair_gets_the_same_answer(opened: Survey) -> None:
    device = make(opened)
    assert len(device.ticket) == 22
    for _time in range(2):
        answer = device.set_up()
        assert answer.status_code == 200
        assert answer.json() == {"outcome": "set up", "label": "Tablet 3", "people": 60}
        assert answer["Cache-Control"] == "no-store"
        assert not answer.cookies
    second = Device(opened, ASKS, device.ticket)
    assert said(second.set_up()) == (403, "used")
    # The other one's secret opens nothing.
    assert said(second.report(5, waiting=False)) == (403, "unknown code")
    assert said(device.report(5, waiting=False)) == (200, "noted")


def test_an_unknown_ticket_and_that_of_another_survey_are_unknown(opened: Survey) -> None:
    assert said(Device(opened, ASKS, simulated.random_text()).set_up()) == (403, "unknown code")
    other = simulated.survey(ASKS)
    assert said(Device(other, ASKS, make(opened).ticket).set_up()) == (403, "unknown code")
    assert said(simulated.post(opened, "device", {"ticket": "A" * 22, "secret": "short"})) == (
        422,
        "malformed",
    )


def test_a_secret_that_belongs_to_another_ticket_sets_up_nothing(opened: Survey) -> None:
    first, second = make(opened), make(opened)
    first.set_up()
    second.secret = first.secret
    assert said(second.set_up()) == (403, "used")


def test_a_withdrawn_device_is_unknown_before_and_after_its_set_up(opened: Survey) -> None:
    device = make(opened)
    withdraw(opened)
    assert said(device.set_up()) == (403, "unknown code")
    FieldDevice.objects.all().delete()
    device = make(opened)
    device.set_up()
    withdraw(opened)
    assert said(device.set_up()) == (403, "unknown code")
    assert said(device.lot(0, device.blind(50))) == (403, "unknown code")
    assert said(device.report(5, waiting=True)) == (403, "unknown code")
    with pytest.raises(NotAllowed):
        withdraw(opened)


def test_lots_are_signed_and_the_last_one_has_what_is_left(opened: Survey) -> None:
    device = make(opened, 60)
    device.set_up()
    device.fetch(60)
    assert len(set(device.tokens)) == 60
    assert all(is_valid(ASKS.token_key, token) for token in device.tokens)
    assert devices.list_devices(opened)[0].fetched == 60
    for number, n in ((0, 49), (1, 50), (1, 11), (2, 50), (2, 0), (40, 0)):
        assert said(device.lot(number, device.blind(n))) == (422, "malformed")
    assert said(device.lot(41, [])) == (422, "malformed")


def test_the_same_lot_gets_the_same_signatures_and_another_one_none(opened: Survey) -> None:
    device = make(opened, 3)
    device.set_up()
    messages = device.blind(3)
    answers = [device.lot(0, messages) for _time in range(2)]
    assert [said(answer) for answer in answers] == [(200, "signed")] * 2
    assert answers[0].json() == answers[1].json()
    assert said(device.lot(0, device.blind(3))) == (422, "another lot")
    assert said(device.lot(0, messages[::-1])) == (422, "another lot")
    assert FieldLot.objects.count() == 1


def test_before_its_set_up_a_device_gets_nothing_and_a_message_beyond_the_key_is_malformed(
    opened: Survey,
) -> None:
    device = make(opened, 1)
    assert said(device.lot(0, device.blind(1))) == (403, "unknown code")
    device.set_up()
    body = {"secret": device.secret, "lot": 0, "blinded": ["_" * 341 + "w"]}
    assert said(simulated.post(opened, "lot", body)) == (422, "malformed")
    assert said(simulated.post(opened, "lot", body | {"blinded": ["x"]})) == (422, "malformed")
    assert said(simulated.post(opened, "lot", body | {"more": 1})) == (422, "malformed")
    assert not FieldLot.objects.exists()


def test_one_lot_a_second_is_signed_for_all_devices_of_a_process(
    opened: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = make(opened, 1)
    device.set_up()
    now = 10_000.0
    monkeypatch.setattr(PACE, "_clock", lambda: now)
    monkeypatch.setattr(PACE, "_last", 0.0)
    messages = device.blind(1)
    assert said(device.lot(0, messages)) == (200, "signed")
    late = device.lot(0, messages)
    assert said(late) == (429, "too often")
    assert late["Retry-After"] == "1"
    # A stranger's requests do not use up the second.
    assert said(make(opened).lot(0, messages)) == (403, "unknown code")
    times = iter([0.0, 0.0, 0.9, 1.0, 1.0])
    pace = LotPace(lambda: next(times))
    assert [pace.try_acquire(), pace.try_acquire(), pace.try_acquire()] == [True, False, True]


@pytest.mark.parametrize("state", ["closed", "finished"])
def test_a_survey_that_is_not_open_sets_up_nothing(state: str) -> None:
    over = simulated.survey(ASKS, state=state)
    with pytest.raises(NotAllowed):
        make(over)
    device = Device(over, ASKS, simulated.random_text())
    assert said(device.set_up()) == (410, "closed")
    assert said(device.lot(0, device.blind(1))) == (410, "closed")


def test_a_survey_without_field_devices_has_none() -> None:
    plain = asked.survey(asked.design())
    with pytest.raises(NotAllowed, match="before a survey is opened"):
        make(plain)
    assert said(Device(plain, ASKS, simulated.random_text()).set_up()) == (403, "unknown code")
    assert said(simulated.post(plain, "record", {"sealed": "A"})) == (422, "not a record of this design")


def test_a_report_is_in_fives_and_says_no_time(opened: Survey) -> None:
    device = make(opened)
    device.set_up()
    assert devices.list_devices(opened)[0].asked_text == "fewer than 5"
    assert said(device.report(35, waiting=True)) == (200, "noted")
    (row,) = devices.list_devices(opened)
    assert (row.asked_text, row.device.is_waiting) == ("about 35", True)
    for body in ({"asked": 34}, {"asked": -5}, {"asked": 2005}, {"waiting": 1}, {"asked": "5"}):
        wrong = {"secret": device.secret, "asked": 5, "waiting": False} | body
        assert said(simulated.post(opened, "report", wrong)) == (422, "malformed")
    times = [f.name for f in FieldDevice._meta.get_fields() if "Date" in type(f).__name__]
    assert times == []


def test_no_column_leads_from_a_device_or_lot_to_a_token_or_record() -> None:
    names = {model: {f.name for f in model._meta.get_fields()} for model in (FieldDevice, FieldLot)}
    assert names[FieldDevice] == {
        *(
            "id",
            "survey",
            "label",
            "people",
            "ticket",
            "secret",
            "asked",
            "is_waiting",
            "is_withdrawn",
            "lots",
        )
    }
    assert names[FieldLot] == {"id", "device", "number", "hash"}


@pytest.mark.parametrize("name", ["device", "lot", "report", "record"])
def test_what_browsers_send_from_elsewhere_is_refused_as_for_records(opened: Survey, name: str) -> None:
    foreign = simulated.post(opened, name, {}, **{"Sec-Fetch-Site": "cross-site"})
    assert said(foreign) == (403, "not sent by our page")
    assert said(simulated.post(opened, name, {}, content_type="text/plain")) == (422, "malformed")
    assert said(simulated.post(opened, name, "x" * 30_000)) == (413, "too long")
    assert said(simulated.post(opened, name, '{"secret": 1, "secret": 2}')) == (422, "malformed")
    assert asked.CLIENT.get(f"/a/{opened.slug}/field/{name}").status_code == 405
    absent = Survey(slug="not-there")
    assert said(simulated.post(absent, name, {})) == (404, "no such survey")


def test_making_and_withdrawing_are_in_the_history(opened: Survey) -> None:
    make(opened)
    withdraw(opened)
    acts = [(act.what, act.note) for act in History.objects.about(opened).order_by("pk")]
    assert acts == [(devices.MADE, "Tablet 3"), (devices.WITHDRAWN, "Tablet 3")]


def test_finishing_and_deleting_end_keys_and_devices(opened: Survey) -> None:
    device, now = make(opened, 1), timezone.now()
    device.set_up()
    device.fetch(1)
    deleted = simulated.survey(ASKS)
    make(deleted)
    for survey in (opened, deleted):
        state_changes.close_survey(survey, None, now)
    assert FieldKeys.objects.count() == 2
    state_changes.finish_survey(opened, None, now + timedelta(hours=2))
    assert set(FieldKeys.objects.values_list("survey", flat=True)) == {deleted.pk}
    assert not FieldLot.objects.exists()
    swept = {row.table for row in Sweep.objects.all()}
    assert {"surveys_fieldkeys", "field_fielddevice", "field_fieldlot"} <= swept
    state_changes.destroy_survey(deleted, None, now)
    assert not FieldKeys.objects.exists()
    assert not FieldDevice.objects.exists()
