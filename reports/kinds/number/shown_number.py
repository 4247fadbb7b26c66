"""Defines a sensitive number as pages, pictures and files show it: the question, its labels and its estimates."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mining.nodes.number_nodes import NumberClasses, NumberEstimates, NumberNode, NumberShare
from privacy.kinds.number.classes.section import ClassesQuestion
from privacy.kinds.number.number_question import NumberQuestion
from privacy.kinds.number.window.law import BANDED
from privacy.kinds.number.window.section import WindowQuestion
from reports.answer_labels import AnswerText
from reports.kinds.shown_question import ShownClass, ShownQuestion
from ui.interval_pictures import Scale
from ui.quantity_format import format_quantity

if TYPE_CHECKING:
    from reports.review.report_page_data import ReportPage


@dataclass(frozen=True)
class ShownNumber(ShownQuestion[NumberQuestion]):
    """A sensitive number as a report shows it; `node` has its estimates."""

    node: NumberNode

    @cached_property
    def unit(self) -> str:
        return self.labels.in_language_of_reader(self.question.unit)

    @property
    def all_records(self) -> NumberEstimates:
        return self.node.all_records

    @property
    def classes(self) -> ClassesQuestion | None:
        return self.question if isinstance(self.question, ClassesQuestion) else None

    @property
    def is_scale(self) -> bool:
        """True if every value of the number is a class of its own."""
        return self.classes is not None and self.classes.is_scale

    @property
    def lacks_mean(self) -> bool:
        """True if a mean was asked for, but there are too few records to estimate it."""
        return self.classes is not None and self.classes.has_mean and self.all_records.mean is None

    def file_shares(self, estimates: NumberEstimates) -> list[NumberShare]:
        """Returns the shares that files list: for a rating scale the share of each value, else the shares above each
        limit and those of the classes between limits.

        The last class is left out, since it is the share above the last limit.
        """
        return [*estimates.classes] if self.is_scale else [*estimates.shares, *estimates.classes[:-1]]

    @property
    def window(self) -> WindowQuestion | None:
        return self.question if isinstance(self.question, WindowQuestion) else None

    @property
    def lacks_band(self) -> bool:
        return self.all_records.distribution is not None and self.all_records.distribution.low is None

    @property
    def least_records_for_band(self) -> int:
        return BANDED

    def item_name(self, share: NumberShare) -> str:
        """Returns the name of a share's answer, such as `hours=10..19`."""
        return f"{self.name}={share.item}"

    def share_label(self, share: NumberShare) -> AnswerText:
        """Returns the texts of a share's answer: between which limits the number lies."""
        return self.labels.answer(self.item_name(share))

    def full_share_label(self, share: NumberShare) -> str:
        """Returns the texts of a share's answer with the full wording of the question."""
        return self.labels.join_full([self.item_name(share)])

    def with_unit(self, number: int) -> str:
        """Formats a number with the unit of the question."""
        return format_quantity(number, self.unit)

    @cached_property
    def groups(self) -> tuple["NumberGroup", ...]:
        return tuple(NumberGroup(place, self, node) for place, node in enumerate(self.node.groups, 1))


@dataclass(frozen=True)
class NumberGroup:
    """The estimates of a number in each class of one plain question; `place` counts the groups of the number from 1."""

    place: int
    number: ShownNumber
    node: NumberClasses

    @cached_property
    def text(self) -> str:
        labels = self.number.labels
        return labels.question_text(labels.design.questions[labels.question_index(self.node.question)])

    @property
    def label(self) -> str:
        """Caption of the group's table, unique on the page."""
        return f"{self.number.text} · {self.text}"

    @cached_property
    def quantiles(self) -> list[float]:
        """The quantiles of the table: those of all records, or if there are none, those of any class."""
        of_all, *of_classes = (
            {one.q for one in estimates.quantiles}
            for estimates in (self.number.all_records, *self.node.classes)
        )
        return sorted(of_all or set().union(*of_classes))

    @cached_property
    def classes(self) -> tuple[ShownClass[NumberEstimates], ...]:
        items = self.number.labels.choices(self.node.question)
        return tuple(map(self.number.class_estimates, items, self.node.classes))

    @cached_property
    def class_estimates_by_share(self) -> list[tuple[str, list[tuple[str, NumberShare]]]]:
        """Rows of the table: for each share of the number its text, and the estimates of the classes that have one."""
        rows: dict[str, list[tuple[str, NumberShare]]] = {}
        for one in self.classes:
            for share in one.node.classes:
                if share.share is not None:
                    rows.setdefault(self.number.share_label(share).choice, []).append((one.words, share))
        return list(rows.items())

    @cached_property
    def scale(self) -> Scale:
        """The common scale of the intervals of all classes."""
        shares = (share for _words, rows in self.class_estimates_by_share for _class, share in rows)
        return Scale.covering((share.high for share in shares), most=1.0)


def shown_numbers(report: "ReportPage") -> list[ShownNumber]:
    questions = {question.name: question for question in report.design.questions}
    numbers = []
    for place, node in enumerate(report.content.numbers, 1):
        question = questions[node.question]
        assert isinstance(question, NumberQuestion), node.question
        numbers.append(ShownNumber(place, question, report.labels, node))
    return numbers
