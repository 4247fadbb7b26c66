"""Nobody below a reviewer can watch answers come: pages say in tenths how many wait, and nothing says it exactly."""

import json
import logging
import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.core import mail
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.urls import resolve
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from accounts.models import RESEARCHERS, History
from intake.models import Inbox
from surveys.lifecycle import state_changes as lifecycle
from surveys.lifecycle.record_counts import Counts
from surveys.models import Survey
from tests import world as worlds
from tests.cast import with_role
from tests.jobs.conftest import broker
from tests.world import World, addresses_by_route
from ui import pdf

__all__ = ["broker"]
pytestmark = [pytest.mark.django_db, pytest.mark.page]
LEAST = 1000
WATCHED = ("opened", "invited", "rehearsal", "closed", "counted")
# The third tenth of 2,500 is 500 to 749, of the 50 of `counted` 10 to 14: all of them fewer than a batch.
NOBODY, ALMOST_A_TENTH = (0, 0), (187, 3)
WITHIN_A_TENTH = ((617, 11), (743, 14))
DISTINCTIVE = re.compile(r"(?<![\w.,-])(187|617|743)(?![\w-]|[.,]\d)")
# Whoever signs out sees no more pages; the other two carry a new secret each time.
APART = {"accounts:sign-out", "accounts:password-reset-confirm", "accounts:invitation"}
# What differs from one request to the next for everybody.
NOISE = [
    re.compile(r'name="csrfmiddlewaretoken" value="\w+"'),
    re.compile(r'data-token="\w+"|"token": ?"\w+"'),
    re.compile(r"&quot;X-CSRFToken&quot;: &quot;\w+&quot;|X-CSRFToken\W+\w+"),
]


@pytest.fixture(scope="module")
def built_world(shared_rows: None, django_db_blocker: DjangoDbBlocker) -> tuple[World, datetime]:
    now = timezone.now()
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patched:
        patched.setattr(timezone, "now", lambda: now)
        return worlds.build(least=LEAST), now


@pytest.fixture
def world(built_world: tuple[World, datetime], monkeypatch: pytest.MonkeyPatch) -> World:
    """While no time passes, and where a PDF is the page that it is made of: in compressed bytes any number can stand by
    chance, and a number that is told cannot be found."""
    world, now = built_world
    monkeypatch.setattr(timezone, "now", lambda: now)
    monkeypatch.setattr(pdf, "is_pdf_available", lambda: True)
    monkeypatch.setattr(pdf, "render_pdf", lambda html, paper: f"{paper} {html}".encode())
    return world


def let_wait(surveys: Mapping[str, Survey], n: int, small: int) -> None:
    """n records in each watched survey, fewer in the one with small batches."""
    Inbox.objects.all().delete()
    for survey in (surveys[name] for name in WATCHED if name in surveys):
        assert survey.design
        record = b"1" + b"0" * survey.design.content.width
        many = n if survey.least == LEAST else small
        Inbox.objects.bulk_create(Inbox(survey=survey, record=record) for _place in range(many))


OF_A_SURVEY: tuple[str, ...] = ("surveys:", "builder:", "invitations:", "recordfiles:", "rehearsal:")
OF_A_SURVEY += ("runs:runs", "runs:forecast", "releases:of_survey")


def addresses(world: World) -> Iterator[tuple[str, bool]]:
    """Addresses of watched surveys, and those that name none; whether forms are sent there."""
    theirs = {survey.pk for name, survey in world.surveys.items() if name in WATCHED}
    for route, found in addresses_by_route(world).items():
        if not route.startswith(("admin:", "intake:")) and route not in APART:
            for address in found:
                of_survey = route.startswith(OF_A_SURVEY)
                named = resolve(address).kwargs.get("pk")
                if not of_survey or named is None or named in theirs:
                    yield address, of_survey


FORMS: list[dict[str, str]] = [{}, {"cap": "2700", "destroy_on": "2099-12-31", "n": "3", "kind": "csv"}]


