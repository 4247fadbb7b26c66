"""Every page, for whom it is and for whom not; and by what right a report was decided on.

Of published reports, of rehearsals, and for former collaborators. The right is stored with each decision and said on
each page, whatever is set later.
"""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import translation

from accounts.models import REVIEWERS, Person
from jobs.models import State
from reports.exports.file_format_writers import as_json_file
from reports.models import Decision, Publication, Review
from reports.pages.report_document import ReportDocument
from reports.review import report_emails as letters_about, report_state_changes, rule_decisions
from reports.review.report_links_for_runs import report_links
from reports.review.report_page_data import ReportPage, bases_of_decisions
from reports.texts.design_sentences import say
from reports.texts.report_facts import Fact
from runs.models import Run
from surveys.lifecycle import reviewer_approvals, reviewer_approvals as asking, survey_people
from surveys.models import NamedReviewer, Survey
from surveys.permission import Basis
from surveys.phrases.languages import SHIPPED
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As, add_collaborator, unsaved_person, with_role
from tests.reports import made
from tests.reports.conftest import (
    PAGES,
    POSTS,
    PUBLISHED,
    WHOLE,
    Letters,
    accept,
    all_say,
    answers,
    decide,
    desk_page,
    page_text,
    reader,
)
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page

NOTHING = ["rules/9", "rules/0", "pictures/nothing.svg", "pictures/nothing.csv"]
GIVEN = {"verdict": "accept", "which": "fitting", "fitting": "4", "reason": "No."}
NOTICE = "In a real survey somebody else would now decide"
FILES = [page for page in PUBLISHED if page not in PAGES]


def test_published_report_is_read_by_viewers_of_the_survey_only(
    published_review: Review, viewer: Person, stranger: Person, signed_in_as: As, reading: Client
) -> None:
    assert all_say(302, answers(Client(), PUBLISHED))
    assert Client().get(reader("rules"))["Location"].startswith("/app/account/sign-in?next=")
    assert all_say(404, answers(signed_in_as(stranger), PUBLISHED))
    assert all_say(200, answers(signed_in_as(viewer), PUBLISHED))
    assert all_say(405, answers(reading, PUBLISHED, some="thing"))
    assert all_say(404, answers(reading, [*NOTHING, "files/exe"]))


def test_unpublished_report_is_refused(
    published_review: Review, owner: Person, superuser: Person, signed_in_as: As
) -> None:
    for state, person in (("waiting", owner), ("in-review", superuser), ("withdrawn", owner)):
        Review.objects.update(state=state)
        assert all_say(403, answers(signed_in_as(person), PUBLISHED[1:])), state


def test_front_page_before_publication_shows_no_result(
    review: Review, reviewer: Person, reading: Client
) -> None:
    page = page_text(reading, reader(""))
    assert "waits for a reviewer" in page
    assert "%" not in page
    made.publish(review, reviewer, ["age"], 1)
    report_state_changes.withdraw(review, reviewer, "Forged records.", "", NOW)
    page = page_text(reading, reader(""))
    assert "Forged records." in page
    assert "%" not in page


def test_review_desk_is_for_reviewers_outside_the_survey(
    review: Review, partial: Person, superuser: Person, signed_in_as: As, reading: Client, judging: Client
) -> None:
    # A reviewer is led there from the waiting page.
    assert desk_page("rules") in judging.get(reader("")).content.decode()
    assert desk_page("rules") not in signed_in_as(partial).get(reader("")).content.decode()
    assert all_say(302, answers(Client(), WHOLE, desk_page))
    assert Client().get(desk_page("report"))["Location"].startswith("/app/admin/login/?next=")
    assert all_say(403, answers(signed_in_as(partial), WHOLE, desk_page))
    assert all_say(403, answers(signed_in_as(superuser), ["report", "rules/1", "publish"], desk_page))
    assert all_say(302, answers(reading, WHOLE, desk_page))
    assert reading.get(desk_page("report"), follow=True).status_code == 403
    assert all_say(200, answers(judging, WHOLE, desk_page))
    assert all_say(404, answers(judging, NOTHING, desk_page))
    # What changes something takes only a POST, and what only shows takes none.
    changing = ["rules/decide", "rules/1/decide", "rules/1/judge", "rules/1/undo", "front-test"]
    assert all_say(405, answers(judging, changing, desk_page))
    assert all_say(405, answers(judging, WHOLE[:-2], desk_page, some="thing"))


