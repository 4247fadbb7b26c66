"""What is published of a report as a document in one language: for the public page, for its card, and for paper.

Everything here is read from the publication and the frozen questionnaire, so the document changes with neither the
survey nor the run; beside it stand the digests of its deposits, and what a second program found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

from accounts import site
from intake.pages.languages import LanguageText, language_text, native_language_name
from mining.document.report import Estimate
from reports.pages import page_rows
from reports.pages.first_findings import FindingRow, first_findings
from reports.pages.page_rows import QuestionShares
from reports.pages.public import texts
from reports.pages.public.card import Card
from reports.pages.row_intervals import drawn
from reports.review.report_page import ReportPage
from reports.sentences.finding import Measured
from reports.sentences.parts import Sentence, in_words, whole
from reports.sentences.shares import of_share
from surveys.phrases.languages import SHIPPED, format_day, text_direction
from ui.interval_pictures import Interval, Scale

ON_PAPER = 32
"""The most rows of shares, headings included, that two pages hold with everything else."""
TEMPLATE = "reports/public/document.html"
STYLES = (
    *(
        f"ui/{name}.css"
        for name in ("tokens", "base", "frame", "components", "office", "intervals", "findings")
    ),
    "reports/public.css",
)
"""Of the screen; paper has two of its own."""
UNSEEN = dict.fromkeys(map(ord, "\u200e\u200f\u061c\u2060\u2066\u2067\u2068\u2069"))
"""Joiners and isolates, which are for a browser; a card has one line of one script."""


ShareRow = tuple[str, Sentence, tuple[Interval, ...]]
"""The label of an answer, its share, and its pictures."""
ShareGroup = tuple[str, list[ShareRow], bool]
"""The answers of one question, empty where the label of its one row names it; whether they are on paper."""
ShareTable = tuple[str, list[ShareGroup], Scale, bool]
"""Its label, groups and scale; whether it is on paper."""


@dataclass(frozen=True)
class Document:
    """Of a report for its readers, never of the whole run."""

    report: ReportPage
    language: str

    @property
    def title(self) -> LanguageText:
        return language_text(self.report.design.title, self.language, self.language)

    def page(self, token: str = "") -> str:
        """HTML, which a browser prints and WeasyPrint sets on two pages; with its `token` that of the public page."""
        addresses: dict[str, str] = {}
        if token:
            card = f"{reverse('public:card', args=[token])}?lang={self.language}"
            addresses = {
                "address": site.site_url(reverse("public:page", args=[token])),
                "card": site.site_url(card),
            }
        with translation.override(self.language):
            return render_to_string(TEMPLATE, self._context() | addresses)

    @property
    def card(self) -> Card:
        with translation.override(self.language):
            rows = [row for row in self._findings if row.pictures and row.scale]
            head = rows[0] if rows else next(iter(self._findings), None)
            return Card(
                title=self.title.text.translate(UNSEEN),
                sentence=in_words(head.finding.sentence).translate(UNSEEN) if head else "",
                note=texts.headings()["intervals_short"],
                picture=head.pictures[0] if head and head.pictures else None,
                scale=head.scale if head else None,
            )

    def _context(self) -> dict[str, Any]:
        report, about, design = self.report, self.report.about, self.report.design
        words = texts.headings()
        tables = [
            self._table(words["disguised"], page_rows.shares(report, sensitive=True), ON_PAPER),
            self._table(words["plain"], page_rows.shares(report, sensitive=False), 0),
        ]
        published = report.publication
        return {
            "language": self.language,
            "own_language": self.language if self.language in design.languages else design.languages[0],
            "direction": text_direction(self.language),
            "languages": [(code, native_language_name(code)) for code in SHIPPED],
            "styles": STYLES,
            "title": self.title,
            "words": words,
            "review": report.review,
            "lead": texts.lead(design),
            "is_rehearsal": about.rehearsal,
            "disputed": report.check_sentence if report.is_disputed else "",
            "findings": self._findings,
            "key_scale": Scale(end=1.0, step=1.0),
            "description": self._first_sentence or words["nothing"],
            "tables": [table for table in tables if table[1]],
            "is_cut": not all(is_on_paper for _question, _rows, is_on_paper in tables[0][1]),
            "limits": texts.limits(about),
            "method": list(
                texts.method(
                    about,
                    design,
                    report.check_sentence,
                    format_day(published.when, self.language) if published else "",
                )
            ),
        }

    @property
    def _first_sentence(self) -> str:
        return in_words(self._findings[0].finding.sentence).translate(UNSEEN) if self._findings else ""

    @cached_property
    def _findings(self) -> list[FindingRow]:
        return first_findings(self.report)

    def _table(self, label: str, questions: Sequence[QuestionShares], most_on_paper: int) -> ShareTable:
        labels = self.report.labels
        measured = [of_share(share, labels).measured for each in questions for share in each.shares]
        scale = Scale.above((one.high for one in measured if one.is_known), most=1.0)
        groups: list[ShareGroup] = []
        n = 0
        for question in questions:
            is_alone = len(question.shares) == 1
            n += len(question.shares) + (not is_alone)
            rows = [self._row(share, scale, is_alone=is_alone) for share in question.shares]
            heading = "" if is_alone else labels.answer(question.shares[0].item).question
            groups.append((heading, rows, n <= most_on_paper))
        return label, groups, scale, any(group[2] for group in groups)

    def _row(self, share: Estimate, scale: Scale, *, is_alone: bool) -> ShareRow:
        labels = self.report.labels
        answer, measured = labels.answer(share.item), of_share(share, labels).measured
        label = answer.short if is_alone else answer.choice
        # Nothing is drawn where the estimate is no possible share: the text says at most or at least what it is.
        interval = drawn(scale, measured.low, measured.value, measured.high)
        return label, share_text(measured), (interval,) if interval else ()


def share_text(measured: Measured) -> Sentence:
    return measured.share if measured.is_known else whole(measured.end or "–")
