"""No field of any form answers 500, whatever is sent in it; `./run bench mutate_forms` sends all of it.

On its way to all forms the test sees all pages: none repeats what a request calls the site. Links lead to where the
operator says the site is. Nothing that is sent stays: each request is taken back.
"""

import copy
import logging
import os
import random
import re
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_from_bytes

import pytest
from django.core import mail as outgoing
from django.core.signals import got_request_exception
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse
from pytest_django import DjangoDbBlocker
from pytest_django.fixtures import DjangoCaptureOnCommitCallbacks, Settings

from accounts import mail, site_address
from accounts.models import Person
from api.version_1 import api
from reports.review import report_emails as letters_about
from tests import world as worlds
from tests.jobs.conftest import broker
from tests.world import FOREIGN, FORGED, Form, World, addresses_by_route, forms_of

__all__ = ["broker"]
pytestmark = [pytest.mark.django_db, pytest.mark.page]
OURS = "https://survey.example.org:8443"
LINK = re.compile(r"https?://[^\s/\"'<&]+")
SEED = int(os.environ.get("SEED", "20260301"))
HOSTILE = ["NaN", "inf", "-1", "0.5", "9" * 19, "9" * 40, "9" * 5000, "\x00", "", "true", "٣", "x" * 70_000]

# --- what no browser would send: every field of every form, one after the other, with hostile values ---


WHO = ("owner", "reviewer", "superuser")


def as_bytes(*words: str) -> list[bytes]:
    return [word.encode() for word in words]


# As bytes, since some are no text: lone surrogates and what is not UTF-8.
VALUES: list[bytes] = [
    *as_bytes("NaN", "nan", "-NaN", "Infinity", "inf", "-inf", "1e400", "-1e400", "1e-400"),
    *as_bytes("0", "-0", "-1", "1", "0.5", "1,5", "1 000", "1_000", "+1", "0x10", "1e3", "٣", "１", "²"),
    *(b"9" * n for n in (10, 19, 20, 40, 309, 400, 4300, 4301, 6000)),
    *(b"-" + b"9" * n for n in (10, 19, 20, 400, 4301)),
    b"0." + b"3" * 5000,
    b"\x00",
    b"a\x00b",
    b"1\x00",
    b"\xed\xa0\x80",
    b"a\xed\xb0\x80b",
    b"\xff\xfe",
    "\U0010ffff\ufffe\u202e\u200d".encode(),
    b"",
    b" ",
    b"\n",
    b"\r\n\r\n",
    b"x" * 300,
    b"x" * 70_000,
    "字".encode() * 3000,
    *as_bytes("null", "None", "true", "False", "[]", "{}", '{"a": 1}', "[[[[", "undefined"),
    *as_bytes("%s", "%(x)s", "{0}", "{link}", "../../etc/passwd", "<script>", "'\"--", "\\", "$1"),
    *as_bytes("2026-02-30", "0001-01-01", "0001-01-01T00:00", "9999-12-31", "9999-12-31T23:59:59"),
    *as_bytes("10000-01-01", "275760-09-13", "-2026-01-01", "2026-01-01T25:00", "2026-03-29T02:30", "00:00"),
    *as_bytes("a@b", "@", "a@" + "b" * 300 + ".org", '"\x7f"@x.org', "a@[::1]", "a@b.c\nBcc: d@e.f"),
    *as_bytes("=start", "1", "0", "zh-hans", "xx", "en,", "up", "undo", "all"),
]
# None of them ends the request before the next name is read.
SHORT = [value for value in VALUES if len(value) <= 400 and b"\x00" not in value]
MORE = [
    "page",
    "in",
    "open",
    "to",
    "width",
    "other",
    "frame",
    "seen",
    "kind",
    "next",
    "q",
    "p",
    "o",
    "e",
    "all",
]
HEADERS: list[dict[str, str]] = [{}, {}, {"HX-Request": "true"}, {"Accept": "application/json"}]
Pairs = list[tuple[bytes, bytes]]
Look = Callable[[str, str], None]


