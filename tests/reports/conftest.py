"""The fixed cast around one survey with one run that is done; wake-up messages go to a folder of the test's."""

from collections.abc import Callable

import pytest
from django.core import mail as sent
from django.core.mail import EmailMessage

from accounts import mail
from accounts.models import Person
from reports.models import Review
from reports.review import publishing
from runs.models import Run
from surveys.models import Survey
from tests.cast import partial, viewer
from tests.reports import made
from tests.reports.paged import accept
from tests.surveys.conftest import NOW
from tests.wake_ups import broker

__all__ = ["broker", "partial", "viewer"]

Letters = Callable[[], list[EmailMessage]]


@pytest.fixture
def survey(owner: Person) -> Survey:
    return made.survey(owner)


@pytest.fixture
def run(survey: Survey) -> Run:
    return made.run(survey)


@pytest.fixture
def review(run: Run) -> Review:
    """It waits."""
    publishing.add_finished_runs(NOW)
    return Review.objects.with_surveys().get()


@pytest.fixture
def published(review: Review, reviewer: Person) -> Review:
    """With rule 1 and the shares within the classes of age."""
    accept(review, reviewer, 1)
    publishing.publish(review, reviewer, ["age"], "", NOW)
    return review


@pytest.fixture
def letters() -> Letters:
    """What has been sent so far, once the post office has nothing left to do."""

    def read() -> list[EmailMessage]:
        mail.mail_thread.submit(int).result()
        return list(sent.outbox)

    return read
