"""Who may do what by the API, and who is told of what by webhooks, against tables made by hand."""

import json
import logging
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from accounts.models import RESEARCHERS, Person
from api import tokens
from api.models import Token
from api.openapi_reference import openapi_document
from api.webhooks import outbox
from releases.lifecycle import release_decisions
from reports.review import report_state_changes
from tests import world as worlds
from tests.api.conftest import EVERY, Receiver, program, run_scheduler, webhook_of, with_token
from tests.cast import with_role
from tests.surveys.conftest import NOW
from tests.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.page]
ROLES = ("owner", "editor", "viewer", "reviewer", "superuser", "stranger")
SEE = (200, 200, 200, 200, 200, 404)
EDIT, ALONE = (0, 0, 403, 403, 403, 404), (0, 403, 403, 403, 403, 404)
JSON, FORM = "application/json", "multipart/form-data; boundary=x"
BODIES = {
    "/imports": ("--x--\r\n", FORM),
    "/surveys/{pk}/invitations": ('{"n": 100}', JSON),
    "/reports/{pk}/deposits": ('{"publisher": "", "records": true}', JSON),
}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def status_by_role(status: int, table: tuple[int, ...]) -> tuple[int, ...]:
    """What those get who may."""
    return tuple(each or status for each in table)


EXPECTED = {
    # Operation, thing of the world, scope: status by role.
    ("GET", "/surveys", "", "read:surveys"): (200,) * 6,
    # What is sent is no draft; only researchers and superusers may begin a survey.
    ("POST", "/surveys", "", "write:surveys"): (422, 403, 403, 403, 422, 422),
    ("GET", "/surveys/{pk}", "opened", "read:surveys"): SEE,
    ("GET", "/surveys/{pk}/counts", "opened", "read:surveys"): SEE,
    ("GET", "/surveys/{pk}/draft", "draft", "read:surveys"): SEE,
    # No other host serves its page.
    ("GET", "/surveys/{pk}/page", "opened", "read:surveys"): (404,) * 6,
    # Without If-Match.
    ("PUT", "/surveys/{pk}/draft", "draft", "write:surveys"): status_by_role(428, EDIT),
    ("GET", "/surveys/{pk}/checks", "draft", "read:surveys"): status_by_role(200, EDIT),
    ("DELETE", "/surveys/{pk}", "opened", "write:surveys"): (409, 403, 403, 403, 409, 404),
    # Without a file; only researchers and superusers may begin a survey.
    ("POST", "/imports", "", "write:surveys"): (422, 403, 403, 403, 422, 422),
    # Something is missing; collaborators who are no researchers begin none.
    ("POST", "/surveys/{pk}/rehearsals", "unready", "run"): (409, 403, 403, 403, 409, 404),
    ("GET", "/surveys/{pk}/rehearsal", "rehearsal", "read:surveys"): status_by_role(200, EDIT),
    # An open link.
    ("POST", "/surveys/{pk}/invitations", "opened", "invite"): status_by_role(409, EDIT),
    ("GET", "/surveys/{pk}/invitations", "invited", "read:surveys"): status_by_role(200, EDIT),
    # They are open, closed and without sealed answers already.
    ("POST", "/surveys/{pk}/open", "opened", "open"): status_by_role(409, ALONE),
    ("POST", "/surveys/{pk}/close", "closed", "open"): status_by_role(409, ALONE),
    ("POST", "/surveys/{pk}/runs", "opened", "run"): status_by_role(409, EDIT),
    ("GET", "/surveys/{pk}/runs", "reported", "read:surveys"): SEE,
    ("GET", "/runs/{pk}", "run", "read:surveys"): SEE,
    ("GET", "/reports", "", "read:reports"): (200,) * 6,
    ("GET", "/reports/{pk}", "published", "read:reports"): SEE,
    # Not published: nobody reads it here, its reviewer neither.
    ("GET", "/reports/{pk}", "waiting", "read:reports"): (403, 403, 403, 403, 403, 404),
    ("GET", "/releases", "", "read:releases"): (200,) * 6,
    # Of the owner's upload; what waits for approval does not leave here.
    ("GET", "/releases/{pk}/table", "approved", "read:releases"): (200, 404, 404, 200, 404, 404),
    ("GET", "/releases/{pk}/table", "draft release", "read:releases"): (404,) * 6,
    ("GET", "/surveys/{pk}/records", "counted", "read:records"): (200, 200, 403, 200, 403, 404),
    # No reviewer has allowed it.
    ("GET", "/surveys/{pk}/records", "opened", "read:records"): (403, 403, 403, 403, 403, 404),
    # Without a publisher.
    ("POST", "/reports/{pk}/deposits", "published", "read:records"): status_by_role(422, ALONE),
    ("POST", "/reports/{pk}/deposits", "waiting", "read:records"): (403, 403, 403, 403, 403, 404),
    ("GET", "/releases/{pk}/table", "of_survey", "read:releases"): (404,) * 6,
}


