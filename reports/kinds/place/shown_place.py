"""Defines a sensitive place as pages, maps and files show it: the question, its labels and its regions' shares."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mining.nodes.place_nodes import PlaceNode
from mining.nodes.report_nodes import Cell, Estimate, GroupTable, Report
from privacy.kinds.place.section import PlaceQuestion
from reports.answer_labels import AnswerText
from reports.kinds.place.map_svg_paths import MapGeometry
from reports.kinds.shown_question import ShownClass, ShownQuestion

if TYPE_CHECKING:
    from reports.review.report_page_data import ReportPage

VALUES = ("received", "illustration", "share", "low", "high")
"""Numbers of a map cell; the last three exist only outside the regions."""
NOT_SAID = Cell(n_asked=None, share=None, low=None, high=None)


@dataclass(frozen=True)
class Region:
    """A region with its estimate. *Elsewhere* is a region too: its `number` is 0 and its cells are those outside all
    others."""

    number: int
    answer: AnswerText
    cells: tuple[int, ...]
    node: Estimate | Cell

    @property
    def share(self) -> float | None:
        """The estimated share of the people who are in this region; None if it is withheld or not estimated."""
        return self.node.support if isinstance(self.node, Estimate) else self.node.share


@dataclass(frozen=True)
class ShownPlace(ShownQuestion[PlaceQuestion]):
    """A sensitive place as a report shows it; `node` has the shares of its map cells, `content` the whole report."""

    node: PlaceNode
    content: Report

    @cached_property
    def geometry(self) -> MapGeometry:
        return MapGeometry(self.question)

    @cached_property
    def answers(self) -> tuple[AnswerText, ...]:
        """The texts of the answers in the order of the mined design: the regions, then *elsewhere* if there is any."""
        return tuple(self.labels.answer(f"{self.name}={one.name}") for one in self.question.item_choices)

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The regions with their shares of all records, *elsewhere* last."""
        shares = {share.items[0]: share for share in self.content.shares}
        return tuple(
            self.build_region(place, shares.get(answer.name)) for place, answer in enumerate(self.answers)
        )

    def build_region(self, index: int, node: Estimate | Cell | None) -> Region:
        """Returns the region at this index of the answers, with its estimate `node`."""
        inside = self.question.regions
        cells = inside[index].cells if index < len(inside) else self.question.law.cells_outside_regions
        number = index + 1 if index < len(inside) else 0
        return Region(number, self.answers[index], cells, node or NOT_SAID)

    @property
    def is_known(self) -> bool:
        return any(one.share is not None for one in self.regions)

    @property
    def knows_truth(self) -> bool:
        return any(one.node.truth is not None for one in self.regions)

    @cached_property
    def groups(self) -> tuple["PlaceGroup", ...]:
        items = {answer.name for answer in self.answers}
        return tuple(
            PlaceGroup(place, self, table)
            for place, table in enumerate(self.content.groups, 1)
            if any(row.item in items for row in table.rows)
        )

    def cell_text(self, cell_number: int) -> str:
        cell = self.question.cells[cell_number]
        return self.labels.in_language_of_reader(cell.label) or cell.name

    def region_text(self, cell_number: int) -> AnswerText:
        """Returns the text of the region that a cell is in, or of *elsewhere*."""
        return self.answers[self.question.law.region_by_cell.get(cell_number, len(self.question.regions))]

    def cell_values(self) -> Iterator[tuple[float | None, ...]]:
        """Yields, for each cell, the numbers named in `VALUES`; None if withheld or not estimated."""
        node = self.node
        outside = dict(zip(self.question.law.cells_outside_regions, node.outside, strict=False))
        for number in range(len(self.question.cells)):
            one = outside.get(number)
            drawn = (values[number] if values else None for values in (node.received, node.illustration))
            yield (*drawn, *((one.share, one.low, one.high) if one else (None,) * 3))


@dataclass(frozen=True)
class PlaceGroup:
    """Shares of regions in each class of one plain question; `place` is the table's number among the report's tables by
    group."""

    place: int
    of: ShownPlace
    node: GroupTable

    @cached_property
    def text(self) -> str:
        return self.of.labels.answer(self.node.classes[0]).question

    @property
    def label(self) -> str:
        """Caption of the group's table, unique on the page."""
        return f"{self.of.text} · {self.text}"

    @cached_property
    def classes(self) -> tuple[ShownClass[tuple[Region, ...]], ...]:
        return tuple(self._classes())

    def _classes(self) -> Iterator[ShownClass[tuple[Region, ...]]]:
        rows = {row.item: row.cells for row in self.node.rows}
        for at, item in enumerate(self.node.classes):
            cells = (rows[answer.name][at] if answer.name in rows else None for answer in self.of.answers)
            regions = tuple(self.of.build_region(place, cell) for place, cell in enumerate(cells))
            yield self.of.class_estimates(item, regions)


def shown_places(report: "ReportPage", content: Report | None = None) -> list[ShownPlace]:
    """Returns the places that the report has estimates of, in the order of the design."""
    questions = {question.name: question for question in report.design.questions}
    report_content = content or report.content
    places = []
    for place, node in enumerate(report_content.places, 1):
        question = questions[node.question]
        assert isinstance(question, PlaceQuestion), node.question
        places.append(ShownPlace(place, question, report.labels, node, report_content))
    return places