class Statements:
    """Whether one changed a row of anything but a session, and whether one looked at the answers that wait."""

    def __init__(self) -> None:
        self.wrote = self.looked = False

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        self.wrote |= sql.startswith(("INSERT", "UPDATE", "DELETE")) and "django_session" not in sql
        self.looked |= Inbox._meta.db_table in sql
        return execute(sql, params, many, context)


@dataclass
class Seen:
    """What each place tells: pages, forms, e-mails; `counted`: where a statement looked at the answers that wait."""

    told: dict[str, str] = field(default_factory=dict)
    counted: set[str] = field(default_factory=set)

    def ask_and_note(self, place: str, ask: Callable[[], str]) -> str:
        statements = Statements()
        with connection.execute_wrapper(statements):
            said = self.told[place] = ask()
        if statements.looked:
            self.counted.add(place)
        return said

    @property
    def places_to_compare(self) -> set[str]:
        """Where the answers that wait were looked at; of forms to one address that were answered alike, one."""
        alike: dict[tuple[str, str], str] = {}
        for place in sorted(self.counted):
            alike.setdefault((place.split()[1], self.told[place]), place)
        return set(alike.values())


def client_of(world: World, who: str) -> Client:
    client = Client()
    client.force_login(world.people[who], "django.contrib.auth.backends.ModelBackend")
    return client


def everything_shown(world: World, who: str, among: Container[str] | None = None) -> Seen:
    """All that this person is told, or what is told in these places."""
    client = client_of(world, who)
    found, wrong_methods = Seen(), set[tuple[str, str]]()
    for address, sends in addresses(world):
        route = resolve(address).view_name
        for method, data in (("GET", {}), *(("POST", data) for data in FORMS if sends)):
            place = f"{method} {address} {data or ''}"
            if place not in among if among is not None else (method, route) in wrong_methods:
                continue
            mail.outbox.clear()
            with transaction.atomic():
                ask = answer_after_post if method == "POST" else answer_after_get
                said = found.ask_and_note(place, partial(ask, client, address, data))
                transaction.set_rollback(method == "POST")
            # A view looks at the method and the person first: what it refuses, it refuses whatever is sent.
            if said.startswith("405"):
                wrong_methods.add((method, route))
            if said.startswith("403"):
                break
    return found


def answer_after_get(client: Client, address: str, _data: dict[str, str]) -> str:
    return text_without_noise(client.get(address, follow=True))


def answer_after_post(client: Client, address: str, data: dict[str, str]) -> str:
    """The answer, and the page that it leads to where that shows something else than without the form."""
    statements = Statements()
    with connection.execute_wrapper(statements):
        answer = client.post(address, data)
    said = text_without_noise(answer) + "".join(f"{m.subject}{m.body}" for m in mail.outbox)
    if answer.status_code not in (301, 302):
        return said
    said += answer["Location"]
    if statements.wrote:
        return said + text_without_noise(client.get(answer["Location"], follow=True))
    # Only what is said of the form is new on that page, which is walked by itself.
    return said + "".join(map(str, get_messages(answer.wsgi_request)))


def text_without_noise(answer: Any) -> str:
    body = b"".join(answer) if answer.streaming else answer.content
    if body[:2] == b"PK":
        body = b"zip"  # record files or spreadsheets: times stand in it, but no counts of what waits
    text = body.decode(errors="replace")
    for noise in NOISE:
        text = noise.sub("", text)
    return f"{answer.status_code} {text}"


