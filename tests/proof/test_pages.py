"""The start page links the last proof, its page says *How do I know?*, and the study sheet names it."""

import re
from datetime import UTC, datetime

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from proof.models import Proof
from proof.run_checks import report_without_checks
from surveys.lifecycle import opening
from surveys.models import Survey
from surveys.phrases.languages import SHIPPED
from tests.cast import As
from tests.intake import asked
from tests.surveys import drafts

pytestmark = [pytest.mark.page, pytest.mark.django_db]
MADE = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


@pytest.fixture
def survey(owner: Person) -> Survey:
    survey = Survey.objects.create(owner=owner, draft=drafts.complete())
    opening.open_survey_now(survey, owner, MADE)
    return survey


@pytest.fixture
def proof(survey: Survey) -> Proof:
    document = report_without_checks(survey.slug, "https://survey.example", MADE, "nothing").as_json()
    return Proof.objects.create(survey=survey, made=MADE, result="held", document=document)


def test_start_page_without_a_proof_does_not_mention_one(survey: Survey, client: Client) -> None:
    assert "How do I know?" not in client.get(survey.address).text
    for name in ("page", "json", "markdown"):
        assert client.get(reverse(f"proof:{name}", args=[survey.slug])).status_code == 404


def test_the_start_page_links_the_last_proof_with_its_day(proof: Proof, client: Client) -> None:
    page = client.get(proof.survey.address).text
    assert "On 20 November 2026 a program checked this site. Everything held." in page
    assert f'href="/a/{proof.survey.slug}/proof"' in page
    Proof.objects.create(survey=proof.survey, made=MADE, result="failed", document=proof.document)
    assert "Something did not hold." in client.get(proof.survey.address).text


@pytest.mark.at_push(3)
@pytest.mark.parametrize("language", SHIPPED)
def test_proof_page_names_each_check_in_every_language(language: str, proof: Proof, client: Client) -> None:
    response = client.get(f"/a/{proof.survey.slug}/proof", headers={"accept-language": language})
    assert response["Content-Language"] == language
    assert ("How do I know?" in response.text) is (language == "en")
    assert all(check["means"] in response.text for check in proof.document["checks"][:1])
    assert "SHA-256" in response.text
    assert f'<a href="{reverse("papers:documents")}">' in response.text
    pictures = re.findall(r'<img src="/static/([^"]+)" alt=""', response.text)
    assert pictures == ["intake/developer-tools-list.png", "intake/developer-tools-record.png"]
    assert all(finders.find(picture) for picture in pictures)
    assert not response.cookies


def test_proof_page_names_the_line_added_by_an_exchange(proof: Proof, client: Client) -> None:
    exchanging = asked.exchange_survey(asked.exchange_design())
    Proof.objects.create(survey=exchanging, made=MADE, result="held", document=proof.document)
    exchange, later = "One line is added: exchange.", "That line comes once your record has waited"
    for survey, is_exchanged in ((proof.survey, False), (exchanging, True)):
        page = client.get(f"/a/{survey.slug}/proof").text
        assert (exchange in page, later in page) == (is_exchanged, is_exchanged)
        assert ("No line is added" in page) is not is_exchanged


def test_whole_proof_report_is_public(proof: Proof, client: Client) -> None:
    for name, kind in {"json": "application/json", "markdown": "text/markdown; charset=utf-8"}.items():
        address = reverse(f"proof:{name}", args=[proof.survey.slug])
        response = client.get(address)
        assert response["Content-Type"] == kind
        assert "one-request" in response.text
        assert client.post(address).status_code == 405


def test_study_sheet_states_proof_day_and_result(proof: Proof, owner: Person, signed_in_as: As) -> None:
    sheet = signed_in_as(owner).get(reverse("study-sheet:page", args=[proof.survey.pk])).text
    assert "20 November 2026: everything that was checked held." in " ".join(sheet.split())
