"""Sheets of a report's workbook for people: headings in words, shares in percent, the ends of intervals in two columns.

The tables of the other files follow them, each on a sheet whose name begins with "Data".
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _

from reports.exports.methods_and_uncovered_errors import report_metadata
from reports.review.question_shares import question_shares
from reports.rule_measures import LIST_TITLES
from reports.sentences.first_finding_sentences import headline_findings
from reports.sentences.sentence_parts import as_visible_text
from reports.texts.design_sentences import say, true_sentences

if TYPE_CHECKING:
    from reports.export_table import ExportTable
    from reports.review.report_page_data import ReportPage

TEXT = "@"
NUMBERS = SHARE, COUNT, NUMBER, P = "0.0%", "#,##0", "0.00", "0.0000"
"""Formats of cells."""


class SheetColumn(NamedTuple):
    heading: str | Promise
    form: str
    column: str = ""


class PeopleSheet(NamedTuple):
    name: str
    columns: Sequence[SheetColumn]
    rows: Sequence[Sequence[Any]]


MEASURES = "confidence confidence_low confidence_high lift lift_low lift_high"
SHEETS: Mapping[str | Promise, tuple[str, str]] = {
    _("Shares"): ("shares", "items_in_words support low high base among truth"),
    _("Groups"): ("groups", "class item_in_words share low high base p among truth"),
    _("Numbers"): ("numbers", "question_text unit class_in_words mean mean_low mean_high base mean_truth"),
    _("Rules"): ("rules", f"list place antecedent_in_words consequent_in_words {MEASURES} p q base among"),
}
"""For each sheet, the table that it shows, and the columns of it."""
SHARE_OF, FROM, TO = (_("Share"), SHARE), _("Interval from"), _("Interval to")
HEADINGS: Mapping[str, tuple[str | Promise, str]] = {
    "items_in_words": (_("Answer"), TEXT),
    "item_in_words": (_("Answer"), TEXT),
    "class": (_("Group"), TEXT),
    "class_in_words": (_("Group"), TEXT),
    "question_text": (_("Question"), TEXT),
    "unit": (_("Unit"), TEXT),
    "support": SHARE_OF,
    "share": SHARE_OF,
    "confidence": (_("Share of them"), SHARE),
    "mean": (_("Mean"), NUMBER),
    "base": (_("People asked"), COUNT),
    "among": (_("Among"), TEXT),
    "p": (_("p of no difference"), P),
    "antecedent_in_words": (_("People with"), TEXT),
    "consequent_in_words": (_("also have"), TEXT),
    "lift": (_("Lift"), NUMBER),
    "list": (_("List"), TEXT),
    "place": (_("Place in the list"), COUNT),
    "q": (_("q of the list"), P),
    "truth": (_("Truth in the simulation"), SHARE),
    "mean_truth": (_("Truth in the simulation"), NUMBER),
}
"""Heading and format of each of these columns; the ends of an interval stand right of what it is of."""


def people_sheets(report: "ReportPage", tables: Sequence["ExportTable"]) -> Iterator[PeopleSheet]:
    """Yields the sheets that people read, in their order; numbers only where the survey asks for some."""
    yield _findings_sheet(report)
    by_name = {table.name: table for table in tables}
    for name, (source, wanted) in SHEETS.items():
        if table := by_name.get(source):
            here = [column for column in wanted.split() if column in table.columns]
            columns = [*map(_sheet_column, here), *_quantile_columns(table)]
            rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
            if source == "shares":
                rows = _rows_as_on_the_page(report, rows)
            for row in rows if source == "groups" else ():
                row["class"] = report.labels.join_full((row["class"],))
            for row in rows if source == "rules" else ():
                row["list"] = str(LIST_TITLES[row["list"]])
            yield PeopleSheet(str(name), columns, [[row[each.column] for each in columns] for row in rows])
    headings = [SheetColumn(_("About"), TEXT), SheetColumn(_("In words"), TEXT)]
    yield PeopleSheet(gettext("Method"), headings, [*_method(report)])


def _rows_as_on_the_page(report: "ReportPage", rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the rows of the shares; of a number by classes those that the page lists, with its falling shares."""
    numbers = [question for question in question_shares(report, sensitive=True) if question.above]
    listed = {one.item: (one.support, one.low, one.high) for each in numbers for one in each.every}
    names = {each.name for each in numbers}
    rows = [row for row in rows if row["items"] in listed or row["items"].partition("=")[0] not in names]
    ends = ("support", "low", "high")
    return [row | dict(zip(ends, listed.get(row["items"], ()), strict=False)) for row in rows]


def _sheet_column(column: str) -> SheetColumn:
    end = {"low": FROM, "high": TO}.get(column.rpartition("_")[2])
    heading, form = HEADINGS.get(column.rpartition("_")[0], SHARE_OF) if end else HEADINGS[column]
    return SheetColumn(end or heading, form, column)


def _quantile_columns(table: "ExportTable") -> Iterator[SheetColumn]:
    for column in table.columns:
        if table.name == "numbers" and column.startswith("quantile_"):
            _quantile, q, end = column.split("_", 2)
            words = (
                _("%(percent)s %% quantile, at least")
                if end == "at_least"
                else _("%(percent)s %% quantile, below")
            )
            yield SheetColumn(words % {"percent": f"{100 * float(q):g}"}, NUMBER, column)


def _findings_sheet(report: "ReportPage") -> PeopleSheet:
    headings = ((_("Finding"), TEXT), SHARE_OF, (FROM, SHARE), (TO, SHARE), (_("Compared with"), TEXT))
    rows = [
        [
            as_visible_text(finding.sentence),
            *((one.value, one.low, one.high) if (one := finding.measured).is_share else (None,) * 3),
            as_visible_text(finding.beneath),
        ]
        for finding in headline_findings(report.published_content_with_rules, report.labels)
    ]
    return PeopleSheet(gettext("Findings"), [*starmap(SheetColumn, headings)], rows)


def _method(report: "ReportPage") -> Iterator[tuple[str, str]]:
    about = report.about
    yield gettext("Title"), report.title
    yield gettext("Records"), str(about.records)
    yield gettext("Checked"), report.check_sentence
    for sentence in (say("intervals-do-not-cover", report), *true_sentences("not-covered", report)):
        yield gettext("Not covered"), sentence
    yield from report_metadata(report)["formulas"].items()
