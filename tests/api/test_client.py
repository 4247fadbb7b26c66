"""The client of docs/, against the application behind a small server."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from reports.models import Review
from reports.review import publishing
from surveys.models import Survey
from tests import servers
from tests.api.conftest import as_served, secret_of
from tests.reports import made
from tests.reports.paged import accept
from tests.surveys import drafts
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("read_here")]


class Silent(WSGIRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass


def client_module() -> Any:
    spec = spec_from_file_location("candor_client", servers.ROOT / "docs/candor_client.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def served(ask: Callable[[str], Any]) -> Any:
    """What `ask` returns, which runs beside a server that has this test's transaction; it is told the address."""
    with (
        make_server("127.0.0.1", 0, as_served(), handler_class=Silent) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        server.timeout = 0.05
        asked = pool.submit(ask, f"http://127.0.0.1:{server.server_port}")
        while not asked.done():
            server.handle_request()
    return asked.result()


def test_it_makes_a_survey_from_a_draft_and_opens_it(owner: Person) -> None:
    client, token = client_module(), secret_of(owner)

    def ask(site: str) -> tuple[int, bool, str]:
        candor = client.Candor(site, token)
        survey = candor.create_survey(drafts.complete(contact=""))
        with pytest.raises(client.ProblemError, match="contact: required"):
            candor.open_survey(survey)
        candor.change_draft(survey, contact="council@example.org")
        return survey, candor.checks(survey)["ready"], candor.open_survey(survey)

    pk, ready, address = served(ask)
    survey = Survey.objects.get(owner=owner, state=Survey.State.OPEN)
    assert (pk, ready, address) == (survey.pk, True, f"http://testserver{survey.address}")


def test_it_fetches_a_published_report(owner: Person, reviewer: Person) -> None:
    run = made.run(made.survey(owner))
    publishing.add_finished_runs(timezone.now())
    review = Review.objects.get(run=run)
    client, token = client_module(), secret_of(owner)
    with pytest.raises(client.ProblemError) as refused:
        served(lambda site: client.Candor(site, token).report(review.pk))
    assert refused.value.status == 403
    accept(review, reviewer, 1)
    publishing.publish(review, reviewer, ["age"], "", NOW)
    report = served(lambda site: client.Candor(site, token).report(review.pk))
    reader = Client()
    reader.force_login(owner, "django.contrib.auth.backends.ModelBackend")
    assert report == json.loads(reader.get(f"/app/reports/{review.pk}/files/json").content)
