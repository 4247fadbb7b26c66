"""Epsilon is stated for the disguised arm alone: never for people asked directly, never for both arms together."""

import pytest
from django.test import Client

from accounts.models import Person
from privacy.designs import Design
from surveys.models import Survey
from surveys.questionnaire.protection import weak_settings
from tests.cast import As
from tests.intake import asked
from tests.privacy.questionnaires import HALF, question, sensitive
from tests.reports.paged import shown

pytestmark = pytest.mark.page
TEN = [question(f"q{place}", *HALF) for place in range(10)]


def design(**more: str) -> Design:
    return asked.written(sensitive("0.5", *TEN), least=200, **more)


@pytest.fixture
def survey(owner: Person) -> Survey:
    return asked.survey(design(direct="0.5"), owner=owner)


@pytest.fixture
def client(owner: Person, signed_in_as: As) -> Client:
    return signed_in_as(owner)


def test_the_page_of_a_survey_says_for_whom_it_holds(survey: Survey, client: Client) -> None:
    page = shown(client, survey.get_absolute_url())
    assert (
        "ε = 6.94 (all sensitive answers together); this holds for people whose answers are disguised" in page
    )
    assert "people asked directly have no protection but the batch" in page
    assert "for each person" not in page


def test_without_arms_it_holds_for_each_person(owner: Person, client: Client) -> None:
    page = shown(client, asked.survey(design(), owner=owner).get_absolute_url())
    assert "ε = 6.94 for each person" in page
    assert "directly" not in page


def test_a_reviewer_reads_for_whom_it_holds(survey: Survey, reviewer: Person, signed_in_as: As) -> None:
    page = shown(signed_in_as(reviewer), f"/surveys/{survey.pk}/review")
    assert "Epsilon of a person whose answers are disguised" in page
    assert "Epsilon of one person" not in page
    assert "Only the batch protects their answers." in page


def test_a_weak_setting_says_for_whom_it_holds() -> None:
    problem, _direct = weak_settings(design(direct="0.5"))
    assert problem.reason == (
        "the epsilon of a person whose answers are disguised is 6.94, above 5; people asked directly have none"
    )


def test_how_it_works_says_that_the_direct_arm_has_none() -> None:
    page = shown(Client(), "/method")
    assert (
        "gamma is that of the disguised arm. The direct arm has none, and neither have both arms together"
        in page
    )
