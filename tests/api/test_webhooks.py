"""Webhooks: who is told of what, how it is signed and tried again, and their pages."""

import json
import re
import time
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from accounts import credentials
from accounts.models import RESEARCHERS, History, Person
from api.models import Delivery, DeliveryProblem, Dispatch, Event, EventKind, Webhook
from api.webhooks import outbox
from api.webhooks.webhook_http import DeliveryOutcome
from surveys.lifecycle import opening, state_changes
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests import servers
from tests.api.conftest import Receiver, run_scheduler, signed_in_long_ago, webhook_of
from tests.cast import As, add_collaborator, with_role
from tests.jobs.conftest import attempt
from tests.runs import sealed
from tests.surveys import drafts
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page]
State = Delivery.State
EVERY = tuple(EventKind)
PAGE, NEW = reverse("api:webhooks"), reverse("api:webhook-new")
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE")


@pytest.fixture
def open_survey(owner: Person) -> Survey:
    survey = Survey.objects.create(owner=owner, draft=drafts.complete())
    opening.open_survey_now(survey, owner, NOW)
    return survey


def verifier() -> Any:
    """The function of docs/api.md."""
    text = (servers.ROOT / "docs/api.md").read_text()
    names: dict[str, Any] = {}
    exec(re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0], names)
    return names["verify"]


def test_closed_survey_event_is_signed_and_holds_no_count_or_name(
    open_survey: Survey, owner: Person, receiver: Receiver
) -> None:
    webhook = webhook_of(owner, receiver)
    state_changes.close_survey(open_survey, owner, NOW)
    run_scheduler()
    (_path, headers, body) = receiver.requests[0]
    assert verifier()(webhook.secret, headers, body) == Delivery.objects.get().message
    assert json.loads(body) == {
        "type": "survey.closed",
        "timestamp": "2026-12-01",
        "data": {
            "id": open_survey.pk,
            "survey": open_survey.pk,
            "page": f"http://testserver/app/surveys/{open_survey.pk}/",
        },
    }
    assert headers["content-type"] == "application/json"
    assert "cookie" not in headers


def test_finished_run_event_reaches_people_who_may_see_the_survey(owner: Person, receiver: Receiver) -> None:
    webhook_of(owner, receiver)
    survey = sealed.survey(owner, sealed.small_design(), [300, 300])
    run = sealed.mine_sealed(survey, owner)
    run_scheduler()
    body = json.loads(receiver.requests[0][2])
    page = f"http://testserver{run.get_absolute_url()}"
    assert (body["type"], body["data"]) == ("run.finished", {"id": run.pk, "survey": survey.pk, "page": page})


def test_verifier_refuses_changed_old_or_foreign_events(owner: Person, receiver: Receiver) -> None:
    webhook, verify = webhook_of(owner, receiver), verifier()
    outbox.enqueue_test_event(webhook, timezone.now())
    run_scheduler()
    (_path, headers, body) = receiver.requests[0]
    later, old = str(int(headers["webhook-timestamp"]) + 1), str(int(time.time()) - 400)
    wrong = [
        (webhook.secret, headers, body + b" "),
        (webhook.secret, headers | {"webhook-timestamp": later}, body),
        (webhook.secret, headers | {"webhook-timestamp": old}, body),
        (webhook.secret, headers | {"webhook-id": "msg_other"}, body),
        ("whsec_" + "A" * 43 + "=", headers, body),
    ]
    assert verify(webhook.secret, headers, body)
    for arguments in wrong:
        with pytest.raises(ValueError, match=r"old|not signed"):
            verify(*arguments)


def test_event_is_sent_a_third_time_after_two_failures(owner: Person, receiver: Receiver) -> None:
    receiver.answers = [500, 307]
    outbox.enqueue_test_event(webhook_of(owner, receiver), timezone.now())
    for tries, status, low, high in [(1, 500, 48, 72), (2, 307, 240, 360)]:
        before = timezone.now()
        run_scheduler()
        run_scheduler()
        delivery = Delivery.objects.get()
        assert (delivery.state, delivery.tries, delivery.status) == (State.WAITING, tries, status)
        assert delivery.next_try is not None
        assert low <= (delivery.next_try - before).total_seconds() <= high + 5
        Delivery.objects.update(next_try=before)
    run_scheduler()
    delivery.refresh_from_db()
    assert (delivery.state, delivery.tries, delivery.status) == (State.DELIVERED, 3, 200)
    assert {headers["webhook-id"] for _path, headers, _body in receiver.requests} == {delivery.message}
    assert len({body for _path, _headers, body in receiver.requests}) == 1


