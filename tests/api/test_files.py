"""Record files and deposits by the API: the files of the pages, and only once a reviewer has approved them."""

import json
from typing import Any, Literal

import pytest
from django.test import Client

from accounts.models import History, Person
from intake.disclosure.models import Disclosure, DisclosureKind
from reports.models import Review
from surveys.lifecycle import reviewer_approvals
from surveys.models import Survey
from tests.api.conftest import program
from tests.cast import As
from tests.deposits.conftest import FORM, bytes_of, files_of
from tests.reports import made
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page]
METADATA = {**FORM, "year": 2026, "creators": FORM["creators"].splitlines()}


def approve_files(survey: Survey, reviewer: Person, what: Literal["records", "deposit"]) -> None:
    design = survey.design_id or ""
    reviewer_approvals.decide_approval(survey, reviewer, what, design, allow=True, reason="", now=NOW)


def records_told(survey: Survey) -> bool:
    return Disclosure.objects.filter(survey=survey, door=DisclosureKind.RECORDS).exists()


def test_record_file_is_downloaded_once_approved(owner: Person, reviewer: Person) -> None:
    survey = sealed.survey(owner, sealed.small_design(), [300])
    client, address = program(owner), f"/api/1/surveys/{survey.pk}/records"
    assert client.get(address).status_code == 403
    assert not records_told(survey)
    approve_files(survey, reviewer, "records")
    files = files_of(client.get(address))
    assert len(files["records.csv"].splitlines()) == 301
    assert {"codebook.md", "design.json", "analysis.py", "analysis.R"} <= set(files)
    assert records_told(survey)
    assert History.objects.get(what="intake.records-downloaded").who == owner
    assert client.get(f"{address}?kind=parquet").status_code == 200
    assert client.get(f"{address}?kind=xml").status_code == 422


@pytest.fixture
def published_review(owner: Person, reviewer: Person) -> Review:
    review = made.waiting_review(made.run(made.survey(owner)))
    made.publish(review, reviewer, ["age"], 1)
    return review


def send(client: Client, report: Review, metadata: dict[str, Any]) -> Any:
    address = f"/api/1/reports/{report.pk}/deposits"
    return client.post(address, json.dumps(metadata), content_type="application/json")


def test_deposit_equals_the_file_of_its_page(
    published_review: Review, owner: Person, signed_in_as: As
) -> None:
    page = signed_in_as(owner).post(f"/app/reports/{published_review.pk}/deposit", FORM)
    sent = send(program(owner), published_review, METADATA)
    assert sent["Content-Type"] == "application/zip"
    assert bytes_of(sent) == bytes_of(page)


def test_deposit_leaves_out_what_the_page_proposes(published_review: Review, owner: Person) -> None:
    Person.objects.filter(pk=owner.pk).update(email="olga@example.org")
    files = files_of(send(program(owner), published_review, {"publisher": "OSF"}))
    about = json.loads(files["datacite.json"])
    assert about["publisher"]["name"] == "OSF"
    assert about["titles"][0]["title"] == published_review.survey.title_with_fallback("en")


def test_deposit_holds_records_only_with_a_separate_approval(
    published_review: Review, owner: Person, reviewer: Person
) -> None:
    approve_files(published_review.survey, reviewer, "records")
    refused = send(program(owner), published_review, {**METADATA, "records": True})
    assert refused.status_code == 409
    assert not records_told(published_review.survey)


def test_wrong_deposit_metadata_are_refused_by_place(published_review: Review, owner: Person) -> None:
    wrong = {**METADATA, "licence": "mine", "doi": "11.5", "creators": ["Owner; 0000-0002-1825-0098"]}
    refused = send(program(owner), published_review, wrong)
    assert refused.status_code == 422
    assert {error["path"] for error in refused.json()["errors"]} == {"licence", "doi", "creators"}
    assert send(program(owner), published_review, {}).json()["errors"][0]["path"].endswith("publisher")
