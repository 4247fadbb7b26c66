"""Form of a sensitive place: its regions, their cells and levels of protection, and a map.

All coordinates of the map are integers, so that no language writes them with a comma.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple

from django import forms
from django.forms import BoundField
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from privacy.grammar.input_error import InputError
from privacy.kinds.place.law import PlaceLevel
from privacy.kinds.place.section import LAND, odds_text
from surveys.kinds.place.draft import (
    PlaceDraft,
    PlaceDraftQuestion,
    label_or_name,
    require_place_question,
)
from surveys.kinds.place.guarantee_and_errors import PlaceProtection, place_protection
from surveys.kinds.place.map_cell_creation import region_cells_field
from surveys.kinds.place.protection_levels import (
    NEAR,
    ODDS,
    NearCellsField,
    OddsField,
    level_from_fields,
    levels_refusal_text,
    stronger_levels_with_same_excess,
)
from surveys.kinds.question_form import QuestionBlockForm
from surveys.questionnaire.problems_and_refusals import Problem, reason_text
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.question_block_editing import Block
from ui import land_outline_path

OWN_NEAR, OWN_ODDS = "own-near", "own-odds"
REGION_PATH = re.compile(r"regions\[(\d+)\]")
SIDE, MARGIN = 640, 8
MOST_NUMBERED = 400
"""Highest number of cells of a map whose regions are numbered on it."""
NUMBER_SIZE = 13
"""Size in pixels of a region's number on the map; smaller cells have no number."""
CELL = '<g data-cell="{}" data-region="{}"><path d="{}"/><title>{}</title></g>'
NUMBERED = (
    '<g data-cell="{}" data-region="{}"><path d="{}"/><title>{}</title><text x="{}" y="{}">{}</text></g>'
)

Fault = tuple[str, str] | None
"""Name of an invalid field and the reason; None if all is valid."""


class RegionRow(NamedTuple):
    """A region in the form: the fields of its label, its cells and its name in record files."""

    row: int
    number: int
    words: BoundField
    cells: BoundField
    name: BoundField
    size: int
    own: bool