def test_delivery_is_given_up_after_eight_tries_in_two_days(owner: Person, receiver: Receiver) -> None:
    outbox.enqueue_test_event(webhook_of(owner, receiver), NOW)
    now, late = NOW, DeliveryOutcome(problem=DeliveryProblem.TIME)
    for tries in range(1, 9):
        delivery = Delivery.objects.get()
        assert outbox.claim_delivery(delivery, now)
        outbox.store_outcome_if_claim_holds(delivery, late, now, Random(tries))
        delivery.refresh_from_db()
        now = delivery.next_try or now
    assert (delivery.state, delivery.tries, delivery.problem) == (State.FAILED, 8, "time")
    assert timedelta(days=1.5) < now - NOW < timedelta(days=2.4)


def test_one_worker_makes_a_try_and_another_repeats_it_if_that_dies(
    owner: Person, receiver: Receiver
) -> None:
    outbox.enqueue_test_event(webhook_of(owner, receiver), NOW)
    first, second = Delivery.objects.get(), Delivery.objects.get()
    assert outbox.claim_delivery(first, NOW)
    assert not outbox.claim_delivery(second, NOW)
    assert outbox.claim_due_deliveries(NOW + outbox.CLAIM / 2) == []
    with pytest.raises(NotAllowed):
        outbox.make_delivery_due(first, NOW)
    (again,) = outbox.claim_due_deliveries(NOW + outbox.CLAIM)
    assert again.tries == 2
    # The first worker was only stopped: what it finds counts no more.
    outbox.store_outcome_if_claim_holds(first, DeliveryOutcome(problem=DeliveryProblem.TIME), NOW, Random(1))
    outbox.store_outcome_if_claim_holds(again, DeliveryOutcome(200), NOW, Random(1))
    assert Delivery.objects.get().state == State.DELIVERED


def test_event_is_written_in_the_transaction_of_its_change(open_survey: Survey, owner: Person) -> None:
    with transaction.atomic():
        state_changes.close_survey(open_survey, owner, NOW)
        assert Event.objects.exists()
        transaction.set_rollback(True)
    assert not Event.objects.exists()
    state_changes.close_survey(open_survey, owner, NOW)
    assert Event.objects.get().kind == "survey.closed"


