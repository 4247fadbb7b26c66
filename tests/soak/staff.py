"""Staff and programs at work.

Somebody builds a draft, a researcher starts runs, a reviewer publishes, an owner makes releases; a program closes
surveys by the HTTP API, and one is told of events, and often does not take them.
"""

import hashlib
import hmac
import io
import json
import re
import secrets
import zipfile
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from http.server import ThreadingHTTPServer
from random import Random
from typing import Any

from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from accounts.models import Person
from api import tokens
from api.models import Delivery, Event, EventKind, Scope
from api.webhooks import outbox
from releases.models import Release, ReleasedTable
from reports.models import Decision, Publication
from runs.models import Run
from surveys.models import Survey
from tests import servers
from tests.releases.conftest import USUAL_CRITERIA, everybody, plain_design, plain_survey_anew
from tests.runs import sealed
from tests.soak.actors import CSRF, Actor, Reply, Visitor
from tests.soak.load import Check, check_none
from tests.soak.system import PATIENCE, Console
from tests.surveys import drafts

DONE = (200, 302)


def sign_in(username: str) -> str:
    person, session = Person.objects.get(username=username), SessionStore()
    session["_auth_user_id"] = str(person.pk)
    session["_auth_user_backend"] = "django.contrib.auth.backends.ModelBackend"
    session["_auth_user_hash"] = person.get_session_auth_hash()
    session.save()
    return str(session.session_key)


def browser(port: int, asking: Console, username: str) -> Visitor:
    """Of somebody who is signed in."""
    session = asking.call(sign_in, username)
    return Visitor(port, Cookie=f"candor-session={session}; candor-csrf={CSRF}")


# --- a draft


def new_draft() -> int:
    owner = Person.objects.get(username="owner")
    return Survey.objects.create(owner=owner, draft=drafts.complete()).pk


def questions(pk: int) -> dict[str, str]:
    """The text of each question of a draft, by its name."""
    sections = Survey.objects.get(pk=pk).draft["sections"]
    return {each["name"]: each.get("text", {}).get("en", "") for each in sections[0]["questions"]}


class Building(Actor):
    """Adds questions and deletes them, as the page's script does: with a key of each command, sent again until there is
    a reply."""

    what = "a draft that is built"
    most = 12

    def __init__(self, port: int, asking: Console, seed: int) -> None:
        self.pk, self.visitor = asking.call(new_draft), browser(port, asking, "owner")
        super().__init__(seed, self.visitor)
        self.expected = list(asking.call(questions, self.pk))
        self.kept, self.added, self.refused = len(self.expected), 0, list[str]()

    def take_turn(self) -> None:
        page = self.visitor.get(f"/app/surveys/{self.pk}/edit").text
        key = {"idempotency_key": secrets.token_hex(16), "in": "en"}
        if len(self.expected) < self.most:
            shown = r'name="section" value="0"><input type="hidden" name="seen" value="([^"]+)"'
            seen = re.findall(shown, page)
            fields = {"do": "add", "section": "0", "kind": "yes-no", "seen": seen[0], **key}
        else:
            gone = self.random.choice(self.expected[self.kept :])
            fields = {"do": "delete", "key": gone, **key}
        act = f"/app/surveys/{self.pk}/edit/act"
        reply = self.visitor.ask_until_answered(lambda: self.visitor.post(act, fields, HX_Request="true"))
        event = json.loads(reply.headers.get("hx-trigger-after-settle", "{}")).get("builder:done")
        if reply.status != 200 or event is None:
            self.refused.append(f"{fields['do']}: {reply.status} {reply.text[:300]}")
        elif fields["do"] == "add":
            self.expected.append(event["key"])
            self.added += 1
        else:
            self.expected.remove(fields["key"])

    def checks(self, asking: Console) -> Iterator[Check]:
        stored = list(asking.call(questions, self.pk))
        lost = [name for name in self.expected if name not in stored]
        more = [name for name in stored if name not in self.expected]
        yield check_none("questions lost that were added to a draft", lost, f" of {self.added}")
        yield check_none("questions added twice, or there after they were deleted", more)
        yield check_none("commands that the builder refused", self.refused)


