"""The fixed cast around one survey with one run that is done; wake-up messages go to a folder of the test's."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail as outgoing
from django.core.mail import EmailMessage
from django.test import Client

from accounts import mail
from accounts.models import Person
from reports.models import Review
from reports.review import public_page_switch as links
from runs.models import Run
from surveys.models import Survey
from tests.cast import (
    cast,
    client,
    db,
    judging,
    kept,
    owner,
    partial,
    reading,
    reviewer,
    signed_in_as,
    stranger,
    superuser,
    viewer,
)
from tests.jobs.conftest import broker
from tests.reports import made
from tests.reports.paged import Desk
from tests.runs.conftest import folder
from tests.runs.working import group_tests_once
from tests.surveys.conftest import NOW

__all__ = ["broker", "cast", "client", "db", "folder", "group_tests_once", "judging", "owner", "partial"]
__all__ += ["reading", "reviewer", "signed_in_as", "stranger", "superuser", "viewer"]

Letters = Callable[[], list[EmailMessage]]
Sent = Callable[[Callable[[], object]], list[EmailMessage]]
SITE = "https://candor.example.org"


@pytest.fixture
def survey(owner: Person) -> Survey:
    return made.survey(owner, title={"en": "Work & health", "zh-hans": "工作与健康"})


@pytest.fixture
def run(survey: Survey) -> Run:
    return made.run(survey)


@pytest.fixture
def review(run: Run) -> Review:
    """It waits."""
    return made.waiting(run)


@pytest.fixture
def desk(review: Review, judging: Client) -> Desk:
    return Desk(judging, review)


@pytest.fixture
def published(review: Review, reviewer: Person) -> Review:
    """With rule 1 and the shares within the classes of age."""
    made.publish(review, reviewer, ["age"], 1)
    return review


@pytest.fixture
def of_owner(review: Review, reviewer: Person, reading: Client) -> Client:
    """The owner, who may read the report and its shares within the classes of age."""
    made.publish(review, reviewer, ["age"])
    return reading


@pytest.fixture
def shared(published: Review, owner: Person) -> Review:
    """Its public page is open."""

    def make() -> Review:
        links.open_page(published, owner, NOW)
        published.refresh_from_db()
        return published

    return kept(("shared",), make, lambda _first: Review.objects.with_surveys().get(pk=published.pk))


@pytest.fixture
def letters() -> Letters:
    """What has been sent so far, once the post office has nothing left to do."""

    def read() -> list[EmailMessage]:
        mail.mail_thread.submit(int).result()
        return list(outgoing.outbox)

    return read


@pytest.fixture
def sent(letters: Letters, django_capture_on_commit_callbacks: Any) -> Sent:
    """What is sent when this is done."""

    def do(act: Callable[[], object]) -> list[EmailMessage]:
        before = len(letters())
        with django_capture_on_commit_callbacks(execute=True):
            act()
        return letters()[before:]

    return do
