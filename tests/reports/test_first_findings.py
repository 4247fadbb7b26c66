"""The front of a report begins with what was found, each finding with its picture."""

from dataclasses import replace

import pytest
from django.test import Client
from django.utils import translation

from reports.models import Review
from reports.pages.first_findings import first_findings
from reports.pages.report_document import ReportDocument
from reports.review.report_page_data import ReportPage
from reports.sentences.sentence_parts import FIRST_STRONG_ISOLATE, POP_ISOLATE, as_text
from tests.reports.paged import desk

pytestmark = [pytest.mark.page, pytest.mark.django_db]
ISOLATES = {ord(FIRST_STRONG_ISOLATE): None, ord(POP_ISOLATE): None}


@pytest.fixture
def reviewing(review: Review, judging: Client) -> Client:
    return judging


def test_every_picture_lies_within_its_scale_and_shows_the_numbers_of_its_sentence(review: Review) -> None:
    rows = first_findings(ReportPage(review, whole=True))
    assert [row.finding.kind for row in rows] == ["pair", "pair", "share", "pair"]
    for row in rows:
        (picture,) = row.pictures
        assert row.scale is not None
        assert picture.estimate == row.finding.measured.value
        assert picture.high == row.finding.measured.high
        assert all(value is None or 0 <= value <= row.scale.end for value in picture.values)
        assert (picture.state == "filled") is row.finding.is_shown
        assert picture.label in as_text(row.finding.sentence)


def test_findings_stand_before_the_answers_in_whole_sentences(review: Review, reviewing: Client) -> None:
    page = reviewing.get(desk("report", review)).text
    found, answers = page.index('<ol class="findings"'), page.index('<section id="shares"')
    assert found < answers
    section = page[found : page.index("</section>", found)]
    assert section.count("<li>") == section.count('class="iv"') == 4
    for row in first_findings(ReportPage(review, whole=True)):
        strong = [part.text for part in row.finding.sentence if part.strong]
        assert bool(strong) is row.finding.is_shown
        unbroken = section.replace('<span class="nowrap">', "").replace("</span>", "")
        assert all(f"<b>{text}</b>" in unbroken for text in strong)


@pytest.mark.parametrize(("language", "direction"), [("de", "ltr"), ("ar", "rtl")])
def test_the_same_document_is_said_in_another_language(language: str, direction: str, review: Review) -> None:
    page = ReportDocument(ReportPage(review, whole=True), language).page()
    assert f'<html lang="{language}" dir="{direction}"' in page
    with translation.override(language):
        (first, *_) = first_findings(ReportPage(review, whole=True))
    strong = [part.text for part in first.finding.sentence if part.strong]
    assert any(f"<b>{text}</b>" in page for text in strong)
    assert "What was found" not in page


def test_a_report_without_an_estimate_has_no_picture_and_no_empty_list(
    review: Review, reviewing: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reports.pages.first_findings.first_findings", lambda report: [])
    monkeypatch.setattr("reports.pages.report_document.first_findings", lambda report: [])
    page = reviewing.get(desk("report", review)).text
    assert '<ol class="findings"' not in page
    assert "Nothing is estimated: too few people answered." in page


def test_what_was_received_lies_on_the_scale_of_whoever_sees_the_evidence(review: Review) -> None:
    report = ReportPage(review, whole=True)
    far = tuple(replace(share, observed=0.97) for share in report.content.shares)
    vars(report)["content"] = replace(report.content, shares=far)
    for has_evidence, received in ((True, 0.97), (False, None)):
        tables = ReportDocument(report, "en", has_evidence=has_evidence).context()["tables"]
        rows = [row for table in tables for group in table.groups for row in group.rows]
        assert {picture.received for row in rows for picture in row.pictures} == {received}