# --- runs, decisions, publications and files

KINDS = ("csv", "json", "excel", "parquet")


def closed_survey() -> int:
    owner = Person.objects.get(username="owner")
    return sealed.survey_anew(owner, sealed.small_design(), [300, 300]).pk


def publication_rows(survey: int) -> list[list[Any]]:
    """Run, its minimum support, state of its report, publications of it, and whether its first rule was accepted and
    is among those published."""
    rows = []
    for run in Run.objects.filter(survey=survey).select_related("review").order_by("pk"):
        made = list(Publication.objects.filter(run=run))
        accepted = Decision.objects.filter(rule__run=run, verdict=Decision.Verdict.ACCEPT).exists()
        state = run.review.state if hasattr(run, "review") else ""
        told = accepted and all(each.rules for each in made)
        rows.append([run.pk, run.parameters["min_support"], state, len(made), told])
    return rows


def is_whole(body: bytes) -> bool:
    """Whether a file can be read to its end: all but JSON are archives."""
    try:
        if body.startswith(b"PK"):
            return zipfile.ZipFile(io.BytesIO(body)).testzip() is None
        return bool(json.loads(body))
    except (ValueError, zipfile.BadZipFile):
        return False


class Publishing(Actor):
    """A researcher starts a run, a reviewer decides and publishes, readers fetch files, and every third report is
    withdrawn. What got no reply is looked for before it is done again, as people do."""

    what = "reports"
    # Each run is repeated at the end.
    pause = (1.0, 5.0)

    def __init__(self, port: int, asking: Console, seed: int) -> None:
        self.survey = asking.call(closed_survey)
        self.researcher, self.reviewer = (browser(port, asking, name) for name in ("owner", "ruth"))
        super().__init__(seed, self.researcher, self.reviewer)
        self.started: list[int] = []
        self.published: dict[int, dict[str, bytes]] = {}
        """By run the files that were fetched first."""
        self.withdrawn: list[int] = []
        self.refused: list[str] = []
        self.half: list[str] = []
        self.differing: list[str] = []
        self.files = 0

    def take_turn(self) -> None:
        run = self.start_run()
        outcome = f"/app/runs/{run}/outcome"
        self.wait_until(lambda: self.researcher.get(outcome).status == 200, f"run {run}", 0.5)
        self.decide(run)
        self.post_until_done(run, "publish", {}, lambda: self.is_readable(run))
        self.published[run] = {}
        self.fetch(run)
        if len(self.published) % 3 == 0:
            gone = self.random.choice([each for each in self.published if each not in self.withdrawn])
            self.post_until_done(
                gone, "withdraw", {"reason": f"Report {gone}"}, lambda: not self.is_readable(gone)
            )
            self.withdrawn.append(gone)
        there = [each for each in self.published if each not in self.withdrawn]
        self.fetch(self.random.choice(there or [run]))

    def start_run(self) -> int:
        address, known = f"/app/surveys/{self.survey}/runs", self.runs()
        # A threshold of its own makes it another run than those before.
        sent = {
            "min_support": 5 + len(self.started) / 100,
            "min_confidence": 30,
            "max_size": 3,
            "mlxtend": "never",
            "estimator": "stratified",
            "standard_errors": 3,
        }

        def ask() -> Reply:
            if new := self.runs() - known:
                return Reply(302, {"location": f"/app/runs/{new.pop()}/"})
            return self.researcher.post(address, sent)

        reply = self.researcher.ask_until_answered(ask)
        found = re.findall(r"/app/runs/(\d+)/", reply.redirect_place)
        if not found:
            raise AssertionError(f"no run was started: {reply.status} {reply.text[-1500:]}")
        self.started.append(int(found[0]))
        return self.started[-1]

    def runs(self) -> set[str]:
        """The newest ones."""
        page = self.researcher.get(f"/app/surveys/{self.survey}/runs").text
        return set(re.findall(r"/app/runs/(\d+)/", page))

    def decide(self, run: int) -> None:
        # The list of the reviewer takes finished runs in.
        self.reviewer.get("/app/admin/reports/review/")
        reply = self.reviewer.ask_until_answered(
            lambda: self.reviewer.post(
                f"/app/admin/reports/review/{run}/rules/1/judge",
                {"verdict": "accept", "note": f"run {run}"},
                Accept="application/json",
                HX_Request="true",
            )
        )
        if reply.status not in DONE:
            self.refused.append(f"a decision on run {run}: {reply.status} {reply.text[:200]}")

    def post_until_done(self, run: int, what: str, fields: dict[str, Any], is_done: Any) -> None:
        def ask() -> Reply:
            if is_done():
                return Reply(200)
            return self.reviewer.post(f"/app/admin/reports/review/{run}/{what}", fields)

        reply = self.reviewer.ask_until_answered(ask)
        if reply.status not in DONE or not is_done():
            self.refused.append(f"{what} run {run}: {reply.status} {reply.text[-300:]}")

    def is_readable(self, run: int) -> bool:
        return self.researcher.get(f"/app/reports/{run}/files").status == 200

    def fetch(self, run: int) -> None:
        for kind in KINDS:
            reply = self.researcher.get(f"/app/reports/{run}/files/{kind}")
            if reply.status != 200:
                self.refused.append(f"{kind} of report {run}: {reply.status}")
                continue
            self.files += 1
            if not is_whole(reply.body):
                self.half.append(f"{kind} of report {run}")
            elif self.published[run].setdefault(kind, reply.body) != reply.body:
                self.differing.append(f"{kind} of report {run}")

    def expected_events(self) -> list[tuple[str, int]]:
        """Not of what was withdrawn, perhaps before it was sent."""
        return [("report.published", run) for run in self.published if run not in self.withdrawn]

    def checks(self, asking: Console) -> Iterator[Check]:
        rows = asking.call(publication_rows, self.survey)
        states = {run: (state, publications) for run, _support, state, publications, _told in rows}
        wanted = {run: ("withdrawn" if run in self.withdrawn else "published", 1) for run in self.published}
        lost = [f"{run}: {states.get(run)}" for run, state in wanted.items() if states.get(run) != state]
        yield check_none(
            "reports that are not as they were published or withdrawn", lost, f" of {len(wanted)}"
        )
        told = {run for run, *_rest, is_told in rows if is_told}
        undecided = sorted(self.published.keys() - told)
        yield check_none(
            "decisions of a reviewer that are not stored, or not published", undecided, f" of {len(wanted)}"
        )
        supports = Counter(support for _run, support, *_rest in rows)
        doubled = [f"{support:g}" for support, n in supports.items() if n > 1]
        doubled += [str(run) for run in set(self.started) - states.keys()]
        yield check_none(
            "runs of a researcher that were started twice, or lost", doubled, f" of {len(self.started)}"
        )
        yield check_none("what a researcher or a reviewer was refused", self.refused)
        yield check_none("files of reports that are not whole", self.half, f" of {self.files:,}")
        yield check_none("files of reports with other bytes than before", self.differing)


