"""The arm as a covariate of a model that a researcher specifies on the page of models."""

import json
from pathlib import Path

import pytest
from django.test import Client

from accounts.models import Person
from jobs.models import State
from reports.models import Review
from runs.models import ModelJob, Run
from surveys.models import Survey
from tests.reports.paged import desk, shown
from tests.runs import sealed, working
from tests.runs.working import Folder

pytestmark = [pytest.mark.django_db, pytest.mark.page]

CHOSEN = {
    "item": "theft=yes",
    "formula": "linear",
    "covariate_age": "categories",
    "covariate_moon": "out",
    "covariate_version": "out",
    "covariate_arm": "categories",
    "product1_first": "arm",
    "product1_second": "age",
}


@pytest.fixture
def survey(owner: Person) -> Survey:
    return sealed.study_survey(owner, sealed.study(), [500, 300])


@pytest.fixture
def run(survey: Survey, owner: Person, broker: object) -> Run:
    return sealed.model_run(survey, owner)


@pytest.fixture
def job(client: Client, run: Run, owner: Person) -> ModelJob:
    """Specified on the page, and done."""
    client.force_login(owner)
    assert client.post(f"/app/runs/{run.pk}/models", CHOSEN).status_code == 302
    job = ModelJob.objects.get()
    working.one(job)
    job.refresh_from_db()
    return job


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path, capsys)


def test_a_model_by_arm_has_the_numbers_of_the_command_on_the_same_records(
    job: ModelJob, survey: Survey, folder: Folder
) -> None:
    assert job.state == State.DONE, job.problem
    sealed.write_files(survey, folder.folder)
    asked = ("--item", "theft=yes", "--on", "age", "--on", "arm", "--product", "arm*age")
    said = folder.run("model", "design.json", "records.csv", *asked).said
    found = json.loads(json.dumps(job.model.numbers))
    assert [one["of"] for one in found["coefficients"]] == ["1", "age=old", "arm", "age=old*arm"]
    assert (found["n"], found["patterns"]) == (said["n"], said["patterns"]) == (800, 4)
    for one, other in zip(found["coefficients"], said["coefficients"], strict=True):
        assert one == other | {
            name: pytest.approx(other[name], rel=0, abs=1e-12) for name in ("b", "se", "low", "high", "p")
        }


def test_the_page_says_in_words_what_a_model_by_arm_assumes(
    client: Client, job: ModelJob, reviewer: Person, review: Review
) -> None:
    client.force_login(reviewer)
    text = shown(client, desk("models"))
    for said in (
        "Age, Arm (asked directly or disguised), Arm (asked directly or disguised) × Age",
        "Age: old × Disguised arm",
        "Whether more is truer is an assumption",
    ):
        assert said in text, said


def test_without_arms_the_page_offers_none(client: Client, owner: Person, broker: object) -> None:
    run = sealed.model_run(sealed.model_survey(owner), owner)
    client.force_login(owner)
    assert "covariate_arm" not in client.get(f"/app/runs/{run.pk}/models").content.decode()
