"""What leads to reports and runs: the home page, the page of a run, headings, and what a deactivated account leaves."""

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import deactivated_account_activities
from accounts.models import History, Person
from jobs.models import Job
from mining.parameters import Parameters
from reports.models import Publication, Review
from reports.pages.first_findings import first_findings
from reports.review import public_page_switch
from reports.review.report_page_data import report_page
from reports.sentences.sentence_parts import as_html
from runs import run_start
from runs.models import Run
from runs.result_reading_permissions import readable_rows
from surveys.lifecycle import opening
from surveys.models import Survey
from tests.accounts.test_admin import filled_in, page_of
from tests.cast import As
from tests.reports import made
from tests.runs import sealed
from tests.surveys import drafts
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
HOME = reverse("ui:signed-in-home")


def home(client: Client) -> str:
    response = client.get(HOME)
    assert response.status_code == 200
    return response.text


def test_a_report_waits_for_its_reviewer_alone(
    review: Review, owner: Person, stranger: Person, signed_in_as: As, judging: Client
) -> None:
    page = home(judging)
    assert "to decide" in page
    assert f'href="{review.reviewer_url}"' in page
    for person in (owner, stranger):
        assert "Waits for you" not in home(signed_in_as(person))
    assert str(review.survey) not in home(signed_in_as(stranger))
    assert "Review the report" in page
    assert "A reviewer reads the report" in home(signed_in_as(owner))


def test_a_published_report_shows_its_first_finding_and_is_next_and_news_are_what_others_did(
    published_review: Review, owner: Person, reading: Client, stranger: Person, signed_in_as: As, judging: Client
) -> None:  # fmt: skip
    page = home(reading)
    first = first_findings(report_page(owner, published_review.pk, whole=False))[0]
    assert as_html(first.finding.sentence) in page
    assert "<svg" in page.split("survey-card")[1]
    assert f'href="{published_review.get_absolute_url()}">Read the report' in page
    assert "Count and mine" not in page
    assert "Read the report" in reading.get(reverse("surveys:index")).text
    sentence = as_html(first.finding.sentence)
    assert sentence in reading.get(reverse("surveys:index")).text
    assert sentence in home(reading).partition('id="new"')[2]
    assert sentence not in home(judging).partition('id="new"')[2]
    assert "Waits for you" not in home(judging)
    assert "Nobody else did anything" in home(signed_in_as(stranger))
    content = published_review.run.publication.content
    for _report in range(3):  # what one published oneself takes no place of what others did
        own = made.run_anew(published_review.survey, findings=None, rules=0, version="")
        Review.objects.create(run=own, state=Review.State.PUBLISHED, since=timezone.now())
        Publication.objects.create(run=own, by=owner, when=NOW, content=content, rules=[])
    assert sentence in home(reading).partition('id="new"')[2]


def test_home_page_draft_states_its_intervals(
    survey: Survey, owner: Person, reading: Client, client: Client
) -> None:
    draft = Survey.objects.create(owner=owner, draft={**survey.questionnaire, "expected": 2000})
    page = home(reading).split("survey-card")[1]
    assert "With 2,000 answers the interval of a share" in page
    assert 'class="plan"' in page
    assert draft.get_absolute_url() in page
    assert client.get(HOME).status_code == 302
    assert reading.post(HOME).status_code == 405


@pytest.fixture
def things_to_do(published_review: Review, owner: Person) -> dict[str, Survey]:
    """A job that waits, two open surveys, one that opens by itself, and a public page."""
    public_page_switch.open_page(published_review, owner, NOW)
    counted = sealed.survey(owner, sealed.small_design(), [300, 300])
    run_start.start_mining_run(counted, owner, Parameters(min_support=0.1, min_confidence=0.3), NOW)
    opened, kept, due = (Survey.objects.create(owner=owner, draft=drafts.complete()) for _ in "abc")
    for survey in (opened, kept):
        opening.open_survey_now(survey, owner, NOW)
    Survey.objects.filter(pk=due.pk).update(opens=NOW)
    return {"opened": opened, "kept": kept, "due": due}


@pytest.fixture
def left_surveys_address(owner: Person) -> str:
    return reverse("accounts:left-behind", args=[owner.pk])


def switch_off(client: Client, person: Person) -> str:
    return client.post(page_of(person), filled_in(person, is_active="")).headers["Location"]


def test_who_switches_an_account_off_is_led_to_what_goes_on_and_ends_what_is_ticked(
    things_to_do: dict[str, Survey], left_surveys_address: str, owner: Person, superuser: Person,
    published_review: Review, signed_in_as: As,
) -> None:  # fmt: skip
    client = signed_in_as(superuser)
    assert switch_off(client, owner) == left_surveys_address
    owner.refresh_from_db()
    shown = client.get(left_surveys_address).text
    keys = {thing.key for thing in deactivated_account_activities.list_continuing_activities(owner)}
    job = Job.objects.get(state="queued")
    named = {f"job-{job.pk}", f"page-{published_review.pk}"} | {
        f"survey-{row.pk}" for row in things_to_do.values()
    }
    assert named <= keys
    assert all(f'value="{key}"' in shown for key in keys)
    assert "Decide what Olga Owner left behind" in client.get(reverse("ui:signed-in-home")).text
    ended = named - {f"survey-{things_to_do['kept'].pk}"}
    assert client.post(left_surveys_address, {"end": sorted(ended)}).status_code == 302
    states = {name: Survey.objects.get(pk=row.pk).state for name, row in things_to_do.items()}
    assert states == {"opened": "closed", "kept": "open", "due": "draft"}
    assert Survey.objects.get(pk=things_to_do["due"].pk).opens is None
    assert (Job.objects.get(pk=job.pk).state, Review.objects.get().public_token) == ("cancelled", None)
    acts = History.objects.about(owner).filter(who=superuser)
    assert acts.filter(what="accounts.left-ended").count() == len(ended)
    assert acts.filter(what="accounts.left-kept").count() == len(keys) - len(ended)
    assert "left behind" not in client.get(reverse("ui:signed-in-home")).text