# --- releases, all of the same records, so that all must be alike


CRITERIA = USUAL_CRITERIA | {"max_frequency": ""}
EVERY = 15
"""Seconds for which there is one survey: two releases of one would be held beside each other."""


def closed_surveys(count: int) -> list[int]:
    owner, design = Person.objects.get(username="owner"), plain_design()
    return [plain_survey_anew(owner, design, [everybody(40)]).pk for _ in range(count)]


def release_rows() -> list[list[Any]]:
    """Release, survey, state, and how many tables it has."""
    return [
        [row.pk, row.source.survey_id, row.state, ReleasedTable.objects.filter(making__release=row).count()]
        for row in Release.objects.select_related("source").order_by("pk")
    ]


class Releasing(Actor):
    what = "releases"

    def __init__(self, port: int, asking: Console, seed: int, seconds: float) -> None:
        self.left = asking.call(closed_surveys, max(6, round(seconds / EVERY)))
        self.owner, self.reviewer = (browser(port, asking, name) for name in ("owner", "rita"))
        super().__init__(seed, self.owner, self.reviewer)
        self.approved: dict[int, int] = {}
        """Release -> its survey."""
        self.tables: dict[str, list[int]] = {}
        """Digest of the downloaded table -> the releases that had it."""
        self.half: list[str] = []
        self.downloads = 0

    def take_turn(self) -> None:
        if not self.left:
            self.download(self.random.choice(list(self.approved)))
            return
        survey = self.left.pop()
        release = self.begin_release(survey)
        at = f"/app/releases/{release}"
        self.ask_until_done("criteria", lambda: self.owner.post(f"{at}/criteria", CRITERIA))
        self.owner.ask_until_answered(lambda: self.owner.post(f"{at}/start", {}))

        def is_made() -> bool:
            """A job that failed for good makes it a draft again, which is started again."""
            if f"{at}/criteria" in self.owner.get(f"{at}/").text:
                self.owner.post(f"{at}/start", {})
            return f"{at}/approve" in self.reviewer.get(f"{at}/").text

        self.wait_until(is_made, f"release {release}", 0.5)
        self.ask_until_done("approve", lambda: self.approve(at))
        self.approved[release] = survey
        for _time in range(2):
            self.download(release)
        self.download(self.random.choice(list(self.approved)))

    def begin_release(self, survey: int) -> int:
        address = f"/app/surveys/{survey}/releases"

        def ask() -> Reply:
            found = re.findall(r"/app/releases/(\d+)/", self.owner.get(address).text)
            if found:
                return Reply(302, {"location": f"/app/releases/{found[0]}/"})
            return self.owner.post(address, {"which": "plain"})

        reply = self.ask_until_done("begin", ask)
        return int(re.findall(r"/app/releases/(\d+)/", reply.redirect_place)[0])

    def approve(self, at: str) -> Reply:
        """Not again where the reply to the first time was lost."""
        page = self.reviewer.get(f"{at}/").text
        return self.reviewer.post(f"{at}/approve", {"note": ""}) if f"{at}/approve" in page else Reply(200)

    def ask_until_done(self, what: str, ask: Any) -> Reply:
        reply = self.owner.ask_until_answered(ask)
        if reply.status not in DONE:
            raise AssertionError(f"{what} was refused: {reply.status} {reply.text[-1500:]}")
        return reply

    def download(self, release: int) -> None:
        reply = self.owner.ask_until_answered(
            lambda: self.owner.post(f"/app/releases/{release}/files", {"kind": "csv"})
        )
        self.downloads += 1
        try:
            with zipfile.ZipFile(io.BytesIO(reply.body)) as packed:
                assert packed.testzip() is None
                table = packed.read("release.csv")
        except (zipfile.BadZipFile, AssertionError, KeyError) as error:
            self.half.append(f"release {release}: {reply.status} {error}")
            return
        self.tables.setdefault(hashlib.sha256(table).hexdigest(), []).append(release)

    def expected_events(self) -> list[tuple[str, int]]:
        return [("release.approved", release) for release in self.approved]

    def checks(self, asking: Console) -> Iterator[Check]:
        rows = {
            release: (survey, state, tables) for release, survey, state, tables in asking.call(release_rows)
        }
        lost = [
            f"{release}: {rows.get(release)}"
            for release, survey in self.approved.items()
            if rows.get(release) != (survey, "approved", 1)
        ]
        yield check_none(
            "approved releases that are not, or have not one table", lost, f" of {len(self.approved)}"
        )
        surveys = [survey for survey, _state, _tables in rows.values()]
        yield check_none(
            "releases begun twice", sorted({each for each in surveys if surveys.count(each) > 1})
        )
        unmade = [
            release
            for release, (_survey, state, tables) in rows.items()
            if (tables > 0) != (state in ("checked", "approved"))
        ]
        yield check_none("releases with half a table, or none though made", unmade)
        yield check_none("downloads that are not whole", self.half, f" of {self.downloads:,}")
        others = sorted(self.tables.values(), key=len)[:-1]
        yield check_none("releases whose table has another digit than the others", others)