def test_only_a_reviewer_without_a_share_in_it_changes_something(
    review: Review, partial: Person, superuser: Person, signed_in_as: As, reading: Client
) -> None:
    assert all_say(302, answers(Client(), POSTS, desk_page, **GIVEN))
    assert all_say(302, answers(reading, POSTS, desk_page, **GIVEN))
    assert all_say(403, answers(signed_in_as(partial), POSTS, desk_page, **GIVEN))
    some = ["rules/decide", "rules/1/judge", "publish", "withdraw"]
    assert all_say(403, answers(signed_in_as(superuser), some, desk_page, **GIVEN))
    assert Review.objects.get().state == "waiting"
    assert not Decision.objects.exists()


@pytest.fixture
def former_collaborator(survey: Survey, owner: Person) -> Person:
    person = with_role(REVIEWERS, "former")
    survey_people.add_collaborator(survey, owner, person, may_edit=True, now=NOW)
    survey_people.remove_collaborator(survey, owner, survey.collaborators.get(person=person), NOW)
    return person


def test_former_collaborator_cannot_review_the_survey(
    review: Review,
    owner: Person,
    former_collaborator: Person,
    reviewer: Person,
    signed_in_as: As,
    sent_emails: Letters,
) -> None:
    client = signed_in_as(former_collaborator)
    assert all_say(404, answers(client, ["report", "rules/1", "publish"], desk_page))
    assert all_say(404, answers(client, ["rules/decide", "publish", "withdraw"], desk_page, **GIVEN))
    assert client.get(reader("")).status_code == 404
    # The lists leave it out, and no letter asks them.
    for page in ("/app/reports/", "/app/admin/reports/review/", "/app/surveys/?state=all"):
        assert "Work &amp; health" not in client.get(page).text
    assert not Review.objects.to_review_by(former_collaborator).exists()
    assert not review.may(former_collaborator, "review")
    letters_about.send_waiting(review)
    assert [letter.to for letter in sent_emails()] == [[reviewer.email]]
    # Behind the pages they are refused too.
    review = Review.objects.get()
    with pytest.raises(NotAllowed, match="have worked on"):
        decide(review, former_collaborator, Decision.Verdict.ACCEPT, 1)
    with pytest.raises(NotAllowed, match="have worked on"):
        made.publish(review, former_collaborator)
    assert Review.objects.get().state == "waiting"
    assert not Decision.objects.exists()
    # Record files wait for somebody else.
    survey = review.survey
    asking.request_approval(survey, owner, "records", survey.design_id or "", "For a thesis.", NOW)
    assert asking.waiting_approvals(former_collaborator) == []
    assert [one.survey for one in asking.waiting_approvals(reviewer)] == [survey]


@pytest.fixture
def rehearsal(owner: Person) -> Review:
    """Its report waits."""
    return made.waiting_review(made.run(made.survey(owner, rehearsal=True)))


def test_owner_and_collaborators_of_a_rehearsal_read_its_whole_run_at_once_and_nobody_else(
    rehearsal: Review, stranger: Person, superuser: Person, reviewer: Person, signed_in_as: As,
    reading: Client,
) -> None:  # fmt: skip
    """It holds no secret."""
    assert all_say(200, answers(reading, PAGES))
    client = signed_in_as(add_collaborator(rehearsal.survey, unsaved_person("ada"), may_edit=False))
    for page in ("", "rules", "itemsets"):
        assert NOTICE in page_text(client, reader(page))
    assert rehearsal.run.rule_count == 4
    assert all(client.get(reader(f"rules/{number}")).status_code == 200 for number in range(1, 5))
    assert "/app/admin/" not in client.get(reader("rules/1")).text
    assert "Nobody has published it." in page_text(client, reader(""))
    assert all_say(404, answers(signed_in_as(stranger), PAGES))
    for person, pages in ((superuser, PAGES[1:]), (reviewer, ["rules", "rules/1"])):
        assert all_say(403, answers(signed_in_as(person), pages))
        waiting = page_text(signed_in_as(person), reader(""))
        assert NOTICE not in waiting
        assert "Nobody sees it" not in waiting, "owner and collaborators do"
    assert "Until then only reviewers" not in page_text(signed_in_as(reviewer), reader(""))
    assert "A reviewer checks" not in page_text(reading, f"/app/surveys/{rehearsal.survey.pk}/runs")
    # Its owner decides nothing.
    assert all_say(302, answers(reading, WHOLE, desk_page))
    assert all_say(302, answers(reading, POSTS, desk_page, **GIVEN))
    assert Review.objects.get().state == "waiting"


