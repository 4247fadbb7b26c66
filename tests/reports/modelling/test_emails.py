"""The e-mail about a model that is published after its report."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.core.mail import EmailMessage
from django.db import transaction
from django.test import Client

from accounts.models import Person
from reports.models import Decision, Review
from reports.review import publishing, regression_decisions as judging
from runs.models import Model, Run
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.reports.conftest import Letters
from tests.reports.paged import desk
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page]
Capture = Callable[..., AbstractContextManager[Any]]
SITE = "https://candor.example.org"


@pytest.fixture
def model(published: Review, run: Run, owner: Person, reviewer: Person) -> Model:
    """Accepted, of a run whose report is published."""
    found: Model = sealed.model(run, owner).model
    judging.decide_model(published, reviewer, found, Decision.Verdict.ACCEPT, "", NOW)
    return found


@pytest.fixture
def sent(
    published: Review,
    model: Model,
    reviewer: Person,
    letters: Letters,
    django_capture_on_commit_callbacks: Capture,
) -> Callable[[], list[EmailMessage]]:
    """Publishes the model; what was sent then."""

    def publish() -> list[EmailMessage]:
        with django_capture_on_commit_callbacks(execute=True):
            judging.publish_model(published, reviewer, model, SITE, NOW)
        return letters()

    return publish


def test_those_who_work_on_the_survey_get_one_email_that_names_the_model_and_leads_to_it(
    sent: Callable[[], list[EmailMessage]],
    published: Review,
    model: Model,
    reviewer: Person,
    viewer: Person,
    stranger: Person,
    client: Client,
    owner: Person,
) -> None:
    viewer.language = "zh-hans"
    viewer.save(update_fields=["language"])
    email, in_chinese = sent()
    assert (email.to, in_chinese.to) == (["owner@example.org"], ["viewer@example.org"])
    assert str(email.subject).startswith("A model is published: ")
    assert str(in_chinese.subject).startswith("模型已发布：")
    assert "Model 1 of Run 1" in email.body
    # It says nothing that the model found.
    for said in ("theft", "sex", "age", f"{model.numbers['n']}", "%"):
        assert said not in f"{email.subject} {email.body}".lower().replace("message", ""), said
    path = f"/app/reports/{published.pk}/models"
    assert f"{SITE}{path}#model-1\n" in email.body
    client.force_login(owner)
    assert 'id="model-1"' in client.get(path).content.decode()
    # A model that is not published sends none.
    with pytest.raises(NotAllowed, match="is not published again"):
        sent()
    again = sealed.model(model.run, model.run.survey.owner, item="theft=yes", on=["sex"]).model
    with pytest.raises(NotAllowed, match="Accept this model first"):
        judging.publish_model(published, reviewer, again, SITE, NOW)


def test_none_is_sent_about_what_is_rolled_back(
    published: Review,
    model: Model,
    reviewer: Person,
    letters: Letters,
    django_capture_on_commit_callbacks: Capture,
) -> None:
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        judging.publish_model(published, reviewer, model, SITE, NOW)
        transaction.set_rollback(True)
    assert letters() == []


def test_models_published_with_their_report_are_in_its_email(
    run: Run,
    review: Review,
    owner: Person,
    reviewer: Person,
    letters: Letters,
    django_capture_on_commit_callbacks: Capture,
) -> None:
    judging.decide_model(review, reviewer, sealed.model(run, owner).model, Decision.Verdict.ACCEPT, "", NOW)
    with django_capture_on_commit_callbacks(execute=True):
        publishing.publish(review, reviewer, [], SITE, NOW)
    (email,) = letters()
    assert str(email.subject).startswith("A report is published: ")


def test_withdrawing_the_report_sends_one_email_for_it_and_its_models(
    sent: Callable[[], list[EmailMessage]],
    published: Review,
    reviewer: Person,
    letters: Letters,
    django_capture_on_commit_callbacks: Capture,
) -> None:
    before = len(sent())
    with django_capture_on_commit_callbacks(execute=True):
        publishing.withdraw(published, reviewer, "Forged records.", SITE, NOW)
    (email,) = letters()[before:]
    assert "Forged records.\n\nIts models are withdrawn with it.\n\nhttp" in email.body


def test_the_button_sends_it_with_the_sites_address(
    client: Client,
    model: Model,
    reviewer: Person,
    letters: Letters,
    django_capture_on_commit_callbacks: Capture,
) -> None:
    client.force_login(reviewer)
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(desk("models/1/publish"), follow=True)
    assert "Model published. Collaborators get an email." in answer.content.decode()
    (email,) = letters()
    assert "http://testserver/app/reports/" in email.body
