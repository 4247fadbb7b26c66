"""Renders a report as one document in one language: for signed-in readers, for the public page, and for
paper.

The public part is made from the publication and the frozen questionnaire, so later changes of the survey or
run do not change it; changes since an earlier survey stand there as long as its report does. It also shows the
digests of the report's deposits, and the result of the check by mlxtend. Signed-in readers can also unfold the
evidence of each row.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any

from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils import translation

from accounts import site_address
from intake.pages.language_negotiation import LanguageText, language_text, native_language_name
from mining.nodes.number_nodes import NumberShare
from mining.nodes.report_nodes import Estimate, GroupRow, GroupTable, Rule
from reports.answer_labels import question_and_answer
from reports.kinds.number.shown_number import ShownNumber, shown_numbers
from reports.kinds.place import maps
from reports.kinds.place.shown_place import shown_places
from reports.pages import row_evidence
from reports.pages.first_findings import FindingRow, Headline, finding_row, first_findings
from reports.pages.public import public_page_texts
from reports.pages.row_interval_pictures import cell_interval_picture, interval_picture
from reports.review.question_shares import QuestionShares, question_shares
from reports.review.report_page_data import ReportPage
from reports.sentences.finding import Finding, MeasuredValue
from reports.sentences.sample_population import quota_sentences
from reports.sentences.sensitive_numbers import number_findings
from reports.sentences.sentence_parts import Sentence, unbroken_sentence
from reports.sentences.shares import share_finding
from reports.texts.design_sentences import say, true_sentences
from reports.texts.report_facts import Fact
from surveys.phrases.languages import SHIPPED, format_day, text_direction
from ui.interval_pictures import Interval, Scale

ON_PAPER = 32
"""Largest number of rows of shares, headings included, that fit on two pages with everything else."""
DASH = unbroken_sentence("–")
CHOSEN = frozenset({"pair", "group", "arms", "understanding-difference", "change"})
"""Kinds of findings that were chosen among many for the front page; their intervals are widened for that."""
TEMPLATE = "reports/document/alone.html"
STYLES = (
    *(
        f"ui/{name}.css"
        for name in ("tokens", "base", "frame", "components", "office", "intervals", "findings")
    ),
    "reports/document.css",
    "reports/maps.css",
)
"""Stylesheets of the screen; paper has two others."""


@dataclass(frozen=True)
class AnswerShareRow:
    """An answer with its share, interval and picture. `evidence`: facts that signed-in readers unfold."""

    label: str
    share: Sentence
    pictures: tuple[Interval, ...]
    evidence: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class RowGroup:
    """The answers of one question, or of all options of one; `heading` is the question text. `above`: of a number, the
    shares above its limits, which unfold."""

    heading: str
    rows: Sequence[AnswerShareRow]
    is_on_paper: bool = False
    above: Sequence[AnswerShareRow] = ()


@dataclass(frozen=True)
class ShareTable:
    """A table of shares: the groups of rows of several questions under one caption."""

    caption: str
    groups: Sequence[RowGroup]

    @property
    def is_on_paper(self) -> bool:
        return any(group.is_on_paper for group in self.groups)


@dataclass(frozen=True)
class GroupResults:
    """The results by the classes of one question: a table per answer whose shares differ, and the names of the answers
    of which no difference is shown, and of those that were not compared; or of their questions, if of all answers.

    Of a question with several options, the first that is named has the words of the question before it.
    """

    heading: str
    tables: Sequence[tuple[str, Sequence[AnswerShareRow]]]
    no_difference: Sequence[str]
    not_compared: Sequence[str]


@dataclass(frozen=True)
class ReportDocument:
    """A report in one `language`.

    `has_evidence`: the reader is signed in; only then may the report be the whole run.
    """

    report: ReportPage
    language: str
    has_evidence: bool = False

    @property
    def title(self) -> LanguageText:
        return language_text(self.report.design.title, self.language, self.language)

    def page(self, token: str = "") -> str:
        """Returns the report as an HTML page, from which WeasyPrint also makes the PDF.

        A `token` adds the address of the public page.
        """
        addresses: dict[str, str] = {}
        if token:
            addresses = {
                "address": site_address.site_url(reverse("public:page", args=[token])),
                "link_picture": site_address.site_url(static("ui/link-preview.png")),
            }
        with translation.override(self.language):
            return render_to_string(TEMPLATE, self.context() | addresses)

    def context(self) -> dict[str, Any]:
        """Returns the context of the template `reports/document/sections.html`, in the active language."""
        report, about, design = self.report, self.report.about, self.report.design
        words = public_page_texts.heading_texts(report)
        tables = [
            self._share_table(words["disguised"], self._sensitive_shares, ON_PAPER),
            self._share_table(words["plain"], self._plain_shares, 0),
        ]
        published, group_parts = report.publication, self._group_parts()
        return {
            "language": self.language,
            "own_language": self.language if self.language in design.languages else design.languages[0],
            "direction": text_direction(self.language),
            "languages": [(code, native_language_name(code)) for code in SHIPPED],
            "styles": STYLES,
            "title": self.title,
            "words": words,
            "report": report,
            "review": report.review,
            "provenance": public_page_texts.provenance_text(report, self.language),
            "guarantee": public_page_texts.guarantee_text(report),
            "lead": say("lead", report),
            "disputed": report.check_sentence if report.is_disputed else "",
            "sample": list(quota_sentences(report.labels)),
            "findings": self._findings,
            "has_chosen": any(row.finding.kind in CHOSEN for row in self._findings),
            "headline": Headline(self._findings[0] if self._findings else None, about.rehearsal),
            "key_scale": Scale(end=1.0, step=1.0),
            "scale": self._scale,
            "marks": self._marks(tables, group_parts),
            "tables": [table for table in tables if table.groups],
            "has_dash": any(
                row.share == DASH for table in tables for group in table.groups for row in group.rows
            ),
            "is_cut": not all(group.is_on_paper for group in tables[0].groups),
            "group_parts": group_parts,
            "numbers": [
                (
                    number.text,
                    self._number_findings_without_shares(number),
                    say(f"number-alone.{'window' if number.window else 'shares'}", report),
                )
                for number in shown_numbers(report)
            ],
            "places": [(place, maps.share_map(place)) for place in shown_places(report)],
            "limits": list(true_sentences("limits", report)),
            "method": public_page_texts.method_facts(
                report, format_day(published.when, self.language) if published else ""
            ),
        }

    def _marks(self, tables: Iterable[ShareTable], parts: Iterable[GroupResults]) -> set[str]:
        """Returns which marks the pictures of the page have, which its key explains."""
        rows: list[FindingRow | AnswerShareRow] = [*self._findings]
        rows += (row for table in tables for group in table.groups for row in (*group.rows, *group.above))
        rows += (row for part in parts for _caption, of_classes in part.tables for row in of_classes)
        drawn = [(row, picture) for row in rows for picture in row.pictures]
        named = {
            name
            for row, one in drawn
            for name in ("base", "received", "truth")
            # The base of a ratio has its words beside it.
            if getattr(one, name) is not None
            and not (name == "base" and isinstance(row, FindingRow) and row.is_ratio)
        }
        return named | {one.state for _row, one in drawn}

    @cached_property
    def _findings(self) -> list[FindingRow]:
        rows = first_findings(self.report)
        return (
            [replace(row, evidence=self._evidence(row.finding)) for row in rows]
            if self.has_evidence
            else rows
        )

    def _evidence(self, finding: Finding) -> tuple[Fact, ...]:
        """Returns the evidence of a pair or a share; other findings show theirs in their own sections."""
        node = finding.node
        if isinstance(node, Rule):
            url = self.report.url("rule", node.number)
            return tuple(row_evidence.pair_evidence(finding, node, self.report.labels, url))
        question = self._question_by_answer.get(node.item) if isinstance(node, Estimate) else None
        return tuple(row_evidence.share_evidence(node, question)) if question else ()

    def _number_findings_without_shares(self, number: ShownNumber) -> list[FindingRow]:
        """Returns the findings about a number except its shares, which stand among all shares."""
        said = number_findings(number.node, self.report.labels)
        return [finding_row(finding) for finding in said if not isinstance(finding.node, NumberShare)]

    # --- shares ---

    @cached_property
    def _sensitive_shares(self) -> list[QuestionShares]:
        return self._question_shares_of_results(sensitive=True)

    @cached_property
    def _plain_shares(self) -> list[QuestionShares]:
        return self._question_shares_of_results(sensitive=False)

    def _question_shares_of_results(self, *, sensitive: bool) -> list[QuestionShares]:
        """Returns the shares of the sensitive, or of the plain, questions; control items and what devices drew are left
        out, since they are no results."""
        others = {
            question.name
            for question in self.report.mined_design.questions
            if question.known_parts is not None or question.share_parts
        }
        return [one for one in question_shares(self.report, sensitive=sensitive) if one.name not in others]

    @cached_property
    def _shares(self) -> list[Estimate]:
        """All shares of the page."""
        return [
            share for question in (*self._sensitive_shares, *self._plain_shares) for share in question.every
        ]

    @cached_property
    def _question_by_answer(self) -> dict[str, QuestionShares]:
        """The question of each answer, by the answer's name."""
        questions = (*self._sensitive_shares, *self._plain_shares)
        return {share.item: question for question in questions for share in question.every}

    @cached_property
    def _estimate_by_answer(self) -> dict[str, MeasuredValue]:
        """The estimate of each answer's share with its interval, by the answer's name."""
        return {share.item: share_finding(share, self.report.labels).measured for share in self._shares}

    @cached_property
    def _scale(self) -> Scale:
        """The common scale of all shares of the page."""
        of_groups = [
            MeasuredValue(cell.share, cell.low, cell.high)
            for table in self.report.content.groups
            for row in table.rows
            if row.differs
            for cell in row.cells
        ]
        measured = (*self._estimate_by_answer.values(), *of_groups)
        ends = [one.high for one in measured if one.is_known]
        if self.has_evidence:
            seen = [share.among_shown for share in self._shares]
            ends += [mark for share in seen for mark in (share.observed, share.truth)]
        return Scale.covering(ends, most=1.0)

    def _share_table(
        self, caption: str, questions: Sequence[QuestionShares], most_on_paper: int
    ) -> ShareTable:
        groups: list[RowGroup] = []
        n = 0
        for (heading, _name), asked_together in groupby(questions, self._words_and_name):
            together = [*asked_together]
            rows = [self._share_row(share, question) for question in together for share in question.shares]
            above = [self._share_row(share, question) for question in together for share in question.above]
            n += 1 + len(rows)
            groups.append(RowGroup(heading, rows, n <= most_on_paper, above))
        return ShareTable(caption, groups)

    def _words_and_name(self, question: QuestionShares) -> tuple[str, str]:
        """Returns the words over the rows of a question, and its name, but for an option, whose words others share."""
        labels, answer = self.report.labels, question.shares[0].item
        return labels.answer(answer).question, "" if labels.is_option(answer) else question.name

    def _share_row(self, share: Estimate, question: QuestionShares) -> AnswerShareRow:
        measured = self._estimate_by_answer[share.item]
        seen = share.among_shown
        received, truth = (seen.observed, seen.truth) if self.has_evidence else (None, None)
        received = received if question.is_sensitive else None
        # Nothing is drawn where the text says at most or at least what the share is, or that nothing can be said of it.
        interval = (
            interval_picture(
                self._scale, measured.low, measured.value, measured.high, received=received, truth=truth
            )
            if measured.is_known
            else None
        )
        return AnswerShareRow(
            self.report.labels.answer(share.item).choice,
            share_bound_or_dash(measured),
            (interval,) if interval else (),
            tuple(row_evidence.share_evidence(share, question)) if self.has_evidence else (),
        )

    # --- groups ---

    def _group_parts(self) -> list[GroupResults]:
        labels, tables = self.report.labels, self.report.content.groups
        parts = []
        for table, option in zip(tables, self._named_once(one.classes[-1] for one in tables), strict=True):
            shown = [row for row in table.rows if row.differs]
            others = [row for row in table.rows if not row.differs]
            captions = self._named_once(row.item for row in shown)
            parts.append(
                GroupResults(
                    option if labels.is_option(table.classes[-1]) else labels.heading(table),
                    list(zip(captions, (self._class_rows(table, row) for row in shown), strict=True)),
                    self._shortest_names([row for row in others if row.p is not None], table),
                    self._shortest_names([row for row in others if row.p is None], table),
                )
            )
        return parts

    def _named_once(self, names: Iterable[str]) -> Iterator[str]:
        """Yields the short labels of answers, the first option of a question after the question's words."""
        above = ""
        for name in names:
            answer = self.report.labels.answer(name)
            words = answer.question if self.report.labels.is_option(name) else ""
            yield question_and_answer(words, answer.short) if words and words != above else answer.short
            above = words

    def _shortest_names(self, rows: Sequence[GroupRow], table: GroupTable) -> list[str]:
        """Returns the names of the answers of `rows`; a question's own name where `rows` hold all its answers."""
        labels = self.report.labels
        present = Counter(labels.item(row.item)[0] for row in rows)
        whole = Counter(labels.item(row.item)[0] for row in table.rows)
        names: dict[str, None] = {}
        for row, name in zip(rows, self._named_once(row.item for row in rows), strict=True):
            question = labels.item(row.item)[0]
            is_whole = present[question] == whole[question] and not labels.is_option(row.item)
            names[labels.answer(row.item).asked if is_whole else name] = None
        return list(names)

    def _class_rows(self, table: GroupTable, row: GroupRow) -> list[AnswerShareRow]:
        labels, rows = self.report.labels, []
        for name, cell in zip(table.classes, row.cells, strict=True):
            if labels.is_hidden_from_class(row, name):
                continue
            measured = MeasuredValue(cell.share, cell.low, cell.high)
            drawn = cell if self.has_evidence else replace(cell, truth=None)
            interval = cell_interval_picture(row, drawn, self._scale) if measured.is_known else None
            rows.append(
                AnswerShareRow(
                    labels.answer(name).choice, share_bound_or_dash(measured), (interval,) if interval else ()
                )
            )
        return rows


def share_bound_or_dash(measured: MeasuredValue) -> Sentence:
    """Returns a share with its interval, else its bound, else a dash."""
    if measured.is_known:
        return measured.share
    return unbroken_sentence(measured.bound_text) if measured.bound_text else DASH
