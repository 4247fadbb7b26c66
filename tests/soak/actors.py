"""What the actors of a soak share: a thread each, what it was answered over HTTP, and requests that are sent again."""

import http.client
import json
import secrets
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from threading import Event, Thread
from time import monotonic
from typing import Any
from urllib.parse import urlencode

from privacy.records import Envelope
from tests.soak.load import ACKNOWLEDGED, BROKEN, FOR_NOW, LONGEST_PAUSE, Check, none, some_address
from tests.soak.system import PATIENCE, Console

SECONDS = 60
"""Longer than any fault holds a request up."""
SERVER_ERROR = 500


@dataclass(frozen=True)
class Reply:
    """`status` is BROKEN where the connection broke before the whole reply was there."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def place(self) -> str:
        """Where it leads."""
        return self.headers.get("location", "")

    @property
    def is_for_now(self) -> bool:
        return self.status == BROKEN or self.status in FOR_NOW

    @property
    def is_wrong(self) -> bool:
        """An error that nobody may see: other than 503, or one without words and a time to come back."""
        in_words = "retry-after" in self.headers and len(self.body) > 20 and b"Traceback" not in self.body
        return self.status >= SERVER_ERROR and not (self.status in FOR_NOW and in_words)


class Visitor:
    """One browser, or one program, and what it was answered."""

    def __init__(self, port: int, **headers: str) -> None:
        self.port, self.address = port, some_address(Random())
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.statuses: Counter[int] = Counter()
        self.wrong: list[str] = []

    def ask(self, method: str, path: str, body: bytes | str = b"", **headers: str) -> Reply:
        reply = self._ask(method, path, body, {k.replace("_", "-"): v for k, v in headers.items()})
        self.statuses[reply.status] += 1
        if reply.is_wrong:
            self.wrong.append(f"{reply.status} to {method} {path}: {reply.text[:200]}")
        return reply

    def _ask(self, method: str, path: str, body: bytes | str, headers: dict[str, str]) -> Reply:
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=SECONDS, source_address=(self.address, 0)
        )
        try:
            connection.request(method, path, body or None, {**self.headers, "Connection": "close", **headers})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, found, response.read())
        except (OSError, http.client.HTTPException):
            return Reply(BROKEN)
        finally:
            connection.close()

    def get(self, path: str) -> Reply:
        """Again and again until there is a reply for good."""
        return self.insist(lambda: self.ask("GET", path))

    def post(self, path: str, fields: dict[str, Any], **headers: str) -> Reply:
        """A form, once."""
        sent = urlencode({**fields, "csrfmiddlewaretoken": CSRF}, doseq=True)
        return self.ask("POST", path, sent, Content_Type="application/x-www-form-urlencoded", **headers)

    def send(self, path: str, body: str) -> Reply:
        """JSON, the same bytes again and again until there is a reply for good."""
        return self.insist(lambda: self.ask("POST", path, body, **JSON))

    def insist(self, ask: Callable[[], Reply]) -> Reply:
        pause, end = Event(), monotonic() + PATIENCE
        seconds = 0.1
        while (reply := ask()).is_for_now and monotonic() < end:
            pause.wait(seconds)
            seconds = min(2 * seconds, LONGEST_PAUSE)
        return reply

    def record(self, slug: str, envelope: Envelope) -> bool:
        """Whether it was acknowledged."""
        return self.send(f"/a/{slug}/record", envelope.json).status in ACKNOWLEDGED


JSON = {"Content_Type": "application/json", "Sec_Fetch_Site": "same-origin"}
CSRF = secrets.token_hex(16)


class Actor(Thread):
    """Somebody who does the same again and again, until `stop`; `pause` in seconds from one turn to the next."""

    what = ""
    pause = (0.2, 1.0)

    def __init__(self, seed: int, *visitors: Visitor) -> None:
        super().__init__(name=self.what, daemon=True)
        self.random, self.enough, self.turns = Random(f"{seed} {self.what}"), Event(), 0
        self.visitors, self.ended_early = visitors, list[str]()

    def run(self) -> None:
        try:
            while not self.enough.wait(self.random.uniform(*self.pause)):
                self.turn()
                self.turns += 1
        except Exception as error:
            traceback.print_exc()
            self.ended_early.append(f"{type(error).__name__}: {error}")

    def turn(self) -> None:
        raise NotImplementedError

    def wait_until(self, holds: Callable[[], bool], what: str, pause: float = 0.3) -> None:
        end = monotonic() + PATIENCE
        while not holds():
            if monotonic() > end:
                raise TimeoutError(f"{what} did not happen within {PATIENCE} s")
            Event().wait(pause)

    def stop(self) -> None:
        """A turn that is under way is done to its end."""
        self.enough.set()
        self.join(2 * PATIENCE)
        if self.is_alive():
            self.ended_early.append("its last turn has no end")

    def events(self) -> list[tuple[str, int]]:
        """Kind and subject of each event that was acknowledged, and that a webhook must be told of."""
        return []

    def checks(self, asking: Console) -> Iterator[Check]:
        """What was acknowledged, against what is stored."""
        raise NotImplementedError


def of_actors(actors: Sequence[Actor], asking: Console) -> Iterator[Check]:
    for each in actors:
        told = Counter[int]()
        for visitor in each.visitors:
            told += visitor.statuses
        again = sum(count for status, count in told.items() if status == BROKEN or status in FOR_NOW)
        requests = f"{told.total():,} requests, {again:,} of them in vain for now"
        yield Check(each.what, "", f"{each.turns:,} turns, {requests}", each.turns > 0)
        yield from each.checks(asking)
    yield none(
        "errors that staff, programs and these respondents saw, other than 503 in words",
        [wrong for each in actors for visitor in each.visitors for wrong in visitor.wrong],
    )
    stuck = [f"{each.what}: {why}" for each in actors for why in each.ended_early]
    yield none("actors that could not go on", stuck)