def test_who_works_on_a_rehearsal_gets_its_files_and_paper_before_anybody_decides_and_nobody_else(
    rehearsal: Review, review: Review, stranger: Person, reading: Client, signed_in_as: As
) -> None:
    for page in ("files", "files/json", "print"):
        assert reading.get(reader(page, rehearsal)).status_code == 200, page
        assert signed_in_as(stranger).get(reader(page, rehearsal)).status_code == 404
        assert reading.get(reader(page, review)).status_code == 403
    assert "A rehearsal on which nobody has decided" in page_text(reading, reader("files", rehearsal))
    assert "Nobody has published it." in page_text(reading, reader("print", rehearsal))
    assert not reading.get(reader("files/json", rehearsal)).json().get("rules")


def test_the_page_that_the_public_would_read_of_an_undecided_rehearsal_is_marked_in_its_language(
    rehearsal: Review, reviewer: Person, reading: Client
) -> None:
    page = reader("print", rehearsal)
    assert f'href="{page}">Look at it</a>' in reading.get(reader("files", rehearsal)).text
    mark, chinese = "Nobody has decided on this rehearsal", "还没有人对这次演练作出决定"
    assert (mark in page_text(reading, page), chinese in page_text(reading, f"{page}?lang=zh-hans")) == (
        True,
        True,
    )
    made.publish(rehearsal, reviewer)
    assert mark not in page_text(reading, page)


def test_the_letter_to_reviewers_says_that_nobody_else_sees_it_but_of_a_rehearsal(
    review: Review, rehearsal: Review, reviewer: Person, sent_emails: Letters
) -> None:
    for waiting in (review, rehearsal):
        letters_about.send_waiting(waiting)
    nobody = "Nobody sees what it found before a reviewer has decided."
    assert [nobody in letter.body for letter in sent_emails()] == [True, False]


def test_the_desk_says_who_can_see_the_report(review: Review, rehearsal: Review, judging: Client) -> None:
    said = [page_text(judging, desk_page("report", waiting)) for waiting in (review, rehearsal)]
    assert ["Only reviewers can see this." in page for page in said] == [True, False]
    assert "the people who work on this rehearsal can see this." in said[1]


def test_no_letter_goes_to_somebody_who_left_or_has_no_address(
    review: Review, reviewer: Person, sent_emails: Letters
) -> None:
    left, silent = unsaved_person("left", is_active=False), unsaved_person("silent")
    silent.email = ""
    letters_about.send_to_recipients("waiting", review, [reviewer, left, silent], "/")
    assert [letter.to for letter in sent_emails()] == [[reviewer.email]]