@dataclass(frozen=True)
class Sent:
    """One request: what was done to which field of which form."""

    who: str
    method: str
    address: str
    what: str
    pairs: Pairs
    headers: Mapping[str, str]
    multipart: bool = False

    def __str__(self) -> str:
        return f"{self.who}: {self.method.upper()} {self.address} {self.what} {dict(self.headers) or ''}"


Requests = Iterator[Sent]


# --- what is sent -----------------------------------------------------------------------------------------------


def forms_of_pages(
    world: World, who: str, walked: set[str] | None = None, look: Look | None = None, **headers: str
) -> list[Form]:
    """Each form once that this person is shown on any page, and a query for each kind of page.

    `walked`: what was shown to somebody before, to which this one's are added. Their forms are the same for everybody
    who may see them, but for those of the administration. `look` is told the address and the text of each page and file
    that is asked for; `headers` go with each request.
    """
    client = signed_in(world.people[who], **headers)
    found: dict[Any, Form] = {}
    before, shown = frozenset(walked or ()), walked if walked is not None else set[str]()
    unread = {"accounts:sign-out", "admin:logout"}
    for route, addresses in addresses_by_route(world).items():
        for address in addresses:
            if route in unread or (address in before and not route.startswith("admin:")):
                continue
            with transaction.atomic():
                answer = client.get(address, follow=True)
                transaction.set_rollback(True)
            # A view that takes forms alone says so of every address.
            if answer.status_code == 405:
                unread.add(route)
            if answer.status_code != 200:
                continue
            shown.add(address)
            here = answer.redirect_chain[-1][0] if answer.redirect_chain else address
            body = b"".join(answer) if answer.streaming else answer.content
            text = body.decode(errors="replace")
            if look:
                look(address, f"{answer.redirect_chain} {text}")
            if "html" in answer.get("Content-Type", ""):
                for form in (*forms_of(here, text), form_of_other_queries(here)):
                    if not form.address.startswith(("/app/account/sign-out", "/app/admin/logout")):
                        found.setdefault(form.key, form)
    return list(found.values())


def form_of_other_queries(address: str) -> Form:
    """The query that a page may take, although nothing on it leads there."""
    return Form(address, address, "get", {name: [] for name in MORE})


def all_of(world: World, who: str, forms: Sequence[Form]) -> Iterator[Sent]:
    """Every field of every form with every value, and the form without it or with it twice."""
    for form in forms:
        for name in form.names:
            for value in VALUES:
                yield _request_with_values(who, form, name, f"{name}={_short_repr(value)}", [value])
            yield _request_with_values(who, form, name, f"{name} missing", [])
            yield _request_with_values(who, form, name, f"{name} twice", [b"NaN", b"1"])
            yield _request_with_other_name(who, form, name)
    yield from addresses(world, who)


def some_of(world: World, who: str, forms: Sequence[Form], rng: random.Random, each: int) -> Iterator[Sent]:
    """Every field of every form with so many of the values."""
    for form in forms:
        for _turn in range(each):
            if form == form_of_other_queries(form.address):
                yield from _guesses(who, form, rng)
            else:
                yield from (_random_request(who, form, name, rng) for name in form.names)
    found = list(addresses(world, who))
    yield from rng.sample(found, min(len(found), 40 * each))


def _random_request(who: str, form: Form, name: str, rng: random.Random) -> Sent:
    headers, what = rng.choice(HEADERS), rng.randrange(20)
    if what == 0:
        return _request_with_values(who, form, name, f"{name} missing", [], headers)
    if what == 1:
        return _request_with_other_name(who, form, name)
    values = rng.sample(VALUES, 2 if what == 2 else 1)
    return _request_with_values(
        who, form, name, f"{name}={' and '.join(map(_short_repr, values))}", values, headers
    )


