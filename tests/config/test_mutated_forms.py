"""No field of any form answers 500, whatever is sent in it; `./run bench mutate_forms` sends all of it.

On its way to all forms the test sees all pages: none repeats what a request calls the site. Links lead to where the
operator says the site is.
"""

import logging
import os
import random
import re

import pytest
from django.core import mail as outgoing
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse
from pytest_django import DjangoDbBlocker
from pytest_django.fixtures import DjangoCaptureOnCommitCallbacks, Settings

from accounts import mail, site_address
from api.version_1 import api
from reports.review import report_emails as letters_about
from tests import mutating, world as worlds
from tests.jobs.conftest import broker
from tests.world import FOREIGN, FORGED, Form, World

__all__ = ["broker"]
pytestmark = [pytest.mark.django_db, pytest.mark.page]
OURS = "https://survey.example.org:8443"
LINK = re.compile(r"https?://[^\s/\"'<&]+")
SEED = int(os.environ.get("SEED", "20260301"))
HOSTILE = ["NaN", "inf", "-1", "0.5", "9" * 19, "9" * 40, "9" * 5000, "\x00", "", "true", "٣", "x" * 70_000]


@pytest.fixture(scope="module")
def world(shared_rows: None, django_db_blocker: DjangoDbBlocker) -> World:
    with django_db_blocker.unblock(), override_settings(SITE_URL=OURS):
        return worlds.build()


@pytest.fixture(autouse=True)
def own_address(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = [".testserver"]
    settings.SITE_URL = OURS


@pytest.mark.night
def test_no_page_repeats_a_forged_name_of_the_site_and_every_field_takes_something_hostile(
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

    def look(address: str, text: str) -> None:
        if FOREIGN.search(text):
            foreign.append(address)

    for who in mutating.WHO:
        shown = mutating.forms(world, who, walked, look, **FORGED)
        forms = {form.key: form for form in shown if form.key not in known}
        known |= forms
        sent = mutating.some_of(world, who, list(forms.values()), rng, 1)
        assert list(mutating.broken(world, sent)) == []
    # A passkey belongs to the name that the browser is at, whatever it is: a browser takes no other from a page.
    assert foreign == [reverse("accounts:passkey-add")]
    assert len(walked) > 500
    assert sum(len(form.names) for form in known.values()) > 1500


@pytest.mark.night
def test_what_is_ticked_in_the_administration_is_a_key_or_refused(world: World) -> None:
    page, client = reverse("admin:accounts_person_changelist"), mutating.signed_in(world.people["superuser"])
    ours = str(world.people["superuser"].pk)

    def status(*ticked: str) -> int:
        return client.post(page, {"action": "invite", "_selected_action": ticked, "index": "0"}).status_code

    assert {value: status(ours, value) for value in HOSTILE} == dict.fromkeys(HOSTILE, 400)
    assert status(ours) == 302


def test_what_is_ticked_at_the_reviewers_desk_is_a_rule_or_nothing(world: World) -> None:
    page = reverse("admin:reports_review_decide", args=[world.reports["waiting"].pk])
    answers: dict[tuple[str, int], int] = {}
    for value in HOSTILE:
        given = {"verdict": "accept", "which": "ticked", "fitting": "4", "rule": value}
        # What one value decides is taken back, so that the next meets the same report.
        with transaction.atomic():
            client = mutating.signed_in(world.people["reviewer"])
            answers[value[:10], len(value)] = client.post(page, given).status_code
            transaction.set_rollback(True)
    assert len(answers) == len(HOSTILE)
    assert {value: status for value, status in answers.items() if status not in (302, 400)} == {}


def test_the_character_nul_is_refused_wherever_it_stands() -> None:
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


def test_the_link_to_copy_and_those_of_a_file_are_the_sites_own(world: World) -> None:
    client, opened, invited = client_of(world, "owner"), world.surveys["opened"], world.surveys["invited"]
    for page in ("", "invitations", "invitations/poster"):
        assert f"{OURS}{opened.address}" in client.get(f"/app/surveys/{opened.pk}/{page}").text
    file = client.post(f"/app/surveys/{invited.pk}/invitations/file", {"n": "100"})
    lines = b"".join(file).decode().split()[1:]
    assert len(lines) == 100
    assert all(line.startswith(f"{OURS}{invited.address}#") for line in lines)


def test_codes_and_posters_are_the_same_however_the_site_is_called(world: World) -> None:
    forged, plain = client_of(world, "owner"), Client(HTTP_HOST="testserver")
    plain.force_login(world.people["owner"], "django.contrib.auth.backends.ModelBackend")
    for page in ("qr.svg", "poster", ""):
        address = f"/app/surveys/{world.surveys['opened'].pk}/invitations/{page}".rstrip("/")
        drawings = [re.findall(r"<path[^>]*>", client.get(address).text) for client in (forged, plain)]
        assert drawings[0] == drawings[1] != []


def test_every_letter_leads_to_the_site(
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
