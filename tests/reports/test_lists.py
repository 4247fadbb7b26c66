"""Lists ask the database as often for six reports as for two, and list what each person may see."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts import role_assignment
from accounts.models import REVIEWERS, Person
from reports.models import Review
from reports.review import emails, publishing
from surveys.models import Collaborator, Survey
from tests.cast import As, somebody
from tests.reports import made
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def asked(call: Callable[[], Any]) -> int:
    with CaptureQueriesContext(connection) as queries:
        call()
    return len(queries)


@pytest.fixture
def make(owner: Person, viewer: Person) -> Callable[[int], None]:
    """So many more surveys with somebody who works on them, and a run that waits."""

    def more(count: int) -> None:
        for _ in range(count):
            survey = made.survey(owner)
            Collaborator.objects.create(survey=survey, person=viewer, may_edit=False)
            made.run(survey, rules=0)
        publishing.create_reviews_of_finished_runs(NOW)

    return more


@pytest.mark.at_push(1)
@pytest.mark.parametrize(
    ("who", "address"),
    [("reviewer", "/app/reports/"), ("viewer", "/app/reports/"), ("reviewer", "/app/admin/reports/review/")],
)
def test_a_list_of_six_reports_asks_no_more_than_one_of_two(
    request: pytest.FixtureRequest, make: Callable[[int], None], signed_in_as: As, who: str, address: str
) -> None:
    client = signed_in_as(request.getfixturevalue(who))
    make(2)
    client.get(address)
    two = asked(lambda: client.get(address))
    make(4)
    six = client.get(address).content.decode()
    assert asked(lambda: client.get(address)) == two
    assert all(f"Run {review.run.number}" in six for review in Review.objects.all())
    assert Review.objects.count() == 6


def test_the_database_lists_for_review_what_may_says(
    survey: Survey,
    review: Review,
    owner: Person,
    reviewer: Person,
    partial: Person,
    viewer: Person,
    stranger: Person,
    superuser: Person,
) -> None:
    role_assignment.give_role(viewer, REVIEWERS, by=None)
    role_assignment.give_role(superuser, REVIEWERS, by=None)
    cast = [
        Person.objects.get(pk=person.pk) for person in (owner, reviewer, partial, viewer, stranger, superuser)
    ]
    for person in cast:
        listed = Review.objects.to_review_by(person).filter(pk=review.pk).exists()
        assert listed is review.may(person, "review"), person
    assert [person.username for person in cast if review.may(person, "review")] == ["reviewer", "superuser"]


def test_a_letter_to_six_reviewers_asks_no_more_than_one_to_two(
    review: Review, reviewer: Person, partial: Person
) -> None:
    one = asked(lambda: emails.send_waiting(review))
    for number in range(5):
        role_assignment.give_role(somebody(f"reviewer-{number}"), REVIEWERS, by=None)
    assert asked(lambda: emails.send_waiting(review)) == one