# --- programs: one closes surveys by the HTTP API, and one receives webhooks


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

        class Handler(servers.HTTPHandler):
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
                    self.send(b"")

        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)

    @property
    def settings(self) -> dict[str, str]:
        return {"WEBHOOK_HTTP": "yes", "WEBHOOK_NETWORKS": "127.0.0.1/32", "WEBHOOK_PORTS": str(self.port)}

    def run_receiver(self) -> AbstractContextManager[int]:
        return servers.serve(self.server)


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


def delivery_rows() -> list[list[Any]]:
    """Event, kind, subject, id of its delivery and state."""
    rows = Delivery.objects.select_related("event").order_by("event")
    return [[each.event_id, each.event.kind, each.event.thing, each.message, each.state] for each in rows]


def survey_state_rows(title: str) -> list[list[Any]]:
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

    def take_turn(self) -> None:
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
        reply = self.visitor.ask_until_answered(
            lambda: self.visitor.ask("POST", path, body, Idempotency_Key=key, **more)
        )
        if reply.status in (200, 201):
            return reply.json
        told = self.cut_off if reply.status == 409 and b"key-in-use" in reply.body else self.refused
        told.append(f"{path}: {reply.status} {reply.text[:200]}")
        return None

    def expected_events(self) -> list[tuple[str, int]]:
        return [("survey.closed", pk) for pk in self.closed.values()]

    def checks(self, asking: Console) -> Iterator[Check]:
        """The receiver fails no more, and time passes until all is delivered."""
        self.receiver.random = Random(0)
        self.receiver.random.random = lambda: 1.0  # type: ignore[method-assign]
        servers.wait(lambda: asking.call(pass_time) == 0, "the end of all deliveries", PATIENCE, pause=2.5)
        rows, taken = asking.call(delivery_rows), Counter(self.receiver.taken)
        surveys = asking.call(survey_state_rows, "Told ")
        titles = Counter(title for _pk, title, _state in surveys)
        doubled = [title for title, n in titles.items() if n > 1]
        yield check_none("surveys that the API made twice", doubled, f" of {len(titles)}")
        closed_now = {pk for pk, _title, state in surveys if state == "closed"}
        lost = [title for title, pk in self.closed.items() if pk not in closed_now]
        yield check_none("surveys closed by the API that are not", lost, f" of {len(self.closed)}")
        yield check_none("what the API refused", self.refused)
        cut_off = "requests of the API of which nobody knows what they did, since they were cut off"
        yield Check(cut_off, "", f"{len(self.cut_off)}", True)
        kinds = Counter(kind for _event, kind, *_rest in rows)
        told = ", ".join(f"{n:,} × {kind}" for kind, n in kinds.most_common())
        told += f"; refused by the receiver {self.receiver.refused}, hung up {self.receiver.hung_up}"
        yield Check("events", "", told, bool(rows))
        noted = Counter((kind, thing) for _event, kind, thing, *_rest in rows)
        acknowledged = [event for each in (self, *self.others) for event in each.expected_events()]
        unknown = [f"{kind} {thing}" for kind, thing in acknowledged if noted[kind, thing] != 1]
        yield check_none(
            "acknowledged acts without one event of theirs", unknown, f" of {len(acknowledged):,}"
        )
        missed = [
            f"{kind} {thing}"
            for _event, kind, thing, message, state in rows
            if state != "dropped" and not taken[message]
        ]
        yield check_none("events that never reached their receiver", missed, f" of {len(rows):,}")
        believed = [message for *_rest, message, state in rows if state == "delivered" and not taken[message]]
        yield check_none("deliveries taken for done that were not", believed)
        known = {message for *_rest, message, _state in rows}
        yield check_none("deliveries of no event", sorted(set(taken) - known))
        differing = [message for message, bodies in self.receiver.bodies.items() if len(bodies) > 1]
        yield check_none("deliveries whose content differs from one try to the next", differing)
        unsigned = [
            sent["webhook-id"] for sent, body in self.receiver.requests if not self.is_signed(sent, body)
        ]
        yield check_none("deliveries that are not signed", unsigned)
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
