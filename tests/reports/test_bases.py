"""By what right a report was decided on is stored with each decision and said on each page, whatever is set later."""

import json
from collections.abc import Iterable
from types import SimpleNamespace

import pytest
from django.db.models import Model
from django.utils import translation

from accounts.models import Person
from jobs.models import State
from reports.exports.file_formats import as_json_file
from reports.models import Decision, Publication, Review
from reports.pages.report_document import ReportDocument
from reports.review import emails as letters_about, publishing, rule_decisions
from reports.review.report_page_data import ReportPage, bases_of_decisions
from reports.texts.report_facts import Fact
from reports.texts.who_decided import who_decided_text
from runs.models import Run
from surveys.lifecycle import approvals
from surveys.models import NamedReviewer, Survey
from surveys.permission import Basis
from surveys.phrases.languages import SHIPPED
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As, somebody
from tests.reports import made
from tests.reports.conftest import Letters
from tests.reports.paged import WHOLE, accept, desk, reader, shown
from tests.reports.test_access import all_say, answers
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
RULE = "Somebody who does not work on the survey decided what is published."
OWNER = "The owner of the survey took part in deciding what is published"
NAMED = "The owner of the survey chose a reviewer who decided."


@pytest.fixture
def named(survey: Survey) -> Person:
    person = somebody("named")
    NamedReviewer.objects.create(survey=survey, person=person, address=person.email, when=NOW)
    return person


def said_of(review: Review) -> str:
    report = ReportPage(Review.objects.with_surveys().get(pk=review.pk), whole=False)
    facts: list[Fact] = ReportDocument(report, "en").context()["method"]
    return next(fact.value for fact in facts if fact.label == "Review")


def said_in_files(review: Review) -> dict[str, str]:
    report = ReportPage(Review.objects.with_surveys().get(pk=review.pk), whole=False)
    said: dict[str, str] = json.loads(as_json_file(report))["published"]
    return said


def publish(review: Review, by: Person) -> None:
    review = Review.objects.get(pk=review.pk)
    publishing.publish(review, by, [], "", NOW)


def test_what_a_reviewer_by_role_decides_is_said_as_ever(published: Review) -> None:
    assert bases_of_decisions(published.run) == {Basis.ROLE}
    assert said_of(published) == RULE
    assert said_in_files(published).keys() == {"when", "by"}


def test_decisions_without_a_basis_count_as_those_of_the_role() -> None:
    assert who_decided_text([]) == RULE


@pytest.mark.parametrize("who", ["named", "owner"])
def test_a_right_by_a_setting_is_said_also_after_it_is_set_back(
    who: str, review: Review, named: Person, owner: Person, settings: SimpleNamespace, signed_in_as: As
) -> None:
    person = {"named": named, "owner": owner}[who]
    with pytest.raises(NotAllowed, match="Nobody reviews a survey that they own"):
        accept(review, person, 1)
    settings.OWNERS_NAME_REVIEWERS, settings.ONE_PERSON_DOES_BOTH = who == "named", who == "owner"
    accept(review, person, 1)
    publish(review, person)
    settings.OWNERS_NAME_REVIEWERS = settings.ONE_PERSON_DOES_BOTH = False
    assert {row.basis for row in Decision.objects.all()} == {who}
    assert Publication.objects.get().basis == who
    assert {"named": NAMED, "owner": OWNER}[who] in said_of(review)
    assert (RULE in said_of(review)) is (who == "named")
    assert {"named": NAMED, "owner": OWNER}[who] in shown(signed_in_as(owner), reader(""))
    assert {"named": NAMED, "owner": OWNER}[who] in said_in_files(review)["review"]
    with pytest.raises(NotAllowed):
        publishing.withdraw(Review.objects.get(), person, "A mistake.", "", NOW)


def test_one_decision_by_such_a_right_is_enough_also_one_that_was_taken_back(
    review: Review, named: Person, reviewer: Person, settings: SimpleNamespace
) -> None:
    settings.OWNERS_NAME_REVIEWERS = True
    accept(review, named, 1)
    last = rule_decisions.last_decision(review, 1, named)
    assert last
    rule_decisions.undo_decision(Review.objects.get(), named, 1, last.pk, NOW)
    settings.OWNERS_NAME_REVIEWERS = False
    publish(review, reviewer)
    assert bases_of_decisions(review.run) == {Basis.NAMED, Basis.ROLE}
    assert NAMED in said_of(review)


def test_a_repeated_run_takes_over_by_what_right_it_was_decided(
    review: Review, owner: Person, reviewer: Person, settings: SimpleNamespace
) -> None:
    settings.ONE_PERSON_DOES_BOTH = True
    accept(review, owner, 1)
    settings.ONE_PERSON_DOES_BOTH = False
    first = review.run
    again = made.run_anew(review.survey, findings=None, rules=4, version="")
    Run.objects.filter(pk=again.pk).update(repeats=first.number, number=first.number + 1, state=State.DONE)
    again.refresh_from_db()
    rule_decisions.copy_decisions(Review(run=again), NOW)
    assert bases_of_decisions(again) == {Basis.OWNER}


def test_an_approval_by_such_a_right_is_said_on_each_report_of_the_design(
    published: Review, owner: Person, settings: SimpleNamespace
) -> None:
    settings.ONE_PERSON_DOES_BOTH = True
    survey = published.survey
    approvals.decide_approval(
        survey, owner, "records", survey.design_id or "", allow=True, reason="", now=NOW
    )
    assert OWNER in said_of(published)


def test_everybody_reads_it_in_their_language(
    review: Review, owner: Person, settings: SimpleNamespace
) -> None:
    settings.ONE_PERSON_DOES_BOTH = settings.OWNERS_NAME_REVIEWERS = True
    texts = set()
    for language in SHIPPED:
        with translation.override(language):
            texts |= {who_decided_text([Basis.OWNER]), who_decided_text([Basis.NAMED])}
    assert len(texts) == 2 * len(list(SHIPPED))


def test_who_reviews_without_the_role_opens_the_desk_of_this_survey_while_the_setting_is_on(
    review: Review, named: Person, owner: Person, signed_in_as: As, settings: SimpleNamespace
) -> None:
    for person in (named, owner):
        assert all_say(302, answers(signed_in_as(person), ["report", "publish"], desk))
    settings.OWNERS_NAME_REVIEWERS = settings.ONE_PERSON_DOES_BOTH = True
    for person, pages in ((named, WHOLE), (owner, ["rules/1", "publish"])):
        client = signed_in_as(person)
        assert all_say(200, answers(client, pages, desk))
        assert client.post(desk("rules/1/judge"), {"verdict": "accept"}).status_code == 302
        assert client.get("/app/admin/reports/review/").status_code == 302
    assert addresses(Decision.objects.all(), "reviewer") == {named.pk, owner.pk}


def addresses(rows: Iterable[Model], name: str) -> set[int]:
    return {getattr(row, f"{name}_id") for row in rows}


def test_the_letter_goes_to_who_may_review(
    review: Review,
    named: Person,
    owner: Person,
    reviewer: Person,
    letters: Letters,
    settings: SimpleNamespace,
) -> None:
    settings.OWNERS_NAME_REVIEWERS = settings.ONE_PERSON_DOES_BOTH = True
    letters_about.send_waiting(review)
    assert {letter.to[0] for letter in letters()} == {named.email, owner.email, reviewer.email}
