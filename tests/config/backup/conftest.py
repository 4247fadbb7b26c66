"""An instance of the product on a database of its own, its commands, every row that lies in it, its files' bytes.

It may be filled with something in every room, and values that are easily bent on the way.
"""

import itertools
import json
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from accounts import role_assignment
from accounts.activity_log import log_activity
from accounts.models import RESEARCHERS, REVIEWERS, Lockout, Person
from api import tokens
from api.models import Event, EventKind, Scope, Webhook
from api.webhooks.outbox import new_delivery, new_webhook_secret
from intake.batches import merging
from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind, hash_with_secret
from intake.field_devices.models import FieldDevice, FieldLot
from intake.invitations import tokens as invitations
from intake.rehearsal.models import Truth
from jobs.models import Lease, Trial, Worker
from mining.parameters import Parameters
from releases import uploads
from reports.models import Review
from reports.review import report_state_changes, rule_decisions
from runs import run_start
from runs.copied_record_detection import find_copies_in_new_batches
from runs.models import Histogram, Rule
from surveys.lifecycle import field_device_keys, state_changes as lifecycle
from surveys.models import Collaborator, Survey
from tests import commands, servers
from tests.intake import asked
from tests.runs import sealed
from tests.surveys import drafts

NUMBERS = itertools.count()
SECRET = secrets.token_hex(32)
PRELUDE = """
import json, os, signal
from datetime import date, timedelta
from pathlib import Path
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.utils import timezone
from accounts.models import Person
from config.backup import archive, backing_up
from intake.invitations.tokens import create_tokens
from intake.models import FreshKey, SeenKeys, SpentToken, Token
from jobs.models import Trial, Worker
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from tests.intake import asked
"""
"""What programs for the shell need not import."""
Rows = dict[str, list[str]]


@dataclass
class Done:
    """A command that has ended: its status, what it wrote as JSON, and what it told the operator."""

    status: int
    json: dict[str, Any]
    said: str


