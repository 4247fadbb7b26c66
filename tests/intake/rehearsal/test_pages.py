"""A rehearsal's respondents from a page: who may ask for them, and that each answers once, whoever dies."""

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import History, Person
from intake.rehearsal import simulating, starting as rehearsing, truth
from intake.rehearsal.models import Simulation
from jobs.models import State
from surveys.lifecycle import counts
from surveys.models import Survey
from surveys.not_allowed import NotAllowed
from tests.cast import As
from tests.intake import asked
from tests.jobs.attempts import attempt
from tests.surveys.staff import ASKS

pytestmark = [pytest.mark.django_db, pytest.mark.page]
REHEARSAL = {"rehearsal": True}


@pytest.fixture
def rehearsal(owner: Person) -> Survey:
    draft = {**ASKS.as_json(), **REHEARSAL, "least": 20}
    sections = draft.pop("sections")
    return asked.survey(asked.written(*sections, **draft), owner=owner, draft={**draft, "sections": sections})


def address(survey: Survey) -> str:
    return f"/surveys/{survey.pk}/rehearse"


def performed(job: Simulation) -> Simulation:
    attempt(job)
    job.refresh_from_db()
    return job


def test_nobody_signed_in_is_sent_to_sign_in(rehearsal: Survey) -> None:
    assert "/account/sign-in" in Client().get(address(rehearsal))["Location"]


def test_a_stranger_finds_nothing(rehearsal: Survey, stranger: Person, signed_in_as: As) -> None:
    assert signed_in_as(stranger).get(address(rehearsal)).status_code == 404


def test_a_reviewer_sees_the_survey_but_may_not_rehearse_it(
    rehearsal: Survey, reviewer: Person, signed_in_as: As
) -> None:
    assert signed_in_as(reviewer).get(address(rehearsal)).status_code == 403


def test_the_wrong_method_is_refused(rehearsal: Survey, owner: Person, signed_in_as: As) -> None:
    assert signed_in_as(owner).put(address(rehearsal)).status_code == 405


def test_the_owner_asks_and_they_answer_through_the_intake(
    rehearsal: Survey, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    assert client.post(address(rehearsal), {"n": "300"}).status_code == 302
    job = performed(Simulation.objects.get())
    assert job.state == State.DONE
    assert counts.of(rehearsal).received == 300
    assert truth.answered(rehearsal) == 300
    assert History.objects.filter(what="intake.rehearsed", note="300").exists()
    assert "300" in client.get(address(rehearsal)).content.decode()


@pytest.mark.parametrize("n", ["", "0", "100001", "many"])
def test_an_impossible_number_is_refused_at_its_field(
    rehearsal: Survey, owner: Person, signed_in_as: As, n: str
) -> None:
    page = signed_in_as(owner).post(address(rehearsal), {"n": n})
    assert page.status_code == 200
    assert 'aria-invalid="true"' in page.content.decode()
    assert not Simulation.objects.exists()


def test_a_survey_of_real_people_takes_none(owner: Person, signed_in_as: As) -> None:
    survey = asked.survey(ASKS, owner=owner, draft=ASKS.as_json())
    signed_in_as(owner).post(address(survey), {"n": "10"})
    assert not Simulation.objects.exists()


def test_two_crowds_at_once_are_refused(rehearsal: Survey, owner: Person) -> None:
    rehearsing.start(rehearsal, owner, 10, timezone.now())
    with pytest.raises(NotAllowed, match="still answering"):
        rehearsing.start(rehearsal, owner, 10, timezone.now())


def test_an_attempt_that_died_half_way_is_gone_on_with(
    rehearsal: Survey, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulating, "CHUNK", 50)
    job = rehearsing.start(rehearsal, owner, 120, timezone.now())
    simulating.simulate(rehearsal, 50)  # what the first attempt had stored when it was killed
    performed(job)
    assert counts.of(rehearsal).received == 120
    assert truth.answered(rehearsal) == 120


def test_closing_meanwhile_ends_it_with_a_reason(rehearsal: Survey, owner: Person) -> None:
    job = rehearsing.start(rehearsal, owner, 10, timezone.now())
    Survey.objects.filter(pk=rehearsal.pk).update(state=Survey.State.CLOSED, closed_at=timezone.now())
    assert performed(job).state == State.FAILED
    assert "open rehearsal" in str(job.problem)
