"""A rehearsal holds no secret: people who work on it read its whole run before any reviewer has decided."""

import pytest
from django.db import connection
from django.urls import reverse

from accounts.models import Person
from reports.models import Review
from reports.review import publishing
from reports.review.report_links_for_runs import report_links
from runs.models import Run
from surveys.models import Survey
from tests.cast import As, joined, somebody
from tests.reports import made
from tests.reports.paged import PAGES, POSTS, PUBLISHED, WHOLE, accept, desk, reader, shown
from tests.reports.test_access import all_say, answers
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
NOTICE = "In a real survey somebody else would now decide"
FILES = [page for page in PUBLISHED if page not in PAGES]


@pytest.fixture
def survey(owner: Person) -> Survey:
    return made.survey(owner, rehearsal=True)


def test_its_owner_and_collaborators_read_all_of_it_at_once(
    review: Review, owner: Person, signed_in_as: As
) -> None:
    assert all_say(200, answers(signed_in_as(owner), PAGES))
    client = signed_in_as(joined(review.survey, somebody("ada"), may_edit=False))
    for page in ("", "rules", "itemsets"):
        assert NOTICE in shown(client, reader(page))
    assert review.run.rule_count == 4
    assert all(client.get(reader(f"rules/{number}")).status_code == 200 for number in range(1, 5))
    assert "/app/admin/" not in client.get(reader("rules/1")).text
    assert "Nobody has published it." in shown(client, reader(""))


def test_nobody_else_reads_it(
    review: Review, stranger: Person, superuser: Person, reviewer: Person, signed_in_as: As
) -> None:
    assert all_say(404, answers(signed_in_as(stranger), PAGES))
    for person, pages in ((superuser, PAGES[1:]), (reviewer, ["rules", "rules/1"])):
        assert all_say(403, answers(signed_in_as(person), pages))
        assert NOTICE not in shown(signed_in_as(person), reader(""))


def test_a_draft_that_calls_itself_a_rehearsal_does_not_make_its_design_one(
    review: Review, owner: Person, signed_in_as: As
) -> None:
    real = made.waiting(made.run(made.survey(owner)))
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER surveys_survey_opened")
    draft = {**real.survey.draft, "rehearsal": True}
    Survey.objects.filter(pk=real.survey.pk).update(draft=draft)
    assert Survey.objects.get(pk=real.survey.pk).is_rehearsal
    assert signed_in_as(owner).get(reader("rules", real)).status_code == 403
    assert signed_in_as(owner).get(reader("rules", review)).status_code == 200


def test_nothing_of_it_leaves_and_its_owner_decides_nothing(
    review: Review, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    assert all_say(403, answers(client, FILES))
    assert all_say(302, answers(client, WHOLE, desk))
    data = {"verdict": "accept", "which": "fitting", "fitting": "4", "reason": "No."}
    assert all_say(302, answers(client, POSTS, desk, **data))
    assert Review.objects.get().state == "waiting"


def test_a_reviewer_may_still_review_it_and_then_it_is_read_as_any_report(
    review: Review, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    accept(review, reviewer, 1)
    assert NOTICE in shown(signed_in_as(owner), reader("rules"))
    made.publish(review, reviewer)
    assert NOTICE not in shown(signed_in_as(owner), reader("rules"))
    assert signed_in_as(owner).get(reader("rules/2")).status_code == 404
    publishing.withdraw(Review.objects.get(), reviewer, "A mistake.", "", NOW)
    assert all_say(403, answers(signed_in_as(owner), PAGES[1:]))


def test_the_finished_run_leads_there(run: Run, owner: Person, stranger: Person, signed_in_as: As) -> None:
    """Also before the next tick has made the report."""
    assert not Review.objects.exists()
    home = signed_in_as(owner).get(reverse("ui:signed-in-home")).text
    report = Review.objects.get()
    assert f'href="{report.get_absolute_url()}">Read the report' in home
    assert [link.url for link in report_links(run, owner)] == [report.get_absolute_url()]
    assert report_links(run, stranger) == []
