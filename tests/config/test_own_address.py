"""Links lead to where the operator says the site is, whatever a request calls it (all pages: test_mutated_forms.py)."""

import re

import pytest
from django.core import mail as sent
from django.test import Client, override_settings
from django.urls import reverse
from pytest_django import DjangoDbBlocker
from pytest_django.fixtures import DjangoCaptureOnCommitCallbacks, Settings

from accounts import mail, site_address
from reports.review import emails as letters_about
from tests import world as worlds
from tests.wake_ups import broker
from tests.world import FOREIGN, FORGED, World

__all__ = ["broker"]
pytestmark = [pytest.mark.django_db, pytest.mark.page]
OURS = "https://survey.example.org:8443"
LINK = re.compile(r"https?://[^\s/\"'<&]+")


@pytest.fixture(scope="module")
def world(shared_rows: None, django_db_blocker: DjangoDbBlocker) -> World:
    with django_db_blocker.unblock(), override_settings(SITE_URL=OURS):
        return worlds.build()


@pytest.fixture(autouse=True)
def own_address(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = [".testserver"]
    settings.SITE_URL = OURS


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
    texts = [f"{letter.subject}\n{letter.body}" for letter in sent.outbox]
    # A reset, an invitation, one that waits, three readers of what was published and withdrawn, and a survey's.
    assert len(texts) == 1 + 1 + 1 + 3 + 3 + 1
    assert {link for text in texts for link in LINK.findall(text)} == {OURS}
    assert [text for text in texts if not LINK.search(text) or FOREIGN.search(text)] == []
    assert [text for text in texts if "survey.example.org:8443" not in text] == []
