"""A sensitive number of a report, with its question, for pages, pictures and files."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from look.quantities import quantity
from mining.document.numbers import NumberClasses, NumberEstimates, NumberNode, NumberShare
from privacy.kinds.number.classes.section import ClassesQuestion
from privacy.kinds.number.number import NumberQuestion
from privacy.kinds.number.window.section import WindowQuestion
from reports.naming import AnswerText
from reports.shown_question import ShownQuestion

if TYPE_CHECKING:
    from reports.report_page import ReportPage


@dataclass(frozen=True)
class ShownNumber(ShownQuestion[NumberQuestion]):
    finding: NumberNode

    @cached_property
    def unit(self) -> str:
        return self.naming.said_in(self.question.unit)

    @property
    def everybody(self) -> NumberEstimates:
        return self.finding.everybody

    @property
    def classes(self) -> ClassesQuestion | None:
        return self.question if isinstance(self.question, ClassesQuestion) else None

    @property
    def is_scale(self) -> bool:
        """Whether every value is a class."""
        return self.classes is not None and self.classes.is_scale

    def parts(self, found: NumberEstimates) -> list[NumberShare]:
        """The shares that a file or a table lists: of a scale its values, else those above each limit and the classes.

        The last class is the share above the last limit.
        """
        return [*found.classes] if self.is_scale else [*found.shares, *found.classes[:-1]]

    @property
    def window(self) -> WindowQuestion | None:
        return self.question if isinstance(self.question, WindowQuestion) else None

    def item(self, share: NumberShare) -> str:
        return f"{self.name}={share.item}"

    def said(self, share: NumberShare) -> AnswerText:
        """Between which limits the number lies."""
        return self.naming.answer(self.item(share))

    def in_full(self, share: NumberShare) -> str:
        """The same with the whole words of the question."""
        return self.naming.in_full([self.item(share)])

    def quantity(self, number: int) -> str:
        return quantity(number, self.unit)

    @cached_property
    def groups(self) -> tuple["NumberGroup", ...]:
        return tuple(NumberGroup(place, self, of) for place, of in enumerate(self.finding.groups, 1))


@dataclass(frozen=True)
class NumberClass:
    """The estimates in the class `item`; `never_shown`: the rules hide the number from the whole class."""

    item: str
    words: str
    estimates: NumberEstimates
    never_shown: bool


@dataclass(frozen=True)
class NumberGroup:
    """The classes of a plain question; `place` counts them within their number from 1."""

    place: int
    number: ShownNumber
    found: NumberClasses

    @property
    def question(self) -> str:
        return self.found.question

    @cached_property
    def text(self) -> str:
        naming = self.number.naming
        return naming.question_text(naming.design.questions[naming.place(self.question)])

    @cached_property
    def classes(self) -> tuple[NumberClass, ...]:
        return tuple(self._classes())

    def _classes(self) -> Iterator[NumberClass]:
        naming = self.number.naming
        place, number = naming.place(self.question), naming.place(self.number.name)
        for code, found in enumerate(self.found.classes):
            item = naming.name((place, code))
            never = not naming.routing.allowed[number, naming.number(item)]
            yield NumberClass(item, naming.answer(item).choice, found, never)


def shown_numbers(report: "ReportPage") -> list[ShownNumber]:
    questions = {question.name: question for question in report.design.questions}
    found = []
    for place, finding in enumerate(report.content.numbers, 1):
        question = questions[finding.question]
        assert isinstance(question, NumberQuestion), finding.question
        found.append(ShownNumber(place, question, report.naming, finding))
    return found
