"""The study sheet says everything that the design says, to those who may see the survey."""

from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from intake.study_sheet.sheet import StudySheet
from surveys.lifecycle import opening
from surveys.models import Survey
from surveys.questionnaire.weakness import epsilon
from tests.cast import As
from tests.golden.designs import seeds
from tests.intake import exchanges
from tests.reports.public.test_paper import pages
from tests.surveys.conftest import NOW
from tests.surveys.test_lasting import asking
from ui import pdf

BOARD = {"contact": "board@example.org", "ethics": {"en": "No. 7 of the board", "zh-hans": "第七号"}}
pytestmark = [pytest.mark.page, pytest.mark.django_db]


@pytest.fixture
def demo(owner: Person) -> Survey:
    survey = Survey.objects.create(owner=owner, draft={**seeds()["demo"], **BOARD})
    opening.open_now(survey, owner, NOW)
    return survey


def page_of(survey: Survey, client: Client, **query: str) -> str:
    return unescape(client.get(reverse("study-sheet:page", args=[survey.pk]), query).text)


def test_it_says_each_question_with_every_answer_the_guarantee_and_the_fingerprint(
    demo: Survey, owner: Person, signed_in_as: As
) -> None:
    assert demo.design is not None
    design = demo.design.content
    page = page_of(demo, signed_in_as(owner))
    (language, *_others) = design.languages
    for question in design.questions:
        if not question.share_parts:
            assert dict(question.text.entries)[language] in page
            labels = [dict(choice.label.entries).get(language, "") for choice in question.choices]
            assert all(label in page for label in labels)
    assert ("People who are asked directly have no such guarantee." in page) is design.has_arms
    assert f"ε = {epsilon(design, 2)}" in page
    assert design.fingerprint in page
    assert "board@example.org" in page
    assert "No. 7 of the board" in page
    assert "batches of at least" in page
    assert "A draft" not in page


def test_where_invitations_are_exchanged_it_says_how_many_the_times_tie_at_this_pace(
    owner: Person, signed_in_as: As
) -> None:
    """720 answers in the 72 hours of three days: ten people an hour."""
    draft = {**seeds()["demo"], "expected": 720, "invitation_key": exchanges.key().public.text}
    survey = Survey.objects.create(owner=owner, draft=draft, invited=True)
    assert "43, 10 or 3 of 100" in page_of(survey, signed_in_as(owner))
    survey.opens, survey.closes = NOW, NOW + timedelta(days=3)
    survey.save()
    assert "about 10 % of exchanges to their records" in page_of(survey, signed_in_as(owner))


def test_a_draft_says_that_it_is_one_and_an_incomplete_one_has_no_sheet(
    owner: Person, signed_in_as: As
) -> None:
    draft = Survey.objects.create(owner=owner, draft=seeds()["demo"])
    client = signed_in_as(owner)
    assert "A draft: its fingerprint is fixed when the survey opens." in page_of(draft, client)
    empty = Survey.objects.create(owner=owner, draft={"languages": ["en"], "sections": []})
    address = reverse("study-sheet:page", args=[empty.pk])
    assert client.get(address, follow=True).redirect_chain == [(empty.get_absolute_url(), 302)]
    assert client.get(reverse("study-sheet:pdf", args=[empty.pk])).status_code == 404


def test_where_a_disguise_lasts_it_states_the_figure_of_all_rounds_of_a_change_and_of_a_lost_code(
    owner: Person, signed_in_as: As
) -> None:
    """a = .9 and r = .9: 19 for ever, 19 for a round that differs, 361 for a second code."""
    survey = Survey.objects.create(owner=owner, draft=asking(retention="2030-01-01").as_json())
    opening.open_now(survey, owner, NOW)
    page = page_of(survey, signed_in_as(owner))
    assert "all rounds together make any answers of yours at most <strong>19 times</strong>" in page
    assert "can multiply this by 19 once more" in page
    assert "this is a new start: then all rounds together make any answers of yours at most 361 times" in page
    assert "Two codes of one person" in page


def test_only_those_who_may_see_the_survey_have_it(
    demo: Survey, owner: Person, stranger: Person, signed_in_as: As, client: Client
) -> None:
    for name in ("study-sheet:page", "study-sheet:pdf"):
        address = reverse(name, args=[demo.pk])
        assert client.get(address).status_code == 302
        assert signed_in_as(stranger).get(address).status_code == 404
        assert signed_in_as(owner).post(address).status_code == 405
    assert (
        signed_in_as(owner).get(reverse("study-sheet:pdf", args=[demo.pk]), {"paper": "A3"}).status_code
        == 404
    )


def test_what_a_researcher_writes_is_text(owner: Person, signed_in_as: As) -> None:
    draft = {**seeds()["demo"], "contact": "<script>alert(1)</script>"}
    survey = Survey.objects.create(owner=owner, draft=draft)
    assert "<script>" not in signed_in_as(owner).get(reverse("study-sheet:page", args=[survey.pk])).text


def test_the_demo_prints_on_two_pages_in_both_sizes(demo: Survey) -> None:
    assert demo.design is not None
    html = StudySheet(demo, demo.design.content, "en").page()
    assert [pages(pdf.pdf(html, paper)) for paper in pdf.PAPERS] == [2, 2]
