"""What the page of numbers lists."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from look.quantities import places_for, rounded, with_unit
from mining.document.numbers import NumberEstimates, NumberShare
from privacy.kinds.number.window.law import BANDED
from reports.content import outside
from reports.gallery import CLASSES, PagePicture, page_picture
from reports.kinds.number import texts as number_texts
from reports.kinds.number.shown import NumberClass, NumberGroup, ShownNumber, shown_numbers
from reports.naming import AnswerText
from reports.withholding import Withholding, earlier_disclosures

if TYPE_CHECKING:
    from reports.report_page import ReportPage


@dataclass(frozen=True)
class NumberShareRow:
    answer: AnswerText
    found: NumberShare
    truth: float | None

    @property
    def is_noise(self) -> bool:
        return outside(self.found.share)


@dataclass(frozen=True)
class ClassRow:
    """A class of a number by classes: its mean, the interval of that, and its quantiles, each with its label."""

    of: NumberClass
    mean: tuple[str, str]
    quantiles: list[tuple[str, str]]


@dataclass(frozen=True)
class GroupRows:
    group: NumberGroup
    rows: list[ClassRow]
    labels: list[str]
    pictures: list[PagePicture]

    @property
    def label(self) -> str:
        """Of its table, unlike that of any other on the page."""
        return f"{self.group.number.text} · {self.group.text}"


@dataclass(frozen=True)
class NumberRows:
    """A number with its pictures; `truth` is the true share by answer in a rehearsal."""

    number: ShownNumber
    pictures: list[PagePicture]
    groups: list[GroupRows]
    truth: Mapping[str, float | None]

    @property
    def found(self) -> NumberEstimates:
        return self.number.everybody

    @property
    def mean(self) -> str:
        return number_texts.mean_text(self.number, self.found.mean) if self.found.mean else ""

    @property
    def true_mean(self) -> str:
        """In a rehearsal."""
        truth, mean = self.number.finding.truth, self.found.mean
        if mean is None or truth is None or truth.mean is None:
            return ""
        return with_unit(rounded(truth.mean, places_for(mean.se)), self.number.unit)

    @property
    def ends(self) -> str:
        return number_texts.ends_text(self.number)

    @property
    def quantiles(self) -> list[tuple[str, str]]:
        return [
            (number_texts.quantile_label(one.q), number_texts.quantile_text(self.number, one))
            for one in self.found.quantiles
        ]

    @property
    def shares(self) -> list[NumberShareRow]:
        return [
            NumberShareRow(self.number.said(one), one, self.truth.get(self.number.item(one)))
            for one in self.number.parts(self.found)
        ]

    @property
    def lacks_mean(self) -> bool:
        """Whether a mean was asked for, but too few records let it be told."""
        return self.number.classes is not None and self.number.classes.has_mean and self.found.mean is None

    @property
    def finest(self) -> str:
        """The width of what the blurred distribution can just show."""
        window, found = self.number.window, self.found.distribution
        if window is None or found is None:
            return ""
        width = window.values * window.step / (found.modes + 1)
        return with_unit(rounded(width, places_for(width)), self.number.unit)

    @property
    def has_no_band(self) -> bool:
        return self.found.distribution is not None and self.found.distribution.low is None

    @property
    def banded(self) -> int:
        return BANDED


def numbers(report: "ReportPage") -> list[NumberRows]:
    truth = {share.items[0]: share.truth for share in report.content.shares}
    return [
        NumberRows(
            number,
            pictures(report, number),
            [group_rows(report, number, group) for group in number.groups],
            truth,
        )
        for number in shown_numbers(report)
    ]


@dataclass(frozen=True)
class WithheldPart:
    """What a publication would withhold of a number: everything said of everybody, or `classes` of a question."""

    number: ShownNumber
    question: str = ""
    classes: tuple[str, ...] = ()


def left_out(report: "ReportPage") -> list[WithheldPart]:
    """What a publication would leave out now of what is estimated."""
    run = report.review.run
    withholding = Withholding(run, earlier_disclosures(run), report.naming)
    found = []
    for number in shown_numbers(report):
        kept = withholding.number(number.finding)
        if number.everybody.is_known and not kept.everybody.is_known:
            found.append(WithheldPart(number))
        for group, of in zip(number.groups, kept.groups, strict=True):
            pairs = zip(group.classes, of.classes, strict=True)
            gone = tuple(one.words for one, left in pairs if one.estimates.is_known and not left.is_known)
            if gone:
                found.append(WithheldPart(number, group.text, gone))
    return found


def pictures(report: "ReportPage", number: ShownNumber, of_group: str = "") -> list[PagePicture]:
    parts = [f"number-{number.place}{of_group}{part}" for part in ("", f"-{CLASSES}")]
    return [picture for name in parts if (picture := page_picture(report, name))]


def group_questions(report: "ReportPage") -> list[tuple[str, str]]:
    """The plain questions by whose classes numbers are estimated, each with its text."""
    found = {group.question: group.text for number in shown_numbers(report) for group in number.groups}
    return list(found.items())


def group_rows(report: "ReportPage", number: ShownNumber, group: NumberGroup) -> GroupRows:
    stated = [one.q for one in number.everybody.quantiles] or [
        one.q for of in group.classes for one in of.estimates.quantiles
    ]
    qs = sorted(set(stated))
    return GroupRows(
        group,
        [class_row(number, of, qs) for of in group.classes],
        [number_texts.quantile_label(q) for q in qs],
        pictures(report, number, f"-{group.place}"),
    )


def class_row(number: ShownNumber, of: NumberClass, qs: list[float]) -> ClassRow:
    stated = {one.q: number_texts.quantile_cell(number, one) for one in of.estimates.quantiles}
    return ClassRow(
        of,
        number_texts.mean_cells(of.estimates.mean),
        [(number_texts.quantile_label(q), stated.get(q, "–")) for q in qs],
    )