@dataclass
class Instance:
    var: Path
    database: dict[str, str]
    secret: str = SECRET
    more: dict[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        mail = f"file://{self.var}/mail"
        own = {"VAR": str(self.var), "SECRET_KEY": self.secret, "MAIL_URL": mail}
        return servers.environment(**own, **self.database, **self.more)

    @property
    def list(self) -> Path:
        return self.var / "since-backups.list"

    def shell(self, code: str, value: str = "None") -> Any:
        """Run this; the value of an expression after it."""
        program = f"{PRELUDE}{code}\nprint(json.dumps({value}, default=str))"
        return json.loads(servers.manage(self.env, "shell", "--verbosity=0", "-c", program))

    def run_command(self, *words: str, typed: str = "") -> Done:
        done = commands.run(self.env, *words, typed=typed)
        assert "Traceback" not in done.stderr, done.stderr[-3000:]
        return Done(done.returncode, json.loads(done.stdout or "{}"), done.stderr)

    def back_up(self, name: str = "first") -> Path:
        path = self.var / f"{name}.backup"
        done = self.run_command("backup", str(path))
        assert done.status == 0, done.said
        return path

    def restore(self, path: Path, *options: str) -> Done:
        done = self.run_command("restore", str(path), *options)
        assert done.status == 0, done.said
        return done

    def refusal_of_restore(self, path: Path, *options: str, typed: str = "") -> str:
        """What a restore that is refused says. It has written nothing."""
        before = self.rows() if self.exists else {}
        done = self.run_command("restore", str(path), *options, typed=typed)
        assert (done.status, done.json) == (1, {}), done.said
        assert (self.rows() if self.exists else {}) == before
        return done.said

    @property
    def exists(self) -> bool:
        return "DATABASE_URL" in self.database or (self.var / "candor.sqlite3").exists()

    def rows(self) -> Rows:
        """Every row of every table as the database itself writes it."""
        if "DATABASE_URL" in self.database:
            return self._on_postgresql()
        with sqlite3.connect(self.var / "candor.sqlite3") as connection:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            names = [name for (name,) in tables.fetchall() if name != "sqlite_sequence"]
            return {name: sorted(map(repr, connection.execute(f"SELECT * FROM {name}"))) for name in names}

    def _on_postgresql(self) -> Rows:
        tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
        with psycopg.connect(self.database["DATABASE_URL"]) as connection:
            return {
                name: sorted(text for (text,) in connection.execute(f"SELECT t::text FROM {name} t".encode()))
                for (name,) in connection.execute(tables).fetchall()
            }


Make = Callable[..., Instance]


@pytest.fixture(scope="module", params=[pytest.param("sqlite", marks=pytest.mark.night), "postgresql"])
def make(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Make:
    """New instances with one key, each on a machine of its own, all on SQLite or all on PostgreSQL.

    At each push test_nothing_revived and test_refusals restore on SQLite.

    They are empty, `migrated`, or have the database of another one.
    """

    def make_instance(*, migrated: bool = False, copy_of: Instance | None = None, **more: Any) -> Instance:
        var = tmp_path_factory.mktemp("var")
        servers.compile_kernels()
        if request.param == "sqlite":
            if migrated or copy_of:
                shutil.copy(copy_of.var / "candor.sqlite3" if copy_of else servers.migrated_file(), var)
            return Instance(var, {}, **more)
        server: servers.Postgres = request.getfixturevalue("postgres")
        template = server.migrated() if migrated else "template1"
        if copy_of:
            template = copy_of.database["DATABASE_URL"].rpartition("/")[2]
        url = server.create(f"backup_{next(NUMBERS)}", template)
        return Instance(var, {"DATABASE_URL": url}, **more)

    return make_instance


@pytest.fixture
def sqlite_instance(tmp_path: Path) -> Instance:
    """A migrated one on SQLite."""
    shutil.copy(servers.migrated_file(), tmp_path)
    return Instance(tmp_path, {})


def take_list(of: Instance, to: Instance) -> Path:
    """The list, as an operator would have copied it away before the disk was lost."""
    path = to.var / "kept.list"
    shutil.copy(of.list, path)
    return path


# --- the bytes of a database's own files ------------------------------------------------------------------


def read_files(of: Instance, request: pytest.FixtureRequest) -> bytes:
    """All files of an instance's database."""
    if "DATABASE_URL" not in of.database:
        return b"".join(path.read_bytes() for path in sorted(of.var.glob("candor.sqlite3*")))
    with psycopg.connect(of.database["DATABASE_URL"], autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        row = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
    assert row
    postgres: servers.Postgres = request.getfixturevalue("postgres")
    folder = postgres.data / "base" / str(row[0])
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())


def hashes(of: Instance, survey: int, tokens: list[str]) -> list[bytes]:
    """As the invitations of this survey are stored."""
    secret = of.shell(
        "from intake.endpoint.keyed_hashes_of_secrets import get_or_create_survey_secret",
        f"get_or_create_survey_secret({survey}).hex()",
    )
    return [hash_with_secret(bytes.fromhex(secret), HashedTextKind.LINK, token) for token in tokens]


def values_in_content(content: bytes, values: Sequence[str | bytes]) -> list[str | bytes]:
    return [value for value in values if (value.encode() if isinstance(value, str) else value) in content]


# --- something in every room, and values that are easily bent on the way ---


ASKS = asked.design(least=20)
ODD = "tab\t line\nreturn\r backslash\\ \\N \\. quote\"' 汉字 \U0001f980 \u2028 end"
WHEN = datetime(2026, 11, 20, 1, 2, 3, 999_999, tzinfo=UTC)


def person(username: str, role: str = "", **more: object) -> Person:
    made = Person.objects.create_user(username, f"{username}@example.org", "a-long-password", **more)
    if role:
        role_assignment.give_role(made, role, by=None)
    return made


def fill_database() -> dict[str, int]:
    """The numbers of: a survey that people answer by invitation, a closed one with a published run, a draft."""
    owner = person("olga", RESEARCHERS, name=ODD)
    reviewer = person("ruth", REVIEWERS)
    person("closed", is_active=False)
    draft = Survey.objects.create(owner=owner, draft=drafts.complete() | {"contact": ODD})
    Collaborator.objects.create(survey=draft, person=reviewer, may_edit=True)
    field_device_keys.add_field_keys_to_draft(draft, draft.draft)
    device = FieldDevice.objects.create(
        survey=draft, label=ODD[:60], people=60, ticket=b"\0" * 16, secret=b"\\" * 16
    )
    FieldLot.objects.create(device=device, number=1, hash=b"\xff" * 16)
    # A number that was given and is free again.
    # Not through save(), which would remember its owner for good.
    Survey.objects.bulk_create([Survey(owner=owner, draft={})])[0].delete()
    answered = asked.survey(ASKS, invited=True, owner=owner, destroy_on=date(2031, 1, 1))
    for number, token in enumerate(invitations.create_tokens(answered, 60)[:45]):
        asked.post(answered, asked.envelope(ASKS, number, token=token))
    closed = sealed.survey(owner, sealed.small_design(), [300] * 8, destroy_on=date(2030, 5, 1))
    find_copies_in_new_batches(timezone.now())
    merging.reduce_batches_by_merging(closed.pk)
    _publish(closed, owner, reviewer)
    uploads.store_upload(owner, "accounts.csv", b"age,town\n30,Aa\n", timezone.now())
    counts, disguised = bytes(range(256)), bytes(range(255, -1, -1))
    Truth.objects.create(survey=closed, n=3, size=1, counts=counts, disguised=2, disguised_counts=disguised)
    Histogram.objects.update_or_create(survey=closed, through=9, defaults={"data": b"\n\\\x00\t" * 99})
    log_activity(owner, "surveys.edited", draft, note=ODD, when=WHEN)
    LogEntry.objects.create(user=reviewer, object_id="1", object_repr=ODD, action_flag=CHANGE)
    trial = Trial(
        person=reviewer, created=WHEN, fraction=1 / 3, words={"odd": [ODD, 1e-300, None, True, 2**60]}
    )
    trial.save()
    _programs(owner)
    _add_passing_rows(owner)
    Person.objects.create(username="gone").delete()
    return {"answered": answered.pk, "closed": closed.pk, "draft": draft.pk}


def _publish(survey: Survey, owner: Person, reviewer: Person) -> None:
    wanted = Parameters(min_support=0.1, min_confidence=0.3)
    run = sealed.work(run_start.start_mining_run(survey, owner, wanted, timezone.now()))
    report_state_changes.create_reviews_of_finished_runs(timezone.now())
    review = Review.objects.get(run=run)
    rules = Rule.objects.filter(run=run, place__lt=2)
    rule_decisions.decide_rules(review, reviewer, rules, rule_decisions.Verdict.ACCEPT, ODD, timezone.now())
    report_state_changes.publish(review, reviewer, [], "https://example.org", timezone.now())


def _add_passing_rows(owner: Person) -> None:
    """What is of no use later, or would be of too much."""
    session = SessionStore()
    session["secret"] = "who is signed in"
    session.create()
    soon = timezone.now() + timedelta(hours=1)
    Lockout.objects.create(cache_key="failed", value="3", expires=soon)
    Lease.objects.create(name="tick", holder="w1", until=soon)
    Worker.objects.create(name="w1", heard=WHEN)


def _programs(owner: Person) -> None:
    """A token, and a webhook with an event that waits."""
    now = timezone.now()
    tokens.create_token(owner, ODD[:60], [Scope.OPEN], now + timedelta(days=1), now)
    about = {"address": "https://203.0.113.1/", "secret": new_webhook_secret(), "events": [], "created": now}
    webhook = Webhook.objects.create(person=owner, **about)
    event = Event.objects.create(kind=EventKind.TEST, thing=webhook.pk, happened=now, expanded=now)
    new_delivery(event, webhook, now).save()


# --- surveys whose records are texts that nothing else in a file can be ------------------------------------

# 30 digits in base 8 are 90 bits.
TELLTALE = asked.design(least=20, digits=30)


def answer(survey: Survey, n: int, tokens: Sequence[str | None] = ()) -> list[str]:
    """So many people answer; their records as they lie in the inbox."""
    sent = [asked.envelope(TELLTALE, secrets.randbelow(8**30), token=token) for token in tokens or [None] * n]
    assert {asked.post(survey, each).status_code for each in sent} == {201}
    return [f"1{each.record.answers}" for each in sent]


def destroy(survey: Survey) -> None:
    lifecycle.close_survey(survey, None, timezone.now())
    lifecycle.destroy_survey(survey, None, timezone.now())
