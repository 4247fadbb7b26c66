"""Programs with tokens, in the small world, and one that receives webhooks."""

import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any

import pytest
from django.core.wsgi import get_wsgi_application
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from accounts.models import Person
from api import tokens
from api.models import Dispatch, EventKind, Scope, Webhook
from api.webhooks import outbox
from config.remove_identifying_headers import Application, anonymize_application
from tests import servers
from tests.accounts.conftest import _no_failures_from_before
from tests.cast import cast, db, owner, reviewer, shared_rows, stranger, superuser
from tests.importing.conftest import read_here
from tests.jobs.conftest import attempt, broker

__all__ = ["_no_failures_from_before", "broker", "read_here", "shared_rows"]
__all__ += ["cast", "db", "owner", "reviewer", "stranger", "superuser"]
EVERY = tuple(Scope)


def as_served() -> Application:
    """The application with the layer that every request comes through."""
    return anonymize_application(get_wsgi_application(), behind_proxy=False)


def secret_of(person: Person, scopes: Sequence[Scope] = EVERY) -> str:
    now = timezone.now()
    return tokens.create_token(person, "Nightly report", scopes, now + timedelta(days=1), now)[1]


def program(person: Person, scopes: Sequence[Scope] = EVERY) -> Client:
    """A client that sends a new token of this person with each request, and no cookie."""
    return with_token(secret_of(person, scopes))


def with_token(secret: str) -> Client:
    return Client(raise_request_exception=False, headers={"Authorization": f"Bearer {secret}"})


def signed_in_long_ago(client: Client) -> Client:
    """The same browser: half an hour ago its person proved who they are."""
    session = client.session
    session["proved"] -= 31 * 60
    session.save()
    return client


def problem(answer: Any, status: int) -> dict[str, Any]:
    """The problem details of an answer with this status."""
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    content: dict[str, Any] = answer.json()
    assert content.keys() >= {"type", "title", "status", "detail", "instance"}
    assert content["status"] == status
    return content


@pytest.fixture
def client(owner: Person) -> Client:
    """A program of the owner's."""
    return program(owner)


@dataclass
class Receiver:
    """A server on this machine that receives webhooks. `answers`: the statuses in order, then 200; `requests`: path,
    headers and body of each."""

    port: int = 0
    answers: list[int] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    def address(self, host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}/candor?a=1"


@contextmanager
def webhook_receiver(context: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(servers.HTTPHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            self.send(b"", receiver.answers.pop(0) if receiver.answers else 200, **receiver.headers)

    class Server(ThreadingHTTPServer):
        def handle_error(self, *args: Any) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with servers.serve(server) as receiver.port:
        yield receiver


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    settings.WEBHOOK_HTTP, settings.WEBHOOK_NETWORKS = True, [ip_network("127.0.0.1/32")]
    with webhook_receiver() as receiver:
        settings.WEBHOOK_PORTS = [receiver.port]
        yield receiver


def webhook_of(person: Person, receiver: Receiver) -> Webhook:
    return outbox.add_webhook(person, receiver.address(), tuple(EventKind), timezone.now())


def run_scheduler() -> None:
    """The scheduler, and the job that it starts."""
    outbox.on_tick(timezone.now())
    for job in Dispatch.objects.filter(state="queued"):
        attempt(job)