@pytest.mark.night
@pytest.mark.parametrize("who", ["owner", "editor", "viewer"])
def test_pages_do_not_change_within_a_tenth_of_waiting_records(
    world: World, caplog: pytest.LogCaptureFixture, who: str
) -> None:
    """Every page, what every form of a survey says to nothing and to a mistake, and every e-mail.

    Where no statement looks at the answers that wait, nothing can depend on them: one walk is enough there.
    """
    # Every refusal would be a warning of Django's.
    caplog.set_level(logging.ERROR, logger="django.request")
    let_wait(world.surveys, *NOBODY)
    first = everything_shown(world, who)
    assert {"GET /app/surveys/ ", f"GET /app/surveys/{world.surveys['opened'].pk}/ "} <= first.counted
    walks = [first]
    # The others see no more of a survey than its owner, and a number that is told shows in either pair.
    for numbers in (ALMOST_A_TENTH, *(WITHIN_A_TENTH if who == "owner" else ())):
        let_wait(world.surveys, *numbers)
        walks.append(everything_shown(world, who, first.places_to_compare))
    for walk, other in zip(walks[::2], walks[1::2], strict=True):
        assert [place for place in other.told if walk.told[place] != other.told[place]] == []
    told = [item for walk in walks for item in walk.told.items()]
    assert [place for place, text in told if DISTINCTIVE.search(text)] == []


@pytest.mark.night
def test_command_reports_waiting_records_in_tenths(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    for waiting, (low, high) in {0: (0, 249), 248: (0, 249), 616: (500, 749), 742: (500, 749)}.items():
        with transaction.atomic():
            let_wait(world.surveys, waiting, 0)
            call_command("simulate_respondents", world.surveys["rehearsal"].slug, "-n", "1")
            transaction.set_rollback(True)
        said = {"stored": 1, "sealed": 0, "waiting": {"at_least": low, "at_most": high}}
        assert json.loads(capsys.readouterr().out) == said, waiting


@pytest.mark.night
def test_pdf_is_compared_by_its_source_page(world: World) -> None:
    client, found = client_of(world, "owner"), addresses_by_route(world)
    pages = [answer_after_get(client, address, {}) for address in found["reports:print"]]
    made = [answer_after_get(client, address, {}) for address in found["reports:pdf"]]
    shown = [(page, file) for page, file in zip(pages, made, strict=True) if page.startswith("200")]
    assert shown
    assert [(page[:4], page[4:]) for page, _file in shown] == [(file[:4], file[7:]) for _page, file in shown]


def test_survey_history_never_states_how_many_wait() -> None:
    owner = with_role(RESEARCHERS, "somebody")
    survey = worlds.open_survey(owner, LEAST)
    let_wait({"opened": survey}, 617, 11)
    lifecycle.close_survey(survey, owner, timezone.now())
    lifecycle.reopen_survey(survey, owner, timezone.now())
    assert not [act.note for act in History.objects.about(survey) if DISTINCTIVE.search(act.note)]


def test_compared_pages_include_waiting_counts_and_change_at_the_sealing_bound() -> None:
    for least in (20, 21, 100, 101):
        for waiting in (0, 19, 20, 49, 50, 99, 100, 137, 199, 200, 249, 250, 251, 350):
            shown = Counts(7, waiting).as_shown_to_people(least)
            assert shown.waiting_at_least <= waiting, (least, waiting)
            assert shown.waiting_at_most is None or waiting <= shown.waiting_at_most, (least, waiting)
            assert (shown.waiting_at_most is None) == (waiting >= 2 * least + least // 2), (least, waiting)
            assert shown.seals_at_closing == (waiting >= least), (least, waiting)
            assert shown.sealed == 7, (least, waiting)


def test_survey_with_open_answers_shows_only_whether_closing_would_seal() -> None:
    """Twenty to thirty wait after a sealing of fifty: tenths would tell within five how many were sealed."""
    for waiting in (0, 19, 20, 30, 49, 50, 51):
        shown = Counts(27, waiting).as_shown_to_people(20, rounded=True)
        ends = (0, 19) if waiting < 20 else (20, 49) if waiting < 50 else (50, None)
        assert (shown.waiting_at_least, shown.waiting_at_most) == ends, waiting
        assert shown.sealed == 20, waiting
