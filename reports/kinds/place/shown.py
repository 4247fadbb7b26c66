"""A sensitive place of a report, with its question and the shares of its regions, for pages, maps and files."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mining.document.places import OutsideShare, PlaceNode
from privacy.kinds.place.section import PlaceQuestion
from reports.content import Cell, Content, Estimate, Groups
from reports.kinds.place.geometry import Geometry
from reports.naming import AnswerText
from reports.shown_question import ShownQuestion

if TYPE_CHECKING:
    from reports.report_page import ReportPage


@dataclass(frozen=True)
class RegionShare:
    """The estimated share of a region, its `number` on maps, and its cells; of *elsewhere* 0 and those outside."""

    number: int
    item: str
    answer: AnswerText
    cells: tuple[int, ...]
    share: float | None
    low: float | None
    high: float | None
    truth: float | None = None


@dataclass(frozen=True)
class CellShare:
    """What is said of a cell; None: withheld, or not estimated. `item` is its region or *elsewhere*."""

    number: int
    name: str
    words: str
    item: str
    region: str
    received: float | None
    illustration: float | None
    outside: OutsideShare | None


@dataclass(frozen=True)
class ShownPlace(ShownQuestion[PlaceQuestion]):
    found: PlaceNode
    content: Content

    @cached_property
    def geometry(self) -> Geometry:
        return Geometry(self.question)

    @cached_property
    def items(self) -> tuple[str, ...]:
        """As in the mined design: the regions, then *elsewhere* if there is any."""
        return tuple(f"{self.name}={choice.name}" for choice in self.question.item_choices)

    @cached_property
    def _cells(self) -> tuple[tuple[int, ...], ...]:
        return (*(region.cells for region in self.question.regions), self.question.law.outside)

    @cached_property
    def regions(self) -> tuple[RegionShare, ...]:
        """Among everybody, *elsewhere* last."""
        shares = {share.items[0]: share for share in self.content.shares}
        return tuple(
            self.region(number, shares[item].support, shares[item]) if item in shares else self.region(number)
            for number, item in enumerate(self.items)
        )

    def region(
        self, number: int, share: float | None = None, found: Estimate | Cell | None = None
    ) -> RegionShare:
        """With the interval that was `found`."""
        item = self.items[number]
        shown_as = number + 1 if number < len(self.question.regions) else 0
        ends = (found.low, found.high, found.truth) if found else ()
        return RegionShare(
            shown_as, item, self.naming.answer(item), self._cells[number], share, *(ends or (None, None))
        )

    @cached_property
    def groups(self) -> tuple["PlaceGroup", ...]:
        return tuple(
            PlaceGroup(place, self, table)
            for place, table in enumerate(self.content.groups, 1)
            if self._has(table)
        )

    def _has(self, table: Groups) -> bool:
        return any(row.item in self.items for row in table.rows)

    def cells(self) -> Iterator[CellShare]:
        outside = dict(zip(self.question.law.outside, self.found.outside, strict=False))
        for number, cell in enumerate(self.question.cells):
            item = self.items[self.question.law.region_of.get(number, len(self.question.regions))]
            yield CellShare(
                number,
                cell.name,
                self.naming.said_in(cell.label) or cell.name,
                item,
                self.naming.answer(item).choice,
                self.found.received[number] if self.found.received else None,
                self.found.illustration[number] if self.found.illustration else None,
                outside.get(number),
            )


@dataclass(frozen=True)
class PlaceClass:
    """The shares of the regions in the class `item`; `never_shown`: the rules hide the place from the whole class."""

    item: str
    words: str
    regions: tuple[RegionShare, ...]
    never_shown: bool

    @property
    def is_known(self) -> bool:
        return any(one.share is not None for one in self.regions)


@dataclass(frozen=True)
class PlaceGroup:
    """The classes of a plain question; `place` counts the tables by group of the report from 1."""

    place: int
    of: ShownPlace
    table: Groups

    @cached_property
    def text(self) -> str:
        return self.of.naming.answer(self.table.classes[0]).question

    @cached_property
    def classes(self) -> tuple[PlaceClass, ...]:
        return tuple(self._classes())

    def _classes(self) -> Iterator[PlaceClass]:
        naming = self.of.naming
        rows = {row.item: row.cells for row in self.table.rows}
        question = naming.place(self.of.name)
        for place, item in enumerate(self.table.classes):
            regions = tuple(
                self.of.region(number, rows[name][place].share, rows[name][place])
                if name in rows
                else self.of.region(number)
                for number, name in enumerate(self.of.items)
            )
            never = not naming.routing.allowed[question, naming.number(item)]
            yield PlaceClass(item, naming.answer(item).choice, regions, never)


def shown_places(report: "ReportPage", content: Content | None = None) -> list[ShownPlace]:
    """In the order of the design; a report that says nothing of a place has none."""
    questions = {question.name: question for question in report.design.questions}
    of = content or report.content
    found = []
    for place, one in enumerate(of.places, 1):
        question = questions[one.question]
        assert isinstance(question, PlaceQuestion), one.question
        found.append(ShownPlace(place, question, report.naming, one, of))
    return found
