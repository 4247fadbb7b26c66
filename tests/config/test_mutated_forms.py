"""No field of any form answers 500, whatever is sent in it; `./run bench mutate_forms` sends all of it.

On its way to all forms the test sees all pages: none repeats what a request calls the site.
"""

import logging
import os
import random

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker
from pytest_django.fixtures import Settings

from api.version_1 import api
from tests import mutating, world as worlds
from tests.wake_ups import broker
from tests.world import FOREIGN, FORGED, Form, World

__all__ = ["broker"]
pytestmark = [pytest.mark.django_db, pytest.mark.page]
SEED = int(os.environ.get("SEED", "20260301"))
HOSTILE = ["NaN", "inf", "-1", "0.5", "9" * 19, "9" * 40, "9" * 5000, "\x00", "", "true", "٣", "x" * 70_000]


@pytest.fixture(scope="module")
def world(shared_rows: None, django_db_blocker: DjangoDbBlocker) -> World:
    with django_db_blocker.unblock():
        return worlds.build()


@pytest.mark.night
def test_no_page_repeats_a_forged_name_of_the_site_and_every_field_takes_something_hostile(
    world: World, caplog: pytest.LogCaptureFixture, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each page and file is asked for under a forged name by the first person who may see it: links are the same for
    all of them. Each form is sent by the first who is shown it: one view reads it, whoever sends it.
    """
    print(f"SEED={SEED}")
    settings.ALLOWED_HOSTS, settings.SITE_URL = [".testserver"], "https://survey.example.org:8443"
    # The document of the API names the site that the settings name when the program starts.
    monkeypatch.setitem(api.servers[0], "url", settings.SITE_URL)
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