def test_until_somebody_decides_all_goes_on_and_a_second_switching_off_asks_again(
    things_to_do: dict[str, Survey],
    left_surveys_address: str,
    owner: Person,
    superuser: Person,
    signed_in_as: As,
) -> None:
    client = signed_in_as(superuser)
    switch_off(client, owner)
    assert Job.objects.filter(state="queued").count() == 1
    client.post(left_surveys_address)
    owner.refresh_from_db()
    assert not deactivated_account_activities.has_undecided_activities(owner)
    client.post(page_of(owner), filled_in(owner, is_active="on"))
    owner.refresh_from_db()
    assert client.get(left_surveys_address).status_code == 404
    assert switch_off(client, owner) == left_surveys_address


def test_person_without_duties_is_deactivated_at_once(
    stranger: Person, superuser: Person, signed_in_as: As, things_to_do: dict[str, Survey], reviewer: Person
) -> None:
    client = signed_in_as(superuser)
    assert switch_off(client, stranger) == reverse("admin:accounts_person_changelist")
    theirs = reverse("accounts:left-behind", args=[stranger.pk])
    assert "Nothing of this account goes on" in client.get(theirs).text
    assert deactivated_account_activities.list_continuing_activities(reviewer) == []


def test_only_superusers_decide_on_a_leaving_persons_surveys(
    left_surveys_address: str, owner: Person, client: Client, judging: Client
) -> None:
    Person.objects.filter(pk=owner.pk).update(is_active=False)
    assert judging.post(left_surveys_address).status_code == 403
    assert client.post(left_surveys_address).headers["Location"].startswith(reverse("accounts:sign-in"))
    assert not History.objects.filter(what="accounts.left-decided").exists()


def run_page(client: Client, run: Run) -> str:
    return client.get(f"/app/runs/{run.pk}/").content.decode()


def test_a_run_leads_its_reviewer_to_the_review_and_nobody_else_anywhere_before_it_is_published(
    review: Review, reviewer: Person, owner: Person, partial: Person, signed_in_as: As, reading: Client,
    judging: Client,
) -> None:  # fmt: skip
    assert f'href="/app/admin/reports/review/{review.pk}/' in run_page(judging, review.run)
    for person in (owner, partial):
        assert "/app/reports/" not in run_page(signed_in_as(person), review.run).split("<h3", 1)[1]
    made.publish(review, reviewer, (), 1)
    assert f'href="/app/reports/{review.pk}/"' in run_page(reading, review.run)


def test_what_is_published_everybody_may_compare(review: Review, reviewer: Person, owner: Person) -> None:
    run = review.run
    assert readable_rows(run, owner) is None
    made.publish(review, reviewer, (), 1)
    mine, theirs = readable_rows(run, owner), readable_rows(run, reviewer)
    assert mine
    assert theirs
    (row,) = mine.rules
    assert row.place == 0
    larger = {itemset.items for itemset in mine.itemsets if itemset.size > 1}
    of_rule = (row.items, row.antecedent, row.consequent)
    assert larger == {items for items in of_rule if len(items.split()) > 1}
    assert theirs.rules.count() == run.rule_count
    assert run.rule_count != 1


def names(client: Client, address: str) -> tuple[str, str]:
    """The beginning of the title, and the first heading."""
    page = client.get(address).content.decode()
    patterns = (r"<title>(.*?)</title>", r"<h1[^>]*>(.*?)</h1>")
    title, heading = (re.findall(pattern, page, re.DOTALL)[0] for pattern in patterns)
    return unescape(title.split(" · ")[0].strip()), unescape(heading.strip())


def test_a_page_is_headed_by_its_own_name(review: Review, judging: Client, reading: Client) -> None:
    of_report, of_survey = f"/app/admin/reports/review/{review.pk}", f"/app/surveys/{review.survey.pk}"
    pages = [(judging, f"{of_report}/{page}") for page in ("groups", "itemsets", "rules", "publish")]
    survey = ("runs", "records", "people", "history", "releases", "export")
    pages += [(reading, f"{of_survey}/{page}") for page in survey]
    for client, address in pages:
        title, heading = names(client, address)
        assert heading == title, address
        assert heading != str(review.survey), address
    # The front of a report has that of its first finding, and the overview of a survey its own.
    title, heading = names(judging, f"{of_report}/report")
    assert "answered" in heading
    assert title in re.sub(r"<[^>]+>|[\u2060\u2068\u2069]", "", heading)
    assert names(reading, f"{of_survey}/")[1] == str(review.survey)
