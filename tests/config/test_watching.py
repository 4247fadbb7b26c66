"""Nobody below a reviewer can watch answers come: pages say in tenths how many wait, and nothing says it exactly."""

import json
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.core import mail
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from people.models import History
from surveys import lifecycle
from surveys.counts import Counts
from surveys.intake.models import Inbox
from tests import world as worlds
from tests.addresses import everywhere
from tests.hints import broker
from tests.world import World

__all__ = ["broker"]
pytestmark = [pytest.mark.django_db, pytest.mark.slow]
LEAST = 1000
WATCHED = ("opened", "invited", "rehearsal", "closed", "counted")
# The fourth tenth of 2,000 is 600 to 799, of the 40 of `counted` 12 to 15: all of them fewer than a batch.
PAIRS = {"nobody or almost a tenth": ((0, 0), (187, 3)), "within a tenth": ((617, 13), (783, 15))}
# The others see no more of a survey than its owner, and a number that is told shows in either pair.
WALKS = [
    *(("owner", pair) for pair in PAIRS),
    *((who, "nobody or almost a tenth") for who in ("editor", "viewer")),
]
DISTINCTIVE = re.compile(r"(?<![\w.,-])(187|617|783)(?![\w-]|[.,]\d)")
# Whoever signs out sees no more pages; the other two carry a new secret each time.
APART = {"people:sign-out", "people:password-reset-confirm", "people:invitation"}
# What differs from one request to the next for everybody.
NOISE = [
    re.compile(r'name="csrfmiddlewaretoken" value="\w+"'),
    re.compile(r'data-token="\w+"|"token": ?"\w+"'),
    re.compile(r"&quot;X-CSRFToken&quot;: &quot;\w+&quot;|X-CSRFToken\W+\w+"),
]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    return worlds.build(least=LEAST)


def let_wait(world: World, n: int, small: int) -> None:
    """n records in each watched survey, fewer in the one with small batches."""
    Inbox.objects.all().delete()
    for name in WATCHED:
        survey = world.surveys[name]
        assert survey.design
        record = b"1" + b"0" * survey.design.content.width
        many = n if survey.least == LEAST else small
        Inbox.objects.bulk_create(Inbox(survey=survey, record=record) for _place in range(many))


OF_A_SURVEY = (
    "surveys:",
    "invitations:",
    "recordfiles:",
    "rehearsal:",
    "mining:runs",
    "mining:forecast",
    "releases:of_survey",
)


def addresses(world: World) -> Iterator[tuple[str, bool]]:
    """Addresses of watched surveys, and those that name none; whether forms are sent there."""
    theirs = {survey.pk for name, survey in world.surveys.items() if name in WATCHED}
    for route, found in everywhere(world).items():
        if not route.startswith(("admin:", "intake:")) and route not in APART:
            for address in found:
                of_survey = route.startswith(OF_A_SURVEY)
                named = resolve(address).kwargs.get("pk")
                if not of_survey or named is None or named in theirs:
                    yield address, of_survey


FORMS: list[dict[str, str]] = [{}, {"cap": "2700", "destroy_on": "2099-12-31", "n": "3", "kind": "csv"}]


class Writes:
    """Whether a statement changed a row of anything but a session."""

    def __init__(self) -> None:
        self.seen = False

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        self.seen |= sql.startswith(("INSERT", "UPDATE", "DELETE")) and "django_session" not in sql
        return execute(sql, params, many, context)


def seen(world: World, who: str) -> dict[str, str]:
    """All that this person is told: by page, by form, and in e-mails."""
    client = Client()
    client.force_login(world.people[who], "django.contrib.auth.backends.ModelBackend")
    found: dict[str, str] = {}
    for address, sends in addresses(world):
        said = found[f"GET {address}"] = told(client.get(address, follow=True))
        for data in FORMS if sends else ():
            # A view looks at the method and the person first: what it refuses, it refuses whatever is sent.
            if said.startswith("403") or (said.startswith("405") and f"POST {address} {FORMS[0]}" in found):
                break
            mail.outbox.clear()
            with transaction.atomic():
                said = found[f"POST {address} {data}"] = posted(client, address, data)
                transaction.set_rollback(True)
    return found


def posted(client: Client, address: str, data: dict[str, str]) -> str:
    """The answer, and the page that it leads to where that shows something else than without the form."""
    writes = Writes()
    with connection.execute_wrapper(writes):
        answer = client.post(address, data)
    said = told(answer) + "".join(f"{m.subject}{m.body}" for m in mail.outbox)
    if answer.status_code not in (301, 302):
        return said
    said += answer["Location"]
    if writes.seen:
        return said + told(client.get(answer["Location"], follow=True))
    # Only what is said of the form is new on that page, which is walked by itself.
    return said + "".join(map(str, get_messages(answer.wsgi_request)))


def told(answer: Any) -> str:
    body = b"".join(answer) if answer.streaming else answer.content
    if (
        body[:2] == b"PK"
    ):  # a file of record files or spreadsheets: times stand in it, but no counts of what waits
        body = b"zip"
    text = body.decode(errors="replace")
    for noise in NOISE:
        text = noise.sub("", text)
    return f"{answer.status_code} {text}"


@pytest.mark.parametrize(("who", "pair"), WALKS)
def test_two_numbers_within_a_tenth_look_the_same_everywhere(
    world: World, caplog: pytest.LogCaptureFixture, who: str, pair: str
) -> None:
    """Every page, what every form of a survey says to nothing and to a mistake, and every e-mail."""
    # Every refusal would be a warning of Django's.
    caplog.set_level(logging.ERROR, logger="django.request")
    both = []
    for numbers in PAIRS[pair]:
        let_wait(world, *numbers)
        both.append(seen(world, who))
    first, second = both
    assert [place for place in first if first[place] != second[place]] == []
    assert [place for place, text in second.items() if DISTINCTIVE.search(text)] == []


@pytest.mark.parametrize(
    ("waiting", "low", "high"), [(0, 0, 199), (198, 0, 199), (616, 600, 799), (782, 600, 799)]
)
def test_the_command_says_it_in_tenths_too(
    world: World, capsys: pytest.CaptureFixture[str], waiting: int, low: int, high: int
) -> None:
    let_wait(world, waiting, 0)
    call_command("simulate_respondents", world.surveys["rehearsal"].slug, "-n", "1")
    said = json.loads(capsys.readouterr().out)
    assert said == {"stored": 1, "sealed": 0, "waiting": {"at_least": low, "at_most": high}}


def test_the_history_of_a_survey_never_notes_how_many_wait(world: World) -> None:
    let_wait(world, 617, 13)
    survey, owner = world.surveys["opened"], world.people["owner"]
    lifecycle.close(survey, owner, timezone.now())
    lifecycle.reopen(survey, owner, timezone.now())
    assert not [act.note for act in History.objects.about(survey) if DISTINCTIVE.search(act.note)]


@pytest.mark.parametrize("waiting", [0, 19, 20, 99, 100, 137, 199, 200, 350])
@pytest.mark.parametrize("least", [20, 21, 100, 101])
def test_what_is_shown_holds_what_waits_and_turns_where_a_closing_would_seal(
    waiting: int, least: int
) -> None:
    shown = Counts(7, waiting).shown(least)
    assert shown.low <= waiting
    assert shown.high is None or waiting <= shown.high
    assert (shown.high is None) == (waiting >= 2 * least)
    assert shown.seals_at_closing == (waiting >= least)
    assert shown.sealed == 7
