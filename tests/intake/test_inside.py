"""A survey inside a tool: who may show its page, what the page and the researcher's pages say, and what is not here."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from intake.invitations.tool_snippets import tool_snippets
from surveys.models import Survey
from tests.intake import asked
from tests.intake.test_framing import framing_headers

pytestmark = [pytest.mark.django_db, pytest.mark.page]
TOOLS = ["https://tool.example.com", "https://www.example.edu"]
INSIDE = asked.design(asked_at={"inside": TOOLS}, languages=["en", "zh-hans", "de", "fr", "es", "ar"])
NAMES = "tool.example.com, www.example.edu"


@pytest.fixture
def survey() -> Survey:
    return asked.survey(INSIDE)


def page(survey: Survey, **more: Any) -> str:
    return Client().get(survey.address, **more).content.decode()


def test_its_tools_alone_may_show_the_page_also_where_they_isolate_theirs(survey: Survey) -> None:
    response = Client().get(survey.address)
    assert framing_headers(response) == (" ".join(TOOLS), None)
    assert response["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert response["Cross-Origin-Embedder-Policy"] == "require-corp"
    other = Client().get(asked.survey(asked.design()).address)
    assert framing_headers(other) == ("'none'", "DENY")
    assert "Cross-Origin-Resource-Policy" not in other


def test_the_page_names_its_tools_and_no_address_of_records_and_no_month(survey: Survey) -> None:
    shown = page(survey)
    assert '"inside":["https://tool.example.com","https://www.example.edu"]' in shown
    assert '"record":""' in shown
    assert '"epoch"' not in shown
    assert "intake/handing" in shown
    assert "intake/invitation" not in shown
    assert "intake/handing" not in page(asked.survey(asked.design()))


def test_the_sentences_on_batches_taking_back_and_private_windows_are_replaced(survey: Survey) -> None:
    shown = page(survey)
    for said in (
        f"This page stands inside {NAMES}. {NAMES} gets your plain answers and the disguised record.",
        f"{NAMES} can see that you answered and when",
        f"{NAMES} keeps your record beside your other answers.",
        "Only the random disguise of this one record protects your answers.",
        f"If you want your answers deleted, ask {NAMES}.",
        f"You may go on without answering. {NAMES} then sees",
        "Nothing of your answers stays on this computer after you go on.",
        f"Handed over to {NAMES}. It is stored when you go on there.",
        "Answer this part once. Each further answer tells more about you.",
    ):
        assert said in shown, said
    start = shown.partition('id="start"')[2].partition('id="screen"')[0]
    for unsaid in ("mixed with others", "take your answers back", "private window", "Until your batch"):
        assert unsaid not in start
    for said in (
        f"Diese Seite steht in {NAMES}",
        f"本页面位于{NAMES}中",
        f"Cette page se trouve dans {NAMES}",
    ):
        assert said in shown
    for said in (f"Esta página está dentro de {NAMES}", f"هذه الصفحة داخل {NAMES}"):
        assert said in shown


def test_neither_record_nor_form_is_taken_here(survey: Survey) -> None:
    sent = Client().post(f"{survey.address}/record", b"{}", content_type="application/json")
    assert sent.json()["outcome"] == "not sent by our page"
    assert Client().get(f"{survey.address}/form").status_code in (302, 404)


def test_the_researchers_pages_lead_to_what_is_pasted_and_to_the_library(
    owner: Person, client: Client
) -> None:
    survey = asked.survey(INSIDE, owner=owner)
    client.force_login(owner)
    overview = client.get(survey.get_absolute_url()).text
    assert "nothing is counted, mined or reported here" in overview
    assert "#inside" in overview
    assert "Towards the first batch" not in overview
    for change in ("close", "pause"):
        said = client.get(f"/app/surveys/{survey.pk}/{change}").text
        assert "can still hand the record over to the tool" in said
        assert "wait" not in said
    for unsaid in (
        "Share the survey link",
        "minimum batch size",
        "/runs",
        "/records",
        f"/{survey.pk}/releases",
        "/ask",
    ):
        assert unsaid not in overview
    invitations = client.get(f"/app/surveys/{survey.pk}/invitations").text
    copied = [html.unescape(text) for text in re.findall(r"<textarea[^>]*>([^<]*)</textarea>", invitations)]
    address = f"http://testserver{survey.address}"
    assert copied == list(tool_snippets(address, INSIDE.fingerprint).values())
    for unsaid in ("Link for respondents", "Poster to print", "Field devices", "By email"):
        assert unsaid not in invitations
    assert "Sites that may show this survey" not in invitations
    for tool in ("Any HTML form", "SurveyJS", "jsPsych", "Qualtrics"):
        assert tool in invitations
    sheet = client.get(f"/app/surveys/{survey.pk}/study-sheet").text
    assert f"The page stands inside {NAMES}, which holds each person’s record" in sheet
    assert f"{NAMES} keeps each beside the person’s other answers" in sheet
    assert "each record, beside whatever else it knows" in sheet
    for unsaid in (
        "sealed batches",
        "the stored records",
        "published reports",
        "Everybody who has the address",
    ):
        assert unsaid not in sheet
