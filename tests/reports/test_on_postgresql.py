"""A report's whole life on PostgreSQL, migrated as in production."""

from collections.abc import Iterator

import psycopg
import pytest

from tests import servers
from tests.conftest import Migrated

pytestmark = pytest.mark.server

PUBLISH = """
from django.utils import timezone
from accounts import role_assignment
from accounts.models import RESEARCHERS, REVIEWERS, Person
from reports.review import report_state_changes, rule_decisions
from reports.models import Review
from tests.reports import made
now = timezone.now()
owner, reviewer = (Person.objects.create(username=name, email=f"{name}@x.org") for name in ("owner", "reviewer"))
role_assignment.give_role(reviewer, REVIEWERS, by=None)
made.run(made.survey(owner))
report_state_changes.create_reviews_of_finished_runs(now)
review = Review.objects.with_surveys().get()
rules = rule_decisions.rules_with_verdicts(review.run)
rule_decisions.decide_rules(review, reviewer, rules, rule_decisions.Verdict.REJECT, "", now)
rule_decisions.decide_rules(review, reviewer, rules.filter(place=0), rule_decisions.Verdict.ACCEPT, "", now)
report_state_changes.publish(review, reviewer, ["age"], "", now)
"""
LIST = """
from runs.models import Run
from reports.review.rule_decisions import rules_with_verdicts
from reports.pages.rule_filter_form import RuleFilter
from reports.answer_labels import Labels
from tests.reports import made
for wanted in ({}, {"verdict": "reject"}, {"association": "none"}):
    form = RuleFilter(Labels(made.design()), wanted, verdicts=True)
    print([row.place + 1 for row in form.filter_rules(rules_with_verdicts(Run.objects.get())).order_by("place")])
"""
COUNT = """
from reports.review import rule_decisions
from reports.models import Review
from reports.review.report_page_data import ReportPage
review = Review.objects.with_surveys().get()
print(rule_decisions.count_by_verdict(review.run))
report = ReportPage(review, whole=False)
print([row.items.strip() for row in report.itemsets.order_by("place")])
"""
INVITE = """
from django.utils import timezone
from accounts.models import Person
from reports.models import Review
from reports.review.report_page_data import bases_of_decisions
from surveys.lifecycle import survey_people
from surveys.models import Survey
survey, now = Survey.objects.get(), timezone.now()
for part in (survey_people.InvitedRole.REVIEWER, survey_people.InvitedRole.VIEWER):
    person = Person.objects.create(username=f"a-{part}", email=f"a-{part}@x.org")
    invitation = survey_people.invite_by_email(survey, survey.owner, f"A-{part}@X.org", part, now)
    survey_people.accept_invitation(invitation, person, now)
print(survey.named_reviewers.get().person, survey.collaborators.get().person)
bases = sorted(map(str, bases_of_decisions(Review.objects.get().run)))
print(bases, sorted(person.username for person in survey.reviewers()))
"""
DESTROY = """
from django.utils import timezone
from reports.models import Decision, Publication, Review
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
survey = Survey.objects.get()
print(Review.objects.count(), Decision.objects.count(), Publication.objects.count())
lifecycle.close_survey(survey, survey.owner, timezone.now())
lifecycle.destroy_survey(survey, survey.owner, timezone.now())
print(Review.objects.count(), Decision.objects.count(), Publication.objects.count())
"""


DESTROY_MEANWHILE = """
from runs.models import Run
from tests.runs import test_at_once as overlapping
def accept_all(run):
    review = Review.objects.with_surveys().get(run=run)
    rule_decisions.decide_rules(
        review, reviewer, rule_decisions.rules_with_verdicts(run), rule_decisions.Verdict.ACCEPT, "", now
    )
acts = {
    "taken in": lambda run: report_state_changes.create_reviews_of_finished_runs(now),
    "decided": accept_all,
}
for name, act in acts.items():
    survey = made.survey(owner)
    lifecycle.close_survey(survey, owner, now)
    run = made.run(survey)
    if name != "taken in":
        report_state_changes.create_reviews_of_finished_runs(now)
    print(name, overlapping.destroyed_meanwhile(survey, lambda: act(run)))
"""


@pytest.fixture(scope="module")
def env(migrate: Migrated) -> dict[str, str]:
    return migrate("reports")


@pytest.fixture(scope="module")
def output_lines(env: dict[str, str]) -> list[str]:
    """What one process publishes and answers: three lines to LIST, two to COUNT, then two to INVITE."""
    return servers.manage(env, "shell", "--verbosity=0", "-c", PUBLISH + LIST + COUNT + INVITE).splitlines()


@pytest.fixture
def database(env: dict[str, str], output_lines: list[str]) -> Iterator[psycopg.Connection]:
    with psycopg.connect(env["DATABASE_URL"]) as connection:
        yield connection
        connection.rollback()


def test_rules_verdicts_and_parts_are_listed_and_rights_are_read_as_on_sqlite(
    output_lines: list[str],
) -> None:
    assert output_lines[:3] == ["[1, 2, 3, 4]", "[2, 3, 4]", "[3, 4]"]
    assert output_lines[3:5] == [
        "{'accept': 1, 'reject': 3, 'more_data': 0, 'undecided': 0}",
        "['3', '5', '3 5']",
    ]
    assert output_lines[5:] == ["a-reviewer a-viewer", "['role'] ['reviewer']"]


def test_what_was_published_is_never_rewritten_nor_sampled(database: psycopg.Connection) -> None:
    for statement in (
        "UPDATE reports_decision SET verdict = 'accept'",
        "UPDATE reports_publication SET content = '{}'",
        "INSERT INTO reports_decision SELECT * FROM reports_decision ON CONFLICT (id) DO UPDATE SET note = 'x'",
    ):
        with pytest.raises(psycopg.IntegrityError, match="append-only"), database.transaction():
            database.execute(statement)
    # It leaves no samples in the statistics.
    database.execute("ANALYZE reports_publication")
    kept = database.execute("SELECT attname FROM pg_stats WHERE tablename = 'reports_publication'").fetchall()
    assert not {"content", "rules"} & {name for (name,) in kept}


def test_what_was_found_goes_with_the_survey_also_while_its_report_changes(migrate: Migrated) -> None:
    said = servers.manage(
        migrate("destroyed"), "shell", "--verbosity=0", "-c", PUBLISH + DESTROY + DESTROY_MEANWHILE
    )
    done = "['done', 'done']"
    assert said.splitlines() == ["1 5 1", "0 0 0", f"taken in {done}", f"decided {done}"]
