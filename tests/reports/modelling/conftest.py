"""The cast around a survey of two sealed batches, with a run that is done and its report."""

import pytest

from accounts.models import Person
from reports.models import Review
from runs.models import Run
from surveys.models import Survey
from tests.reports import made
from tests.runs import sealed


@pytest.fixture
def survey(owner: Person) -> Survey:
    return sealed.model_survey(owner)


@pytest.fixture
def run(survey: Survey, owner: Person, broker: object) -> Run:
    return sealed.model_run(survey, owner)


@pytest.fixture
def published(review: Review, reviewer: Person) -> Review:
    """The report with its shares, before any model."""
    made.publish(review, reviewer)
    return review