@pytest.fixture(scope="module")
def world(shared_rows: None, django_db_blocker: DjangoDbBlocker) -> World:
    with django_db_blocker.unblock():
        world = worlds.build()
        world.people["stranger"] = with_role(RESEARCHERS, "stranger")
        release_decisions.approve(world.releases["checked"], world.people["reviewer"], "", timezone.now())
    return world


def primary_keys(world: World) -> dict[str, int]:
    return {
        "": 0,
        **{name: survey.pk for name, survey in world.surveys.items()},
        "run": world.run.pk,
        **{name: report.pk for name, report in world.reports.items()},
        "approved": world.releases["checked"].pk,
        "draft release": world.releases["draft"].pk,
        "of_survey": world.releases["of_survey"].pk,
    } | {"draft": world.surveys["draft"].pk}


Request = tuple[str, str, str, str]


def requests(world: World) -> Iterator[tuple[Request, str, tuple[int, ...]]]:
    """Method, address, body and its type; scope; and status by role."""
    known = primary_keys(world)
    for (method, path, thing, scope), expected in EXPECTED.items():
        address = f"/api/1{path}".replace("{pk}", str(known[thing]))
        yield (method, address, *BODIES.get(path, ("{}", JSON))), scope, expected


def status(client: Client, method: str, address: str, body: str = "{}", kind: str = JSON) -> int:
    answer = client.generic(method, address, body, kind)
    if answer.status_code >= 400:
        assert answer["Content-Type"] == "application/problem+json", (method, address)
        assert answer.json()["status"] == answer.status_code
    assert not answer.cookies
    assert answer["Cache-Control"] == "no-store"
    return answer.status_code


def test_access_table_covers_every_operation() -> None:
    operations = set()
    for path, methods in openapi_document()["paths"].items():
        for method, details in methods.items():
            # By a token alone, and by one scope of it.
            ((scope,),) = (way["Bearer"] for way in details["security"])
            operations.add((method.upper(), path.removeprefix("/api/1"), scope))
    assert {(method, path, scope) for method, path, _thing, scope in EXPECTED} == operations


