"""The findings of a stored run, in every language."""

from dataclasses import replace

import pytest
from django.utils import translation

from reports.answer_labels import Labels
from reports.models import Review
from reports.pages.first_findings import first_findings
from reports.review.report_page_data import ReportPage
from reports.sentences.first_finding_sentences import headline_findings
from reports.sentences.sentence_parts import as_text
from surveys.phrases.languages import SHIPPED
from tests.reports.sentences.test_every_language import assert_in_language


@pytest.mark.page
@pytest.mark.django_db
@pytest.mark.parametrize("language", SHIPPED)
def test_a_run_has_findings_with_sentences_in_every_language(review: Review, language: str) -> None:
    page = ReportPage(review, whole=True)
    content = replace(page.content, rules=tuple(page.read_rules(page.rules.order_by("place"))))
    with translation.override(language):
        found = headline_findings(content, Labels(page.mined_design, language))
    assert [(one.kind, one.verdict) for one in found] == [
        ("pair", 1),
        ("pair", 1),
        ("share", None),
        ("pair", 0),
    ]
    assert [getattr(one.node, "items", ()) for one in found] == [
        ("theft=yes", "late=yes"),
        ("late=yes", "theft=yes"),
        ("theft=yes",),
        ("cash=yes", "late=yes"),
    ]
    for one in found:
        assert_in_language(one, language)


@pytest.mark.page
@pytest.mark.django_db
def test_a_report_reads_the_words_of_answers_from_the_frozen_draft(review: Review) -> None:
    choices = [{"name": "no"}, {"name": "yes", "predicate": {"de": "nahmen Material mit nach Hause"}}]
    review.run.survey.draft = {"sections": [{"questions": [{"name": "theft", "choices": choices}]}]}
    with translation.override("de"):
        [row, *_others] = [
            row for row in first_findings(ReportPage(review, whole=True)) if row.finding.kind == "share"
        ]
        assert as_text(row.finding.sentence).endswith(" von allen nahmen Material mit nach Hause.")