def test_a_draft_makes_its_design_no_rehearsal(rehearsal: Review, review: Review, reading: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER surveys_survey_opened")
    draft = {**review.survey.draft, "rehearsal": True}
    Survey.objects.filter(pk=review.survey.pk).update(draft=draft)
    assert Survey.objects.get(pk=review.survey.pk).is_rehearsal
    assert reading.get(reader("rules", review)).status_code == 403
    assert reading.get(reader("rules", rehearsal)).status_code == 200


def test_rehearsal_can_still_be_reviewed(rehearsal: Review, reviewer: Person, reading: Client) -> None:
    accept(rehearsal, reviewer, 1)
    assert NOTICE in page_text(reading, reader("rules"))
    made.publish(rehearsal, reviewer)
    assert NOTICE not in page_text(reading, reader("rules"))
    assert reading.get(reader("rules/2")).status_code == 404
    report_state_changes.withdraw(Review.objects.get(), reviewer, "A mistake.", "", NOW)
    assert all_say(403, answers(reading, PAGES[1:]))


def test_finished_rehearsal_links_to_its_report(owner: Person, stranger: Person, reading: Client) -> None:
    """Also before the next tick has made the report."""
    run = made.run(made.survey(owner, rehearsal=True))
    assert not Review.objects.exists()
    home = reading.get(reverse("ui:signed-in-home")).text
    report = Review.objects.get()
    assert f'href="{report.get_absolute_url()}">Read the report' in home
    assert [link.url for link in report_links(run, owner)] == [report.get_absolute_url()]
    assert report_links(run, stranger) == []


RULE = "Somebody who does not work on the survey decided what is published."
OWNER = "The owner of the survey took part in deciding what is published"
NAMED = "The owner of the survey chose a reviewer who decided."


@pytest.fixture
def named_reviewer(survey: Survey) -> Person:
    person = unsaved_person("named")
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
    report_state_changes.publish(review, by, [], "", NOW)


def test_what_a_reviewer_by_role_decides_is_said_as_ever(published_review: Review) -> None:
    assert bases_of_decisions(published_review.run) == {Basis.ROLE}
    assert said_of(published_review) == RULE
    assert said_in_files(published_review).keys() == {"when", "by"}


@pytest.mark.parametrize("who", ["named", "owner"])
def test_a_right_by_a_setting_is_said_also_after_it_is_set_back(
    who: str,
    review: Review,
    named_reviewer: Person,
    owner: Person,
    settings: SimpleNamespace,
    signed_in_as: As,
) -> None:
    person, text = {"named": (named_reviewer, NAMED), "owner": (owner, OWNER)}[who]
    with pytest.raises(NotAllowed, match="Nobody reviews a survey that they own"):
        accept(review, person, 1)
    settings.OWNERS_NAME_REVIEWERS, settings.ONE_PERSON_DOES_BOTH = who == "named", who == "owner"
    accept(review, person, 1)
    publish(review, person)
    settings.OWNERS_NAME_REVIEWERS = settings.ONE_PERSON_DOES_BOTH = False
    assert {row.basis for row in Decision.objects.all()} == {who}
    assert Publication.objects.get().basis == who
    assert (RULE in said_of(review)) is (who == "named")
    assert said_in_files(review)["by"] == {"named": "reviewer", "owner": "owner"}[who]
    for said in (
        said_of(review),
        page_text(signed_in_as(owner), reader("")),
        said_in_files(review)["review"],
    ):
        assert text in said
    with pytest.raises(NotAllowed):
        report_state_changes.withdraw(Review.objects.get(), person, "A mistake.", "", NOW)


def test_one_decision_by_a_settings_right_marks_the_report(
    review: Review, named_reviewer: Person, reviewer: Person, settings: SimpleNamespace
) -> None:
    settings.OWNERS_NAME_REVIEWERS = True
    accept(review, named_reviewer, 1)
    last = rule_decisions.last_decision_if_own(review, 1, named_reviewer)
    assert last
    rule_decisions.undo_decision(Review.objects.get(), named_reviewer, 1, last.pk, NOW)
    settings.OWNERS_NAME_REVIEWERS = False
    publish(review, reviewer)
    assert bases_of_decisions(review.run) == {Basis.NAMED, Basis.ROLE}
    assert NAMED in said_of(review)


def test_a_repeated_run_takes_over_by_what_right_it_was_decided(
    review: Review, owner: Person, settings: SimpleNamespace
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


def test_an_owners_own_approval_is_said_on_each_report_of_the_design(
    published_review: Review, owner: Person, settings: SimpleNamespace
) -> None:
    settings.ONE_PERSON_DOES_BOTH = True
    survey = published_review.survey
    reviewer_approvals.decide_approval(
        survey, owner, "records", survey.design_id or "", allow=True, reason="", now=NOW
    )
    assert OWNER in said_of(published_review)


def test_letter_to_reviewers_is_in_their_language(
    review: Review, named_reviewer: Person, owner: Person, reviewer: Person, sent_emails: Letters,
    settings: SimpleNamespace,
) -> None:  # fmt: skip
    settings.ONE_PERSON_DOES_BOTH = settings.OWNERS_NAME_REVIEWERS = True

    def who_decided(*bases: Basis) -> str:
        report: Any = SimpleNamespace(publication=review, bases_of_decisions=bases)
        return say("review", report)

    texts = set()
    for language in SHIPPED:
        with translation.override(language):
            texts |= {who_decided(Basis.OWNER), who_decided(Basis.NAMED)}
    assert len(texts) == 2 * len(list(SHIPPED))
    with translation.override("zh-hans"):
        both = who_decided(Basis.OWNER, Basis.NAMED)
    # Two sentences, without a space between them.
    assert (both.count("。"), "。 " in both) == (2, False)
    letters_about.send_waiting(review)
    assert {letter.to[0] for letter in sent_emails()} == {named_reviewer.email, owner.email, reviewer.email}


def test_who_reviews_without_the_role_opens_the_desk_of_this_survey_while_the_setting_is_on(
    review: Review, named_reviewer: Person, owner: Person, signed_in_as: As, settings: SimpleNamespace
) -> None:
    for person in (named_reviewer, owner):
        assert all_say(302, answers(signed_in_as(person), ["report", "publish"], desk_page))
    settings.OWNERS_NAME_REVIEWERS = settings.ONE_PERSON_DOES_BOTH = True
    for person, pages in ((named_reviewer, WHOLE), (owner, ["rules/1", "publish"])):
        client = signed_in_as(person)
        assert all_say(200, answers(client, pages, desk_page))
        assert client.post(desk_page("rules/1/judge"), {"verdict": "accept"}).status_code == 302
        assert client.get("/app/admin/reports/review/").status_code == 302
    assert {decision.reviewer_id for decision in Decision.objects.all()} == {named_reviewer.pk, owner.pk}


def test_a_number_beyond_what_a_database_holds_is_that_of_no_report(judging: Client) -> None:
    for page in ("report", "rules/1/undo"):
        assert judging.get(f"/app/admin/reports/review/{10**19}/{page}").status_code == 404