def test_every_operation_answers_each_role_credential_and_method_as_tabled(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    clients = {role: program(world.people[role]) for role in ROLES}
    wrong: list[str] = []
    n = 0
    strangers = list(clients_without_rights(world))
    # One without a token asks for each operation, and beside it another of the others in turn.
    nobody, *others_in_turn = strangers
    for number, (request, scope, expected) in enumerate(requests(world)):
        told = tuple(status(clients[role], *request) for role in ROLES)
        wrong += [f"{request} {told} {expected}"] if told != expected else []
        others = [each for each in EVERY if each != scope]
        lacking = status(program(world.people["owner"], others), *request)
        unknown_to_us = nobody, others_in_turn[number % len(others_in_turn)]
        unknown = [status(client, *request) for client in unknown_to_us]
        is_right = lacking == 403 and set(unknown) == {401}
        wrong += [] if is_right else [f"{request} {lacking} {unknown}"]
        n += len(told) + 1 + len(unknown)
        Token.objects.filter(person=world.people["owner"], scopes=[each.value for each in others]).delete()
    taken = {path: set(methods) for path, methods in openapi_document()["paths"].items()}
    for path, methods in taken.items():
        for method in {*METHODS} - {each.upper() for each in methods}:
            got = status(clients["owner"], method, path.replace("{pk}", str(primary_keys(world)["opened"])))
            wrong += [] if got == 405 else [f"{method} {path} {got}"]
            n += 1
    assert wrong == []
    assert n > 250


def clients_without_rights(world: World) -> Iterator[Client]:
    """Clients that nobody is behind: by no token, a session, and tokens that are none or none any more."""
    owner, now = world.people["owner"], timezone.now()
    yield Client()
    signed_in = Client(enforce_csrf_checks=True)
    signed_in.force_login(owner)
    yield signed_in
    yield with_token("candor_" + "x" * 43)
    yield Client(headers={"Authorization": "Basic b3duZXI6"})
    expired, secret = tokens.create_token(owner, "Expired", EVERY, now + timedelta(days=1), now)
    past = now - timedelta(days=2)
    Token.objects.filter(pk=expired.pk).update(created=past, expires=past + timedelta(days=1))
    yield with_token(secret)
    ended, secret = tokens.create_token(owner, "Ended", EVERY, now + timedelta(days=1), now)
    tokens.end_token(ended, owner, now)
    yield with_token(secret)
    gone = with_role(RESEARCHERS, "gone")
    client = program(gone)
    Person.objects.filter(pk=gone.pk).update(is_active=False)
    yield client


def test_objects_of_others_answer_like_missing_ones(world: World) -> None:
    client = program(world.people["stranger"])
    for known in (world.surveys["opened"].pk, 999_999, 10**30):
        answers = [client.get(f"/api/1/surveys/{pk}").json() for pk in (known, 0)]
        instances = [f"/api/1/surveys/{pk}" for pk in (known, 0)]
        assert [answer.pop("instance") for answer in answers] == instances
        assert answers[0] == answers[1]


def test_report_equals_the_file_of_its_page_and_lists_hold_published_ones(world: World) -> None:
    client, report = program(world.people["viewer"]), world.reports["published"]
    reader = Client()
    reader.force_login(world.people["viewer"], "django.contrib.auth.backends.ModelBackend")
    file = reader.get(f"/app/reports/{report.pk}/files/json").content
    assert json.loads(client.get(f"/api/1/reports/{report.pk}").content) == json.loads(file)
    assert [row["id"] for row in client.get("/api/1/reports").json()["items"]] == [report.pk]
    assert client.get(f"/api/1/runs/{report.pk}").json()["report"] == report.pk
    releases = program(world.people["owner"]).get("/api/1/releases").json()["items"]
    assert [row["id"] for row in releases] == [world.releases["checked"].pk]


def test_webhooks_tell_people_only_what_they_may_see(world: World, receiver: Receiver) -> None:
    people = world.people
    hooks = {role: webhook_of(person, receiver) for role, person in people.items()}
    outbox.create_deliveries(timezone.now())
    report, upload = world.reports["published"].pk, world.releases["checked"].pk
    closed = {("survey.closed", world.surveys[name].pk) for name in ("closed", "finished")}
    of_surveys = closed | {("report.published", report)}
    of_upload = {("release.approved", upload)}
    expected: dict[str, set[tuple[str, int]]] = {"stranger": set()}
    expected |= dict.fromkeys(("owner", "reviewer"), of_surveys | of_upload)
    expected |= dict.fromkeys(("superuser", "editor", "viewer"), of_surveys)
    told = {
        role: set(hook.deliveries.values_list("event__kind", "event__thing")) & (of_surveys | of_upload)
        for role, hook in hooks.items()
    }
    assert told == expected
    report_state_changes.withdraw(world.reports["published"], people["reviewer"], "Wrong.", "", NOW)
    run_scheduler()
    sent = {json.loads(body)["type"] for _path, _headers, body in receiver.requests}
    assert sent == {"survey.closed", "release.approved"}
    (released,) = {body for _path, _headers, body in receiver.requests if b"release.approved" in body}
    assert json.loads(released)["data"] == {
        "id": upload,
        "survey": None,
        "page": f"http://testserver{world.releases['checked'].get_absolute_url()}",
    }