def _guesses(who: str, form: Form, rng: random.Random) -> Iterator[Sent]:
    """Five names in each request: a page reads few of them, and what stands on it is a form of its own."""
    names = rng.sample(form.names, len(form.names))
    for first in range(0, len(names), 5):
        pairs = [(name.encode(), rng.choice(SHORT)) for name in names[first : first + 5]]
        what = " ".join(f"{name.decode()}={_short_repr(value)}" for name, value in pairs)
        yield Sent(who, form.method, form.address, what, pairs, rng.choice(HEADERS))


WORDS = ("9" * 19, "9" * 30, "0", "%00", "NaN", "-1", "%ED%A0%80", "%FF", "x" * 3000, "%2E%2E", "a%0Ab")


def addresses(world: World, who: str) -> Iterator[Sent]:
    """Every address with a hostile word in each of its places."""
    seen = set()
    for found in addresses_by_route(world).values():
        for address in found[:1]:
            parts = address.split("/")
            for place, part in enumerate(parts):
                for word in WORDS if part else ():
                    changed = "/".join([*parts[:place], word, *parts[place + 1 :]])
                    if changed not in seen:
                        seen.add(changed)
                        yield Sent(who, "get", changed, "", [], {})


def _request_with_values(
    who: str, form: Form, name: str, what: str, values: list[bytes], headers: Mapping[str, str] | None = None
) -> Sent:
    pairs = [
        (key.encode(), value.encode())
        for key, kept in _with_button(form, name).items()
        if key != name
        for value in kept
    ]
    pairs += [(name.encode(), value) for value in values]
    return Sent(who, form.method, form.address, what, pairs, headers or {}, form.multipart)


def _request_with_other_name(who: str, form: Form, name: str) -> Sent:
    """The same value under a name that is hardly this one."""
    sent = _request_with_values(who, form, name, f"{name} renamed", [])
    kept = (_with_button(form, name).get(name) or ["1"])[0].encode()
    more = [
        (name.encode() + b"\x00", kept),
        (name.encode() + b"-" + b"9" * 30, kept),
        (b"\xff" + name.encode(), kept),
    ]
    return Sent(who, form.method, form.address, sent.what, sent.pairs + more, {}, form.multipart)


def _with_button(form: Form, name: str) -> dict[str, list[str]]:
    """The button that is changed is pressed, else the first."""
    pressed = [button for button in form.buttons if button[0] == name] or form.buttons
    return form.fields | {key: [value] for key, value in pressed[:1]}


def _short_repr(value: bytes) -> str:
    return repr(value) if len(value) < 60 else f"{value[:12]!r}… ({len(value)} bytes)"


# --- sending ---------------------------------------------------------------------------------------------------------


def signed_in(person: Person, **headers: str) -> Client:
    client = Client(raise_request_exception=False, **headers)  # type: ignore[arg-type]
    client.force_login(person, "django.contrib.auth.backends.ModelBackend")
    return client


def server_errors(world: World, requests: Iterator[Sent]) -> Iterator[str]:
    """What was answered with 500 or worse, with where it broke; every change is taken back."""
    clients = {who: signed_in(world.people[who]) for who in WHO}
    traces: list[str] = []

    def note_error(sender: Any, **more: Any) -> None:
        traces.append(traceback.format_exc())

    got_request_exception.connect(note_error)
    try:
        for sent in requests:
            traces.clear()
            client = clients[sent.who]
            cookies = copy.deepcopy(client.cookies)
            with transaction.atomic():
                status = send(client, sent)
                transaction.set_rollback(True)
            # The session is as it was before, and so is the browser.
            client.cookies = cookies
            if status >= 500 or traces:
                yield f"{status} {sent}\n{_own_places_in_trace(traces[0]) if traces else ''}"
    finally:
        got_request_exception.disconnect(note_error)


def _own_places_in_trace(trace: str) -> str:
    """The places of our own code, and what was said in the end."""
    lines = trace.strip().splitlines()
    ours = [line.strip() for line in lines if line.strip().startswith("File") and ".venv" not in line]
    return "\n".join([*ours[-3:], lines[-1][:500]])


