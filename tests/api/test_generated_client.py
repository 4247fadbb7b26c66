"""A client that openapi-python-client makes of the OpenAPI document walks from a draft to its report."""

import importlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from accounts.models import Person
from api.openapi_reference import openapi_document
from intake.rehearsal.models import Simulation
from reports.models import Review
from reports.review import report_state_changes
from runs.models import Run
from tests.api.conftest import as_served, secret_of
from tests.api.test_imports import DICTIONARY
from tests.jobs.conftest import attempt
from tests.surveys import drafts
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("read_here")]
READ_AS = {"application/problem+json": "application/json", "application/zip": "application/octet-stream"}
CONFIGURATION = {"post_hooks": [], "content_type_overrides": READ_AS}


@pytest.fixture(scope="module")
def generated_package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of the generated package."""
    folder, name = tmp_path_factory.mktemp("generated"), "generated_candor"
    document, configuration = folder / "openapi.json", folder / "configuration.json"
    document.write_text(json.dumps(openapi_document()))
    configuration.write_text(json.dumps(CONFIGURATION))
    command = [
        sys.executable,
        *["-m", "openapi_python_client", "generate", "--meta", "none", "--fail-on-warning"],
    ]
    options = ["--path", str(document), "--config", str(configuration), "--output-path", str(folder / name)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    made = subprocess.run([*command, *options], env=environment, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    sys.path.insert(0, str(folder))
    yield name
    sys.path.remove(str(folder))


class Walk:
    """The generated functions by their module, for one token, in this process."""

    def __init__(self, package: str, secret: str) -> None:
        self.package = package
        transport = httpx.WSGITransport(app=as_served())
        client = importlib.import_module(f"{package}.client").AuthenticatedClient
        self.client = client("http://testserver", secret, httpx_args={"transport": transport})

    def model(self, name: str) -> Any:
        return getattr(importlib.import_module(f"{self.package}.models"), name)

    def ask(self, function: str, status: int, *path: int, **arguments: Any) -> Any:
        """The parsed answer, which has this status."""
        module = importlib.import_module(f"{self.package}.api.{function}")
        answer = module.sync_detailed(*path, client=self.client, **arguments)
        assert answer.status_code == status, answer.content
        return answer.parsed


def test_generated_client_goes_from_a_draft_to_its_report(
    generated_package: str, owner: Person, reviewer: Person
) -> None:
    walk = Walk(generated_package, secret_of(owner))
    draft = walk.model("Draft").from_dict(drafts.complete(expected=300, contact=""))
    survey = walk.ask("surveys.create_survey", 201, body=draft, idempotency_key="k").id
    assert walk.ask("surveys.create_survey", 201, body=draft, idempotency_key="k").id == survey
    checks = walk.ask("drafts.check_draft", 200, survey)
    assert (checks.ready, [place.path for place in checks.missing]) == (False, ["contact"])
    refused = walk.ask("rehearsals.start_rehearsal", 409, survey)
    assert [place.path for place in refused.errors] == ["contact"]
    version = walk.ask("surveys.create_survey", 201, body=draft, idempotency_key="k").version
    whole = walk.model("Draft").from_dict(drafts.complete(expected=300))
    walk.ask("drafts.change_draft", 200, survey, body=whole, if_match=f'"{version}"')
    started = walk.ask("rehearsals.start_rehearsal", 201, survey)
    # The worker: no part of the API.
    assert attempt(Simulation.objects.get())
    rehearsal = walk.ask("rehearsals.read_rehearsal", 200, started.survey)
    assert (rehearsal.state, rehearsal.people) == ("done", 300)
    assert attempt(Run.objects.get())
    run = walk.ask("runs.read_run", 200, rehearsal.run)
    assert (run.state, run.report) == ("done", None)
    assert walk.ask("reports.list_reports", 200).items == []
    # The reviewer, who is a person and decides on a page.
    report_state_changes.create_reviews_of_finished_runs(NOW)
    review = Review.objects.with_surveys().get(run=run.id)
    report_state_changes.publish(review, reviewer, ["age"], "", NOW)
    [listed] = walk.ask("reports.list_reports", 200, survey=started.survey).items
    assert listed.id == walk.ask("runs.read_run", 200, run.id).report
    report = walk.ask("reports.read_report", 200, listed.id)
    assert [section["kind"] for section in report.design["sections"]] == ["plain", "unrelated-question"]
    assert report.report["about"]["rehearsal"]


def test_generated_client_imports_a_file_and_deletes_the_draft(generated_package: str, owner: Person) -> None:
    walk = Walk(generated_package, secret_of(owner))
    file = importlib.import_module(f"{generated_package}.types").File(io.BytesIO(DICTIONARY), "q.csv")
    choices = walk.model("ImportChoices").from_dict({"draft": True, "plain": ["sex"]})
    body = walk.model("ImportQuestionnaireBody")(file=file, choices=choices)
    made = walk.ask("imports.import_questionnaire", 201, body=body)
    assert made.survey.id == walk.ask("surveys.list_surveys", 200).items[0].id
    walk.ask("surveys.delete_draft", 204, made.survey.id)