class PlaceForm(QuestionBlockForm):
    template = "builder/question-place.html"
    section: PlaceDraft

    def add_kind_fields(self) -> None:
        self.question = self.section.question
        for row, region in enumerate(self.question.regions):
            label = _("Cells of region %(number)s") % {"number": row + 1}
            cells = region_cells_field(self.question, label, self.language)
            cells.initial = list(region.cells)
            label = _("Name of region %(number)s") % {"number": row + 1}
            name = forms.CharField(label=label, required=False, max_length=200, initial=region.name)
            self.fields |= {f"in-{row}": cells, f"name-{row}": name}
        level, own = self.question.level, self.question.level_of_special_regions
        near = NearCellsField(
            label=_("Near cells"),
            help_text=_(
                "So many cells around the true one are sent more often. Many: smaller errors of the regions. Few: "
                "more of where inside them."
            ),
            initial=level.near,
        )
        odds = OddsField(
            label=_("Odds"),
            help_text=_("So many times more often than another cell inside; from 1.01 to 1,000."),
            initial=odds_text(level.odds),
        )
        self.fields |= {NEAR: near, ODDS: odds}
        if own:
            near = NearCellsField(label=_("Near cells of regions protected more"), initial=own.near)
            odds = OddsField(label=_("Odds of regions protected more"), initial=odds_text(own.odds))
            self.fields |= {OWN_NEAR: near, OWN_ODDS: odds}
        self.add_name_field()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors:
            fault = next(self.section.kind_specific_text_faults(self.question, data), None)
            fault = (
                fault
                or self._shared_cell_fault(data)
                or self._mismatched_levels_fault(data)
                or self._design_refusal(data)
            )
            if fault:
                self.add_error(*fault)
        return data

    def _shared_cell_fault(self, data: dict[str, Any]) -> Fault:
        """Returns the field and the reason, if a cell is in two regions; else None."""
        region_by_cell: dict[str, int] = {}
        for row in range(len(self.question.regions)):
            for name in data[f"in-{row}"]:
                if name in region_by_cell:
                    words = _("“%(name)s” lies in region %(number)s already.")
                    return f"in-{row}", words % {"name": name, "number": region_by_cell[name] + 1}
            region_by_cell |= dict.fromkeys(data[f"in-{row}"], row)
        return None

    def _mismatched_levels_fault(self, data: dict[str, Any]) -> Fault:
        """Returns the field and the reason, if the two levels do not fit together; else None."""
        level, own = _read_levels(data)
        if own is None:
            return None
        if own.odds >= level.odds:
            return OWN_ODDS, _("The odds must be smaller than those of the other regions.")
        if own.near_excess != level.near_excess:
            rows = (row for row, region in enumerate(self.question.regions) if region.level)
            most = min(len(data[f"in-{row}"]) for row in rows)
            return OWN_ODDS, levels_refusal_text(level, own, most)
        return None

    def _design_refusal(self, data: dict[str, Any]) -> Fault:
        """Returns the field and the reason, if a design would refuse the changed numbers of near cells; else None.

        Not checked while some region has no cells.
        """
        question = place_question_with_input(self.question, data)
        is_drawn = question.regions and all(region.cells for region in question.regions)
        if not is_drawn or not {NEAR, OWN_NEAR} & {*self.changed_data}:
            return None
        try:
            replace(self.section, questions=(question,)).as_design_section()
        except InputError as refusal:
            match = REGION_PATH.search(refusal.path)
            own = match is not None and question.regions[int(match[1])].level
            return OWN_NEAR if own else NEAR, region_refusal_text(refusal)
        return None

    def apply_to_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        (question,) = map(require_place_question, block)
        return [place_question_with_input(question, cleaned)]

    # For the template.

    @property
    def level_fields(self) -> list[BoundField]:
        return [self[name] for name in (NEAR, ODDS, OWN_NEAR, OWN_ODDS) if name in self.fields]

    @cached_property
    def region_rows(self) -> list[RegionRow]:
        return [
            RegionRow(
                row=row,
                number=row + 1,
                words=self[f"region-{row}"],
                cells=self[f"in-{row}"],
                name=self[f"name-{row}"],
                size=len(region.cells),
                own=region.level is not None,
            )
            for row, region in enumerate(self.question.regions)
        ]

    @property
    def sentence_answer_labels(self) -> list[str]:
        return [label_or_name(region, self.language) for region in self.question.regions]

    @property
    def answer_rows(self) -> list[RegionRow]:
        """Rows whose names in record files can be changed: regions here, answers in other kinds."""
        return self.region_rows

    @cached_property
    def map_picture(self) -> "PlacePicture | None":
        """Map of the cells; None if the cells are in one row without shapes."""
        cells = self.question.cells
        has_map = any(cell.shape for cell in cells) or len({cell.at[1] for cell in cells}) > 1
        return PlacePicture(self.question, self.language) if has_map else None

    @cached_property
    def saved_protection(self) -> PlaceProtection | None:
        """Guarantee and errors of the saved place, without unsaved input."""
        return place_protection(self.section, self.draft.disguised_respondents, PRIOR, self.language)

    @property
    def stored_section_fault(self) -> str:
        """Reason why the stored place cannot become part of a design; empty if it can."""
        try:
            self.section.as_design_section()
        except InputError as refusal:
            return region_refusal_text(refusal)
        return ""

    @cached_property
    def has_stronger_level(self) -> bool:
        """True if some region can get a stronger level than the question's."""
        question = self.question
        most = max((len(region.cells) for region in question.regions), default=0)
        return question.level_of_special_regions is not None or any(
            stronger_levels_with_same_excess(question.level, most)
        )


def region_refusal_text(refusal: InputError) -> str:
    match, reason = REGION_PATH.search(refusal.path), reason_text(refusal)
    if match is None:
        return Problem("", reason).sentence
    return _("Region %(number)s: ") % {"number": int(match[1]) + 1} + f"{reason}."