def test_failing_event_does_not_stop_the_next(
    owner: Person, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    webhook = webhook_of(owner, receiver)
    broken = Event.objects.create(kind="unknown", thing=1, happened=NOW)
    webhook.events = [*webhook.events, "unknown"]
    webhook.save()
    outbox.record_event(EventKind.TEST, webhook.pk, NOW)
    outbox.create_deliveries(timezone.now())
    assert Delivery.objects.get().event.kind == EventKind.TEST
    assert f"event {broken.pk} could not be expanded" in caplog.text


@pytest.mark.parametrize("why", ["removed", "inactive", "factor", "ended"])
def test_event_is_not_sent_to_people_who_lost_their_access(
    why: str, open_survey: Survey, owner: Person, receiver: Receiver, settings: Settings
) -> None:
    viewer = add_collaborator(open_survey, with_role(RESEARCHERS, "viewer"), may_edit=False)
    webhook = webhook_of(viewer, receiver)
    state_changes.close_survey(open_survey, owner, NOW)
    outbox.create_deliveries(timezone.now())
    assert Delivery.objects.count() == 1
    if why == "removed":
        open_survey.collaborators.all().delete()
    elif why == "inactive":
        Person.objects.filter(pk=viewer.pk).update(is_active=False)
    elif why == "factor":
        settings.SECOND_FACTOR_FOR = ["researchers"]
    else:
        outbox.delete_webhook(webhook, viewer, NOW)
    run_scheduler()
    assert receiver.requests == []
    assert set(Delivery.objects.values_list("state", flat=True)) <= {State.DROPPED}


def test_joining_a_provider_ends_only_that_accounts_webhooks(
    owner: Person, stranger: Person, receiver: Receiver
) -> None:
    webhook_of(owner, receiver)
    kept = webhook_of(stranger, receiver)
    credentials.end_all_credentials(owner)
    assert list(Webhook.objects.all()) == [kept]
    ended = History.objects.get(what="api.webhook-ended")
    assert (ended.who, ended.thing_name) == (None, receiver.address())


def test_webhook_address_refused_later_is_not_called(
    owner: Person, receiver: Receiver, settings: Settings
) -> None:
    outbox.enqueue_test_event(webhook_of(owner, receiver), timezone.now())
    settings.WEBHOOK_HTTP = False
    run_scheduler()
    assert receiver.requests == []
    assert Delivery.objects.get().problem == DeliveryProblem.REFUSED


def test_one_dispatch_runs_at_a_time_and_old_ones_are_deleted(owner: Person, receiver: Receiver) -> None:
    outbox.enqueue_test_event(webhook_of(owner, receiver), timezone.now())
    outbox.on_tick(timezone.now())
    attempt(Dispatch.objects.get())
    outbox.on_tick(timezone.now())
    assert Dispatch.objects.count() == 1
    outbox.delete_old_events(timezone.now() + timedelta(days=2))
    assert (Dispatch.objects.count(), Delivery.objects.count()) == (0, 1)
    outbox.delete_old_events(timezone.now() + timedelta(days=31))
    assert not Event.objects.exists()


class TestPages:
    def form(self, address: str) -> dict[str, object]:
        return {"address": address, "events": ["survey.closed"]}

    def test_webhook_secret_is_shown_once(self, owner: Person, receiver: Receiver, signed_in_as: As) -> None:
        client = signed_in_as(owner)
        shown = client.post(NEW, self.form(receiver.address()))
        webhook = Webhook.objects.get()
        assert webhook.secret in shown.text
        for page in (PAGE, webhook.get_absolute_url()):
            assert receiver.address() in client.get(page).text
            assert webhook.secret not in client.get(page).text
        assert History.objects.get(what="api.webhook-added").note == "survey.closed"

    @pytest.mark.parametrize("address", ["https://127.0.0.1/", "https://169.254.169.254/latest", "http://x/"])
    def test_refused_webhook_address_is_named_and_not_stored(
        self, address: str, owner: Person, signed_in_as: As
    ) -> None:
        page = signed_in_as(owner).post(NEW, self.form(address))
        assert page.context["form"].errors["address"]
        assert not Webhook.objects.exists()

    def test_adding_a_webhook_asks_for_confirmation(self, owner: Person, signed_in_as: As) -> None:
        asks_again = signed_in_long_ago(signed_in_as(owner)).post(NEW, {})
        assert asks_again["Location"].startswith(reverse("accounts:confirm"))

    def test_deliveries_are_listed_and_can_be_repeated(
        self, owner: Person, receiver: Receiver, signed_in_as: As
    ) -> None:
        client, webhook = signed_in_as(owner), webhook_of(owner, receiver)
        receiver.answers = [503]
        client.post(reverse("api:webhook-test", args=[webhook.pk]))
        again = client.post(reverse("api:webhook-test", args=[webhook.pk]), follow=True)
        assert "waits to be sent already" in again.text
        run_scheduler()
        tried = Delivery.objects.get().last_try
        assert tried
        moment = timezone.localtime(tried).isoformat(timespec="seconds")
        answer = f'503<br><span class="soft small"><time datetime="{moment}"'
        assert answer in client.get(webhook.get_absolute_url()).text
        client.post(reverse("api:delivery-again", args=[Delivery.objects.get().pk]))
        run_scheduler()
        assert [Delivery.objects.get().state, len(receiver.requests)] == [State.DELIVERED, 2]
        client.post(reverse("api:webhook-end", args=[webhook.pk]))
        assert not Event.objects.filter(deliveries__isnull=False).exists()
        assert History.objects.filter(what="api.webhook-ended").exists()

    def test_person_has_a_limited_number_of_webhooks(self, owner: Person, receiver: Receiver) -> None:
        for _number in range(outbox.LIMIT):
            webhook_of(owner, receiver)
        with pytest.raises(NotAllowed):
            webhook_of(owner, receiver)

    def test_webhook_pages_answer_each_role_and_method(
        self, owner: Person, stranger: Person, superuser: Person, receiver: Receiver, signed_in_as: As
    ) -> None:
        """Only its person sees a webhook; what one may not see is not there."""
        webhook = webhook_of(owner, receiver)
        outbox.enqueue_test_event(webhook, timezone.now())
        key, delivery = webhook.pk, Delivery.objects.get().pk
        read, form, post = (200, 200, 405, 405, 405), (200, 200, 200, 405, 405), (405, 405, 302, 405, 405)
        hidden_read, hidden_post = (404, 404, 405, 405, 405), (405, 405, 404, 405, 405)
        table = [
            (PAGE, read, read),
            (NEW, form, form),
            (f"{PAGE}/{key}", read, hidden_read),
            (f"{PAGE}/deliveries/{delivery}/again", post, hidden_post),
            (f"{PAGE}/{key}/test", post, hidden_post),
            # The last, since the owner does it.
            (f"{PAGE}/{key}/end", post, hidden_post),
        ]
        wrong = []
        clients = {person: signed_in_as(person) for person in (stranger, superuser, owner)}
        nobody = Client()
        for address, of_owner, of_others in table:
            for person, client in clients.items():
                expected = of_owner if person == owner else of_others
                statuses = tuple(client.generic(each, address).status_code for each in METHODS)
                wrong += [] if statuses == expected else [(address, person.username, statuses)]
            statuses = tuple(nobody.generic(each, address).status_code for each in METHODS)
            wrong += [] if set(statuses) <= {302, 405} else [(address, "nobody", statuses)]
        assert wrong == []
        assert not Webhook.objects.exists()