LINE = 32_000
"""config.web_server reads no longer head: 32,768 bytes."""


def send(client: Client, sent: Sent) -> int:
    query = b"&".join(
        quote_from_bytes(name).encode() + b"=" + quote_from_bytes(value).encode()
        for name, value in sent.pairs
    )
    headers = dict(sent.headers)
    if sent.method == "get":
        address = sent.address.partition("?")[0][:LINE]
        answer = client.get(address, headers=headers, QUERY_STRING=query[: LINE - len(address)].decode())
    elif sent.multipart:
        kind = "multipart/form-data; boundary=edge"
        answer = client.generic("POST", sent.address, _multipart(sent.pairs), kind, headers=headers)
    else:
        kind = "application/x-www-form-urlencoded"
        answer = client.generic("POST", sent.address, query, kind, headers=headers)
    if answer.streaming:
        b"".join(answer)
    return answer.status_code


def _multipart(pairs: Pairs) -> bytes:
    parts = [
        b'--edge\r\nContent-Disposition: form-data; name="'
        + name.replace(b'"', b"%22")
        + b'"\r\n\r\n'
        + value
        + b"\r\n"
        for name, value in pairs
    ]
    return b"".join(parts) + b"--edge--\r\n"


# --- the tests, which send some of it ---


@pytest.fixture(scope="module")
def world(shared_rows: None, django_db_blocker: DjangoDbBlocker) -> World:
    with django_db_blocker.unblock(), override_settings(SITE_URL=OURS):
        return worlds.build()


