"""The researchers' page of field devices: a set-up link shown once, a list without a time, and withdrawing."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Person
from intake.field_devices import devices
from intake.field_devices.models import FieldDevice
from surveys.lifecycle import state_changes
from surveys.models import Collaborator, Survey
from tests.cast import As, somebody
from tests.intake import asked
from tests.intake.field import simulated
from tests.intake.field.conftest import ASKS
from tests.intake.field.simulated import Device
from tests.surveys import drafts

pytestmark = [pytest.mark.page, pytest.mark.django_db]
GIVEN = {"label": "Tablet 3", "people": "60"}


@pytest.fixture
def survey(owner: Person) -> Survey:
    return simulated.survey(ASKS, owner=owner)


def at(survey: Survey, place: str = "") -> str:
    return f"/app/surveys/{survey.pk}/field{place}"


def test_a_link_is_shown_once_with_its_code_and_sets_up_a_device(
    survey: Survey, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    assert "No field device yet" in client.get(at(survey)).text
    answer = client.post(at(survey, "/make"), GIVEN)
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    found = re.search(rf"http://testserver/a/{survey.slug}/field#([-\w]{{22}})", answer.text)
    assert found
    assert 'class="qr"' in answer.text
    page = client.get(at(survey)).text
    assert found[1] not in page
    assert "0 of 60 fetched" in page
    device = Device(survey, ASKS, found[1])
    assert device.set_up().json()["people"] == 60
    device.fetch(60)
    device.report(35, waiting=True)
    page = client.get(at(survey)).text
    for words in ("Tablet 3", "60 of 60 fetched", "about 35"):
        assert words in page
    # No day and no time, in the page's table either.
    table = page[page.index("<tbody") : page.index("</tbody")]
    assert not re.search(r"20\d\d|\d:\d\d", table)


def test_withdrawing_says_how_many_records_a_stolen_device_can_still_send(
    survey: Survey, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    device = Device(survey, ASKS, devices.make_device(survey, owner, "Tablet 3", 2, timezone.now()))
    row = FieldDevice.objects.get()
    assert "up to" not in client.get(at(survey, f"/{row.pk}/withdraw")).text
    device.set_up()
    device.fetch(2)
    assert "up to 2 records" in client.get(at(survey, f"/{row.pk}/withdraw")).text
    assert client.post(at(survey, f"/{row.pk}/withdraw")).status_code == 302
    row.refresh_from_db()
    assert row.is_withdrawn
    assert "withdrawn" in client.get(at(survey)).text
    assert "already" in client.post(at(survey, f"/{row.pk}/withdraw"), follow=True).text
    # What it holds still arrives.
    sent = simulated.envelope(ASKS, device.tokens[0])
    assert simulated.said(simulated.post(survey, "record", simulated.sealed(ASKS, sent)))[0] == 201
    other = simulated.survey(ASKS, owner=owner)
    assert client.get(at(other, f"/{row.pk}/withdraw")).status_code == 404


@pytest.mark.parametrize("given", [{"people": "0"}, {"people": "2001"}, {"label": ""}, {"label": "x" * 61}])
def test_what_is_out_of_range_makes_no_device(
    survey: Survey, owner: Person, signed_in_as: As, given: dict[str, str]
) -> None:
    assert signed_in_as(owner).post(at(survey, "/make"), GIVEN | given).status_code == 422
    assert not FieldDevice.objects.exists()


def test_only_people_who_may_invite_see_and_change_it(
    survey: Survey, owner: Person, stranger: Person, signed_in_as: As
) -> None:
    devices.make_device(survey, owner, "Tablet 3", 2, timezone.now())
    viewer, editor = somebody("viewer"), somebody("editor")
    Collaborator.objects.create(survey=survey, person=viewer, may_edit=False)
    Collaborator.objects.create(survey=survey, person=editor, may_edit=True)
    withdraw = at(survey, f"/{FieldDevice.objects.get().pk}/withdraw")
    for person, status in ((None, 302), (stranger, 404), (viewer, 403)):
        client = signed_in_as(person)
        assert client.get(at(survey)).status_code == status
        assert client.post(at(survey, "/make"), GIVEN).status_code == status
        assert client.post(withdraw).status_code == status
    assert FieldDevice.objects.filter(is_withdrawn=False).count() == 1
    assert signed_in_as(editor).post(at(survey, "/make"), GIVEN).status_code == 200
    assert signed_in_as(owner).get(at(survey, "/make")).status_code == 405
    assert signed_in_as(owner).post(at(survey)).status_code == 405


def test_without_the_switch_the_page_says_that_it_is_chosen_before_opening(
    owner: Person, signed_in_as: As
) -> None:
    client, words = signed_in_as(owner), "have to be chosen in the settings before a survey is opened"
    draft = Survey.objects.create(owner=owner, draft=drafts.complete())
    page = client.get(at(draft)).text
    assert words in page
    assert "#id_field_devices" in page
    opened = asked.survey(asked.design(), owner=owner)
    page = client.get(at(opened)).text
    assert words in page
    assert "/make" not in page
    assert client.post(at(opened, "/make"), GIVEN, follow=True).status_code == 200
    assert not FieldDevice.objects.exists()
    assert "/field" not in client.get(f"/app/surveys/{opened.pk}/").text
    assert at(opened) in client.get(f"/app/surveys/{opened.pk}/invitations").text


def test_closing_says_how_long_devices_may_send_and_finishing_asks(
    survey: Survey, owner: Person, signed_in_as: As
) -> None:
    client, now = signed_in_as(owner), timezone.now()
    assert at(survey) in client.get(f"/app/surveys/{survey.pk}/").text
    closing = client.get(f"/app/surveys/{survey.pk}/close").text
    assert "what waits on them for 7 days" in closing
    state_changes.close_survey(survey, owner, now)
    assert "Field devices may still send" in client.get(f"/app/surveys/{survey.pk}/finish").text
    Survey.objects.filter(pk=survey.pk).update(closed_at=now - timedelta(days=8))
    assert "Field devices may still send" not in client.get(f"/app/surveys/{survey.pk}/finish").text
    plain = asked.survey(asked.design(), owner=owner)
    assert "Field devices" not in client.get(f"/app/surveys/{plain.pk}/close").text
