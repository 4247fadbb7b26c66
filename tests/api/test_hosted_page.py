"""The frozen page of a survey that another host serves is downloaded by those who may see the survey."""

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from accounts.models import Person
from intake.hosted import frozen_page
from surveys.lifecycle import survey_creation
from tests.api.conftest import program
from tests.surveys import drafts

pytestmark = [pytest.mark.django_db, pytest.mark.page]


def test_only_who_may_see_the_survey_downloads_its_frozen_page(
    owner: Person, stranger: Person, settings: Settings
) -> None:
    settings.SITE_URL = "https://research.example.org"
    draft = drafts.complete(open_answers=False, asked_at={"host": "https://ethics.example.edu"})
    survey = survey_creation.create_survey_from_draft(owner, draft, "surveys.created", timezone.now())
    address = f"/api/1/surveys/{survey.pk}/page"
    assert program(owner).get(address).status_code == 404
    folder = frozen_page.freeze_page(survey, owner, timezone.now())
    assert program(owner).get(address).content == bytes(folder.content)
    assert program(stranger).get(address).status_code == 404
