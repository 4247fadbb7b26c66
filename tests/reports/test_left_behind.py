"""What goes on after an account was switched off: named to an administrator, who decides."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts import deactivated_account_activities
from accounts.models import History, Person
from jobs.models import Job
from mining.parameters import Parameters
from reports.models import Review
from reports.review import public_page_switch
from runs import run_start
from surveys.lifecycle import opening
from surveys.models import Survey
from tests.accounts.test_admin import filled_in, page_of
from tests.cast import As
from tests.runs import sealed
from tests.surveys import drafts
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page]


@pytest.fixture
def things(published: Review, owner: Person) -> dict[str, Survey]:
    """A job that waits, two open surveys, one that opens by itself, and a public page."""
    public_page_switch.open_page(published, owner, NOW)
    counted = sealed.survey(owner, sealed.small(), [300, 300])
    run_start.start(counted, owner, Parameters(min_support=0.1, min_confidence=0.3), NOW)
    opened, kept, due = (Survey.objects.create(owner=owner, draft=drafts.complete()) for _ in "abc")
    for survey in (opened, kept):
        opening.open_survey_now(survey, owner, NOW)
    Survey.objects.filter(pk=due.pk).update(opens=NOW)
    return {"opened": opened, "kept": kept, "due": due}


@pytest.fixture
def page(owner: Person) -> str:
    return reverse("accounts:left-behind", args=[owner.pk])


def switch_off(client: Client, person: Person) -> str:
    return client.post(page_of(person), filled_in(person, is_active="")).headers["Location"]


def test_who_switches_an_account_off_is_led_to_what_goes_on_and_ends_what_is_ticked(
    things: dict[str, Survey],
    page: str,
    owner: Person,
    superuser: Person,
    published: Review,
    signed_in_as: As,
) -> None:
    client = signed_in_as(superuser)
    assert switch_off(client, owner) == page
    owner.refresh_from_db()
    shown = client.get(page).text
    keys = {thing.key for thing in deactivated_account_activities.list_continuing_activities(owner)}
    job = Job.objects.get(state="queued")
    named = {f"job-{job.pk}", f"page-{published.pk}"} | {f"survey-{row.pk}" for row in things.values()}
    assert named <= keys
    assert all(f'value="{key}"' in shown for key in keys)
    assert "Decide what Olga Owner left behind" in client.get(reverse("ui:signed-in-home")).text
    ended = named - {f"survey-{things['kept'].pk}"}
    assert client.post(page, {"end": sorted(ended)}).status_code == 302
    states = {name: Survey.objects.get(pk=row.pk).state for name, row in things.items()}
    assert states == {"opened": "closed", "kept": "open", "due": "draft"}
    assert Survey.objects.get(pk=things["due"].pk).opens is None
    assert (Job.objects.get(pk=job.pk).state, Review.objects.get().public_token) == ("cancelled", None)
    acts = History.objects.about(owner).filter(who=superuser)
    assert acts.filter(what="accounts.left-ended").count() == len(ended)
    assert acts.filter(what="accounts.left-kept").count() == len(keys) - len(ended)
    assert "left behind" not in client.get(reverse("ui:signed-in-home")).text


def test_until_somebody_decides_all_goes_on_and_a_second_switching_off_asks_again(
    things: dict[str, Survey], page: str, owner: Person, superuser: Person, signed_in_as: As
) -> None:
    client = signed_in_as(superuser)
    switch_off(client, owner)
    assert Job.objects.filter(state="queued").count() == 1
    client.post(page)
    owner.refresh_from_db()
    assert not deactivated_account_activities.has_undecided_activities(owner)
    client.post(page_of(owner), filled_in(owner, is_active="on"))
    owner.refresh_from_db()
    assert client.get(page).status_code == 404
    assert switch_off(client, owner) == page


def test_who_leaves_nothing_leads_nowhere(stranger: Person, superuser: Person, signed_in_as: As) -> None:
    client = signed_in_as(superuser)
    assert switch_off(client, stranger) == reverse("admin:accounts_person_changelist")
    page = reverse("accounts:left-behind", args=[stranger.pk])
    assert "Nothing of this account goes on" in client.get(page).text


def test_what_somebody_else_owns_is_not_theirs(things: dict[str, Survey], reviewer: Person) -> None:
    assert deactivated_account_activities.list_continuing_activities(reviewer) == []


def test_only_superusers_decide(page: str, owner: Person, client: Client, judging: Client) -> None:
    Person.objects.filter(pk=owner.pk).update(is_active=False)
    assert judging.post(page).status_code == 403
    assert client.post(page).headers["Location"].startswith(reverse("accounts:sign-in"))
    assert not History.objects.filter(what="accounts.left-decided").exists()