def place_question_with_input(question: PlaceDraftQuestion, data: dict[str, Any]) -> PlaceDraftQuestion:
    """Returns the question with the cells of each region, and the levels of protection, as the form has them."""
    regions = (replace(region, cells=tuple(data[f"in-{row}"])) for row, region in enumerate(question.regions))
    return replace(question, regions=tuple(regions)).with_levels(*_read_levels(data))


def _read_levels(data: dict[str, Any]) -> tuple[PlaceLevel, PlaceLevel | None]:
    """Returns the protection level in the form, and that of the regions that are protected more; None if there are no
    such regions."""
    own = level_from_fields(data[OWN_NEAR], data[OWN_ODDS]) if OWN_NEAR in data else None
    return level_from_fields(data[NEAR], data[ODDS]), own


class PlacePicture:
    """SVG map of the cells; `land` is the path of the land's outline, and `transform` converts its coordinates to those
    of the map."""

    def __init__(self, question: PlaceDraftQuestion, language: str) -> None:
        cells = question.cells
        numbers = [part for cell in cells for part in (cell.at, *cell.shape)]
        xs, ys = ([number for part in numbers for number in part[first::2]] for first in (0, 1))
        self.west, self.north = min(xs), max(ys)
        width, height = max(1, max(xs) - self.west), max(1, self.north - min(ys))
        self.factor = min((SIDE - 2 * MARGIN) / width, (SIDE - 2 * MARGIN) / height)
        corner = self._map_point(max(xs), min(ys))
        self.width, self.height = corner[0] + MARGIN, corner[1] + MARGIN
        # About how far the middles of cells lie apart, in pixels.
        apart = sqrt(width * height / len(cells)) * self.factor
        self.numbered = len(cells) <= MOST_NUMBERED and apart > NUMBER_SIZE
        self.cells = self._draw_cells(question, language, max(2, round(apart * 0.4)))
        rings = question.outline if isinstance(question.outline, tuple) else ()
        self.land = (
            land_outline_path.land_svg_path()
            if question.outline == LAND
            else svg_path(map(ring_points, rings))
        )
        self.transform = ""
        if question.outline:
            left, top = MARGIN - self.west * self.factor, MARGIN + self.north * self.factor
            scale = f"scale({self.factor:.6f} {-self.factor:.6f})"
            self.transform = f"translate({left:.3f} {top:.3f}) {scale}"

    def _map_point(self, x: int, y: int) -> tuple[int, int]:
        return MARGIN + round((x - self.west) * self.factor), MARGIN + round((self.north - y) * self.factor)

    def _draw_cells(self, question: PlaceDraftQuestion, language: str, half: int) -> SafeString:
        """Draws the cells as SVG elements; a template would take seconds.

        A cell without a shape is a square with sides of 2 `half`.
        """
        row_of = {name: row for row, region in enumerate(question.regions) for name in region.cells}
        elements = []
        for cell in question.cells:
            x, y = self._map_point(*cell.at)
            square = f"M{x - half} {y - half}h{2 * half}v{2 * half}h{-2 * half}z"
            shape = svg_path([self._map_point(*point) for point in ring_points(ring)] for ring in cell.shape)
            row = row_of.get(cell.name)
            region, number = ("", "") if row is None else (str(row), str(row + 1))
            parts = (cell.name, region, shape or square, label_or_name(cell, language))
            elements.append((*parts, x, y, number) if self.numbered else parts)
        return format_html_join("\n", NUMBERED if self.numbered else CELL, elements)


def ring_points(ring: Iterable[int]) -> Iterable[tuple[int, int]]:
    """Yields the points of a ring, which is stored as x, y, x, y, ..."""
    numbers = tuple(ring)
    return zip(numbers[0::2], numbers[1::2], strict=True)


def svg_path(rings: Iterable[Iterable[tuple[int, int]]]) -> str:
    """Returns the SVG path of these closed rings of points."""
    return "".join(f"M{'L'.join(f'{x} {y}' for x, y in ring)}z" for ring in rings)