@pytest.fixture(autouse=True)
def own_address(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = [".testserver"]
    settings.SITE_URL = OURS


@pytest.mark.night
def test_no_page_repeats_a_forged_host_and_every_field_takes_hostile_input(
    world: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each page and file is asked for under a forged name by the first person who may see it: links are the same for
    all of them. Each form is sent by the first who is shown it: one view reads it, whoever sends it.
    """
    print(f"SEED={SEED}")
    # The document of the API names the site that the settings name when the program starts.
    monkeypatch.setitem(api.servers[0], "url", OURS)
    # Every refusal would be a warning of Django's.
    caplog.set_level(logging.ERROR, logger="django.request")
    rng, walked, known = random.Random(SEED), set[str](), dict[tuple[str, str, tuple[str, ...]], Form]()
    foreign: list[str] = []

    def note_foreign_address(address: str, text: str) -> None:
        if FOREIGN.search(text):
            foreign.append(address)

    for who in WHO:
        shown = forms_of_pages(world, who, walked, note_foreign_address, **FORGED)
        forms = {form.key: form for form in shown if form.key not in known}
        known |= forms
        sent = some_of(world, who, list(forms.values()), rng, 1)
        assert list(server_errors(world, sent)) == []
    # A passkey belongs to the name that the browser is at, whatever it is: a browser takes no other from a page.
    assert foreign == [reverse("accounts:passkey-add")]
    assert len(walked) > 500
    assert sum(len(form.names) for form in known.values()) > 1500


@pytest.mark.night
def test_admin_selection_is_a_key_or_refused(world: World) -> None:
    page, client = reverse("admin:accounts_person_changelist"), signed_in(world.people["superuser"])
    ours = str(world.people["superuser"].pk)

    def status(*ticked: str) -> int:
        return client.post(page, {"action": "invite", "_selected_action": ticked, "index": "0"}).status_code

    assert {value: status(ours, value) for value in HOSTILE} == dict.fromkeys(HOSTILE, 400)
    assert status(ours) == 302


def test_reviewer_selection_is_a_rule_or_nothing(world: World) -> None:
    page = reverse("admin:reports_review_decide", args=[world.reports["waiting"].pk])
    answers: dict[tuple[str, int], int] = {}
    for value in HOSTILE:
        given = {"verdict": "accept", "which": "ticked", "fitting": "4", "rule": value}
        # What one value decides is taken back, so that the next meets the same report.
        with transaction.atomic():
            client = signed_in(world.people["reviewer"])
            answers[value[:10], len(value)] = client.post(page, given).status_code
            transaction.set_rollback(True)
    assert len(answers) == len(HOSTILE)
    assert {value: status for value, status in answers.items() if status not in (302, 400)} == {}


def test_nul_character_is_refused_everywhere() -> None:
    client = Client(raise_request_exception=False)
    for path in ("/app/account/sign-in?next=%00", "/app/reports/?page=1%00", "/app/account/history%00"):
        assert client.get(path).status_code in (400, 404), path
    for path, data in {
        "/app/account/sign-in": {"username": "a\x00b", "password": "x"},
        "/app/account/password/forgotten": {"email\x00": "ann@example.org"},
    }.items():
        assert client.post(path, data).status_code in (400, 404), path


# --- links ---


def client_of(world: World, who: str) -> Client:
    client = Client(**FORGED)  # type: ignore[arg-type]
    client.force_login(world.people[who], "django.contrib.auth.backends.ModelBackend")
    return client


def test_links_to_copy_and_in_files_use_the_sites_own_address(world: World) -> None:
    client, opened, invited = client_of(world, "owner"), world.surveys["opened"], world.surveys["invited"]
    for page in ("", "invitations", "invitations/poster"):
        assert f"{OURS}{opened.address}" in client.get(f"/app/surveys/{opened.pk}/{page}").text
    file = client.post(f"/app/surveys/{invited.pk}/invitations/file", {"n": "100"})
    lines = b"".join(file).decode().split()[1:]
    assert len(lines) == 100
    assert all(line.startswith(f"{OURS}{invited.address}#") for line in lines)


def test_qr_codes_and_posters_ignore_the_requested_host(world: World) -> None:
    forged, plain = client_of(world, "owner"), Client(HTTP_HOST="testserver")
    plain.force_login(world.people["owner"], "django.contrib.auth.backends.ModelBackend")
    for page in ("qr.svg", "poster", ""):
        address = f"/app/surveys/{world.surveys['opened'].pk}/invitations/{page}".rstrip("/")
        drawings = [re.findall(r"<path[^>]*>", client.get(address).text) for client in (forged, plain)]
        assert drawings[0] == drawings[1] != []


def test_every_letter_links_to_the_site(
    world: World, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    owner, reviewer, superuser = (client_of(world, who) for who in ("owner", "reviewer", "superuser"))
    report, opened = world.reports["published"], world.surveys["opened"]
    with django_capture_on_commit_callbacks(execute=True):
        nobody = Client(**FORGED)  # type: ignore[arg-type]
        nobody.post(reverse("accounts:password-reset"), {"email": "owner@example.org"})
        new = {"username": "guest", "email": "guest@example.org", "language": "", "name": "Guest"}
        superuser.post(reverse("admin:accounts_person_add"), new)
        letters_about.send_waiting(world.reports["waiting"])
        letters_about.send_published(report, site_address.site_url())
        reviewer.post(reverse("admin:reports_review_withdraw", args=[report.pk]), {"reason": "Forged."})
        letter = {"subject": "Please", "message": "Here: {link}", "addresses": "ann@example.org"}
        owner.post(f"/app/surveys/{opened.pk}/invitations/mail", letter)
    mail.mail_thread.submit(int).result()
    texts = [f"{letter.subject}\n{letter.body}" for letter in outgoing.outbox]
    # A reset, an invitation, one that waits, three readers of what was published and withdrawn, and a survey's.
    assert len(texts) == 1 + 1 + 1 + 3 + 3 + 1
    assert {link for text in texts for link in LINK.findall(text)} == {OURS}
    assert [text for text in texts if not LINK.search(text) or FOREIGN.search(text)] == []
    assert [text for text in texts if "survey.example.org:8443" not in text] == []
