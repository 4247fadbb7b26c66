"""A program that closes surveys by the HTTP API, and one that is told of events, and often does not take them."""

import hashlib
import hmac
import json
import secrets
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Thread
from typing import Any

from django.utils import timezone

from accounts.models import Person
from api import tokens
from api.models import Delivery, Event, EventKind, Scope
from api.webhooks import outbox
from surveys.models import Survey
from tests import servers
from tests.soak.actors import Actor, Visitor
from tests.soak.load import Check, none
from tests.soak.system import PATIENCE, Console
from tests.surveys import drafts

REFUSED, HUNG_UP = 0.1, 0.1
"""Shares of the deliveries that the receiver answers with 500, or not at all though it has read them."""


class Receiver:
    """`taken`: the ids that were answered with 200, in their order."""

    def __init__(self, seed: int) -> None:
        self.port, self.random = servers.free_port(), Random(seed)
        self.taken: list[str] = []
        self.bodies: dict[str, set[str]] = {}
        self.refused = self.hung_up = 0
        self.requests: list[tuple[dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.requests.append((headers, body))
                message = self.headers["webhook-id"]
                receiver.bodies.setdefault(message, set()).add(body.decode())
                chance = receiver.random.random()
                if chance < REFUSED:
                    receiver.refused += 1
                    self.send_error(500)
                elif chance < REFUSED + HUNG_UP:
                    receiver.hung_up += 1
                else:
                    receiver.taken.append(message)
                    self.send_response(200)
                    self.end_headers()

            def log_message(self, *_arguments: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)

    @property
    def settings(self) -> dict[str, str]:
        return {"WEBHOOK_HTTP": "yes", "WEBHOOK_NETWORKS": "127.0.0.1/32", "WEBHOOK_PORTS": str(self.port)}

    @contextmanager
    def receiving(self) -> Iterator[None]:
        thread = Thread(target=self.server.serve_forever, name="receiver of webhooks", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.server.shutdown()
            self.server.server_close()
            thread.join()


def add_webhook(port: int) -> str:
    owner = Person.objects.get(username="owner")
    kinds = [EventKind.REPORT_PUBLISHED, EventKind.RELEASE_APPROVED, EventKind.SURVEY_CLOSED]
    return outbox.add_webhook(owner, f"http://127.0.0.1:{port}/candor", kinds, timezone.now()).secret


def make_token() -> str:
    owner, now = Person.objects.get(username="owner"), timezone.now()
    scopes = [Scope.WRITE_SURVEYS, Scope.OPEN, Scope.READ_SURVEYS]
    return tokens.create_token(owner, "Soak", scopes, now + timedelta(days=2), now)[1]


def pass_time() -> int:
    """As if ten minutes had passed for the deliveries that wait; how many these are."""
    ago = timedelta(minutes=10)
    waiting = list(Delivery.objects.filter(state=Delivery.State.WAITING))
    for each in waiting:
        moments = {"next_try": each.next_try, "claimed": each.claimed}
        values = {name: moment and moment - ago for name, moment in moments.items()}
        Delivery.objects.filter(pk=each.pk, tries=each.tries).update(**values)
    unexpanded = Event.objects.filter(expanded=None).count()
    return len(waiting) + unexpanded


def delivered() -> list[list[Any]]:
    """Event, kind, subject, id of its delivery and state."""
    rows = Delivery.objects.select_related("event").order_by("event")
    return [[each.event_id, each.event.kind, each.event.thing, each.message, each.state] for each in rows]


def closed(title: str) -> list[list[Any]]:
    """The surveys whose title begins so: title and state."""
    rows = Survey.objects.filter(draft__title__en__startswith=title).order_by("pk")
    return [[each.pk, each.title_with_fallback("en"), each.state] for each in rows]


class Telling(Actor):
    """Makes a survey, opens it and closes it, each by a request with a key of its own, sent again until it is
    answered."""

    what = "webhooks"
    # A token has sixty requests a minute.
    pause = (4.0, 8.0)

    def __init__(
        self, receiver: Receiver, others: Sequence[Actor], port: int, asking: Console, seed: int
    ) -> None:
        """`others` do what is told of, too."""
        self.others = others
        self.receiver, self.secret = receiver, asking.call(add_webhook, receiver.port)
        self.visitor = Visitor(port, Authorization=f"Bearer {asking.call(make_token)}")
        super().__init__(seed, self.visitor)
        self.closed: dict[str, int] = {}
        """Title -> number of the survey that was acknowledged as closed."""
        self.cut_off: list[str] = []
        self.refused: list[str] = []

    def turn(self) -> None:
        title = f"Told {self.turns}."
        made = self.request("/api/1/surveys", json.dumps(drafts.complete(title={"en": title})))
        if made is None:
            return
        for word in ("open", "close"):
            if self.request(f"/api/1/surveys/{made['id']}/{word}", "") is None:
                return
        self.closed[title] = made["id"]

    def request(self, path: str, body: str) -> Any:
        """What it gives; None where nobody knows what a request did that was cut off, which docs/api.md states."""
        key = secrets.token_hex(16)
        more = {"Content_Type": "application/json"} if body else {}
        reply = self.visitor.insist(lambda: self.visitor.ask("POST", path, body, Idempotency_Key=key, **more))
        if reply.status in (200, 201):
            return reply.json
        told = self.cut_off if reply.status == 409 and b"key-in-use" in reply.body else self.refused
        told.append(f"{path}: {reply.status} {reply.text[:200]}")
        return None

    def events(self) -> list[tuple[str, int]]:
        return [("survey.closed", pk) for pk in self.closed.values()]

    def checks(self, asking: Console) -> Iterator[Check]:
        """The receiver fails no more, and time passes until all is delivered."""
        self.receiver.random = Random(0)
        self.receiver.random.random = lambda: 1.0  # type: ignore[method-assign]
        servers.wait(lambda: asking.call(pass_time) == 0, "the end of all deliveries", PATIENCE, pause=2.5)
        rows, taken = asking.call(delivered), Counter(self.receiver.taken)
        surveys = asking.call(closed, "Told ")
        titles = Counter(title for _pk, title, _state in surveys)
        doubled = [title for title, n in titles.items() if n > 1]
        yield none("surveys that the API made twice", doubled, f" of {len(titles)}")
        closed_now = {pk for pk, _title, state in surveys if state == "closed"}
        lost = [title for title, pk in self.closed.items() if pk not in closed_now]
        yield none("surveys closed by the API that are not", lost, f" of {len(self.closed)}")
        yield none("what the API refused", self.refused)
        cut_off = "requests of the API of which nobody knows what they did, since they were cut off"
        yield Check(cut_off, "", f"{len(self.cut_off)}", True)
        kinds = Counter(kind for _event, kind, *_rest in rows)
        told = ", ".join(f"{n:,} × {kind}" for kind, n in kinds.most_common())
        told += f"; refused by the receiver {self.receiver.refused}, hung up {self.receiver.hung_up}"
        yield Check("events", "", told, bool(rows))
        noted = Counter((kind, thing) for _event, kind, thing, *_rest in rows)
        acknowledged = [event for each in (self, *self.others) for event in each.events()]
        unknown = [f"{kind} {thing}" for kind, thing in acknowledged if noted[kind, thing] != 1]
        yield none("acknowledged acts without one event of theirs", unknown, f" of {len(acknowledged):,}")
        missed = [
            f"{kind} {thing}"
            for _event, kind, thing, message, state in rows
            if state != "dropped" and not taken[message]
        ]
        yield none("events that never reached their receiver", missed, f" of {len(rows):,}")
        believed = [message for *_rest, message, state in rows if state == "delivered" and not taken[message]]
        yield none("deliveries taken for done that were not", believed)
        known = {message for *_rest, message, _state in rows}
        yield none("deliveries of no event", sorted(set(taken) - known))
        differing = [message for message, bodies in self.receiver.bodies.items() if len(bodies) > 1]
        yield none("deliveries whose content differs from one try to the next", differing)
        unsigned = [
            sent["webhook-id"] for sent, body in self.receiver.requests if not self.is_signed(sent, body)
        ]
        yield none("deliveries that are not signed", unsigned)
        first = [
            message
            for place, message in enumerate(self.receiver.taken)
            if message not in self.receiver.taken[:place]
        ]
        place = {message: event for event, _kind, _thing, message, *_rest in rows}
        came = [place[message] for message in first if message in place]
        later = sum(max(came[:at], default=0) > event for at, event in enumerate(came))
        again = taken.total() - len(taken)
        yield Check("events that came again, or after later ones", "", f"{again}, {later}", True)

    def is_signed(self, headers: dict[str, str], body: bytes) -> bool:
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        digest = hmac.new(b64decode(self.secret.removeprefix("whsec_")), signed, hashlib.sha256).digest()
        return b64decode(headers["webhook-signature"].removeprefix("v1,")) == digest
