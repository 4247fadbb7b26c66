"""The kind `place`: one of a finite set of cells, some of which lie in sensitive regions.

Its one coin, below Z, decides the cell that is sent (privacy/kinds/place/law.py). Inside a region, W sides of the coin
send each near cell, in their order, then V sides each other cell of the regions, by number. Outside, the first
m (W - V) sides send the cell itself, then V sides each cell of the regions, by number.
See docs/mathematics.md, Places in surveys.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value
from privacy.grammar.json_node import Node
from privacy.grammar.question import Choice, Question
from privacy.grammar.question_reading import (
    ANSWER_SENTENCES,
    RESERVED_CHOICES,
    ParsedSoFar,
    read_choiceless_fields,
)
from privacy.grammar.translated_texts import Texts, read_texts
from privacy.kinds.disguise_law_interface import MinedLaw
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.place.law import ELSEWHERE, PlaceItems, PlaceItemsSection, PlaceLaw, PlaceLevel, Point, V
from privacy.kinds.section import OneQuestionSection, read_single_question
from privacy.kinds.section_intro_and_random_order import BARE, INTRO, Presentation

FEWEST_CELLS, MOST_CELLS = 2, 4_096
MOST_REGIONS = 100
FURTHEST = 10**7
"""Largest absolute value of a coordinate."""
MOST_SHAPES = 64_000
"""Most bytes of all cells' shapes and the map's outline, in the canonical form of the design."""
FEWEST_POINTS = 3
LEAST_ODDS, MOST_ODDS = 101, 100_000
"""Least and largest odds of near cells, in hundredths."""
LAND = "land"
REQUIRED = frozenset({"name", "cells", "regions", "near", "odds"})
OPTIONAL = frozenset({"text", "help", "show_if", "label", "outline"})
ODDS = re.compile(r"([0-9]{1,4})(?:\.([0-9]{1,2}))?", re.ASCII)

Ring = tuple[int, ...]
"""A closed polygon: x, y, x, y, ... of the corners; the last is joined to the first."""
Outline = str | tuple[Ring, ...] | None
"""Outline of a map: `LAND`, the researcher's own polygons, or none."""


@dataclass(frozen=True, slots=True)
class PlaceCell:
    """A cell of a map: `at`, its point; `shape`, the rings of its outline."""

    name: str
    label: Texts
    at: Point
    shape: tuple[Ring, ...] = ()

    def as_json(self) -> dict[str, Any]:
        members = {"name": self.name, "label": self.label.as_json(), "at": list(self.at)}
        return members | ({"shape": [list(ring) for ring in self.shape]} if self.shape else {})


@dataclass(frozen=True, slots=True)
class Region:
    """A sensitive region: its `cells` by number. `level`: its strength of disguise; None if it is that of the
    question."""

    name: str
    label: Texts
    cells: tuple[int, ...]
    level: PlaceLevel | None = None

    def as_json(self, cells: Sequence[PlaceCell]) -> dict[str, Any]:
        named = {
            "name": self.name,
            "label": self.label.as_json(),
            "cells": [cells[number].name for number in self.cells],
        }
        return named | (_level_json(self.level) if self.level else {})


def _level_json(level: PlaceLevel) -> dict[str, Any]:
    return {"near": level.near, "odds": odds_text(level.odds)}


def odds_text(hundredths: int) -> str:
    """Returns odds, given in hundredths, as text with two decimal places."""
    return f"{hundredths // 100}.{hundredths % 100:02d}"


@dataclass(frozen=True)
class PlaceQuestion(Question):
    """A question for a cell of a map: the choices are cells; `level`: strength of disguise where a region has no
    own."""

    stored_as_integers: ClassVar[bool] = True
    withheld_if_open: ClassVar[bool] = True

    cells: tuple[PlaceCell, ...] = ()
    regions: tuple[Region, ...] = ()
    level: PlaceLevel = field(kw_only=True)
    outline: Outline = None

    @cached_property
    def law(self) -> PlaceLaw:
        return PlaceLaw(
            tuple(cell.at for cell in self.cells),
            tuple(region.cells for region in self.regions),
            tuple(region.level or self.level for region in self.regions),
        )

    @cached_property
    def mined_codes(self) -> tuple[int, ...]:
        """The code in mining for each code of a record: the region; *not asked* if a rule hides the place."""
        elsewhere, not_asked = len(self.regions), len(self.item_choices)
        of_cells = (self.law.region_by_cell.get(cell, elsewhere) for cell in range(self.codes))
        return (*of_cells, not_asked, not_asked)

    def mined_code(self, true: int | None) -> int:
        return self.mined_codes[self.not_applicable if true is None else true]

    @property
    def item_choices(self) -> tuple[Choice, ...]:
        """Choices in mining: the regions, then all cells outside together, if there are any."""
        regions = tuple(Choice(region.name, region.label) for region in self.regions)
        return regions + (Choice(ELSEWHERE),) * bool(self.law.cells_outside_regions)

    def as_json(self) -> dict[str, Any]:
        outline = (
            self.outline if isinstance(self.outline, str) else [list(ring) for ring in self.outline or ()]
        )
        return {
            "name": self.name,
            "text": self.text.as_json(),
            "help": self.help.as_json(),
            "show_if": {rule.question: list(rule.choices) for rule in self.show_if},
            "cells": [cell.as_json() for cell in self.cells],
            "regions": [region.as_json(self.cells) for region in self.regions],
            **_level_json(self.level),
            **({"outline": outline} if outline else {}),
            **self.label_json(),
        }


@dataclass(frozen=True, slots=True)
class PlaceSection(OneQuestionSection):
    kind: ClassVar[str] = "place"
    counted_by_code: ClassVar[bool] = True
    always_asked: ClassVar[str] = _("a place is always asked")

    questions: tuple[PlaceQuestion]
    presentation: Presentation = BARE

    @property
    def question(self) -> PlaceQuestion:
        return self.questions[0]

    @property
    def law(self) -> PlaceLaw:
        return self.question.law

    @property
    def itemset_law(self) -> SectionLaw:  # type: ignore[override]
        """The law of the regions as an unrelated question; its gamma is not the guarantee of the place."""
        return self.law.law_of_regions

    @property
    def mined_law(self) -> MinedLaw:
        return self.law.mined_law

    def as_mined(self) -> PlaceItemsSection:
        question = self.question
        texts: dict[str, Any] = {"text": question.text, "help": question.help, "label": question.label}
        bare = PlaceItems(question.name, "one", question.item_choices, show_if=question.show_if, **texts)
        return PlaceItemsSection(self.law, (bare,))

    def sides_of_coins(self, modulus: int) -> list[int]:
        return [self.law.coin_sides]

    def code_to_send(
        self, true: int, coins: Sequence[int], modulus: int, is_open: bool, earlier: Sequence[int]
    ) -> int:
        return true if is_open else self.law.cell_to_send(true, coins[0])


def read_section(node: Node, sofar: ParsedSoFar) -> PlaceSection:
    members = node.members(frozenset({"kind", "questions"}), frozenset({INTRO}))
    return PlaceSection(
        *read_single_question(members, sofar, _read_question, _("a section of a place has one question"))
    )


def _read_question(node: Node, sofar: ParsedSoFar) -> PlaceQuestion:
    members = node.members(REQUIRED, OPTIONAL)
    common = read_choiceless_fields(members, sofar)
    cells = _read_cells(members["cells"], sofar)
    level = _read_level(members)
    numbers = {cell.name: number for number, cell in enumerate(cells)}
    regions = _read_regions(members["regions"], sofar, numbers, level)
    _check_levels(members, regions, level)
    outline = _read_outline(members.get("outline"))
    _check_size(node, cells, outline)
    choices = tuple(Choice(cell.name, cell.label) for cell in cells)
    # Without choices it was read, as questions are that have no choices in a design.
    fields = common | {"form": "place", "choices": choices}
    return PlaceQuestion(**fields, cells=cells, regions=regions, level=level, outline=outline)


def _read_cells(node: Node, sofar: ParsedSoFar) -> tuple[PlaceCell, ...]:
    cells: dict[str, PlaceCell] = {}
    points: set[Point] = set()
    for item in node.items():
        if len(cells) == MOST_CELLS:
            raise node.refuse(_("at most %(most)s cells"), most=MOST_CELLS)
        members = item.members(frozenset({"name", "at"}), frozenset({"label", "shape"}))
        name = _read_name(members["name"], cells)
        at = _read_point(members["at"])
        if at in points:
            raise members["at"].refuse(_("two cells are at %(point)s"), point=f"{at[0]}, {at[1]}")
        points.add(at)
        shape = _read_rings(members["shape"]) if "shape" in members else ()
        cells[name] = PlaceCell(name, read_texts(members.get("label"), sofar.languages), at, shape)
    if len(cells) < FEWEST_CELLS:
        raise node.refuse(_("at least %(fewest)s cells"), fewest=FEWEST_CELLS)
    return tuple(cells.values())


def _read_name(node: Node, used: dict[str, Any]) -> str:
    name = node.name()
    if name in RESERVED_CHOICES:
        raise node.refuse(_("%(name)s has a meaning of its own in record files"), name=quote_value(name))
    if name == ELSEWHERE:
        raise node.refuse(_("%(name)s means all cells outside the regions"), name=quote_value(name))
    if name in used:
        raise node.refuse(_("two cells or regions are called %(name)s"), name=quote_value(name))
    return name


def _read_point(node: Node) -> Point:
    numbers = [item.integer(-FURTHEST, FURTHEST) for item in node.items()]
    if len(numbers) != 2:
        raise node.refuse(_("a point is two integers"))
    return numbers[0], numbers[1]


def _read_rings(node: Node) -> tuple[Ring, ...]:
    rings = tuple(_read_ring(item) for item in node.items())
    if not rings:
        raise node.refuse(_("at least one ring"))
    return rings


def _read_ring(node: Node) -> Ring:
    numbers = tuple(item.integer(-FURTHEST, FURTHEST) for item in node.items())
    if len(numbers) % 2 or len(numbers) < 2 * FEWEST_POINTS:
        raise node.refuse(_("a ring is x, y of %(fewest)s points or more"), fewest=FEWEST_POINTS)
    return numbers


def _read_regions(
    node: Node, sofar: ParsedSoFar, numbers: dict[str, int], question_level: PlaceLevel
) -> tuple[Region, ...]:
    regions: dict[str, Region] = {}
    taken: dict[int, str] = {}
    for item in node.items():
        if len(regions) == MOST_REGIONS:
            raise node.refuse(_("at most %(most)s regions"), most=MOST_REGIONS)
        members = item.members(frozenset({"name", "cells"}), ANSWER_SENTENCES | {"label", "near", "odds"})
        name = _read_name(members["name"], {**numbers, **regions})
        cells = _read_region_cells(members["cells"], numbers, taken)
        taken |= dict.fromkeys(cells, name)
        level = _read_level(members) if {"near", "odds"} & members.keys() else question_level
        own = level if level != question_level else None
        regions[name] = Region(name, read_texts(members.get("label"), sofar.languages), cells, own)
    if not regions:
        raise node.refuse(_("at least one region"))
    return tuple(regions.values())


def _read_region_cells(node: Node, numbers: dict[str, int], used: dict[int, str]) -> tuple[int, ...]:
    cells: dict[int, None] = {}
    for item in node.items():
        name = item.text()
        number = numbers.get(name)
        if number is None:
            raise item.refuse(_("no cell is called %(name)s"), name=quote_value(name))
        if number in cells:
            raise item.refuse(_("%(name)s appears twice"), name=quote_value(name))
        if number in used:
            raise item.refuse(
                _("%(name)s lies in the region %(region)s already"),
                name=quote_value(name),
                region=quote_value(used[number]),
            )
        cells[number] = None
    if not cells:
        raise node.refuse(_("a region has at least one cell"))
    return tuple(sorted(cells))


def _read_level(members: dict[str, Node]) -> PlaceLevel:
    for key, other in (("near", "odds"), ("odds", "near")):
        if key not in members:
            raise members[other].refuse(_("%(key)s is missing"), key=quote_value(key))
    return PlaceLevel(members["near"].integer(1, MOST_CELLS), _read_odds(members["odds"]))


def _read_odds(node: Node) -> int:
    match = ODDS.fullmatch(node.text())
    if match is None:
        raise node.refuse(
            _('%(value)s is not a number with up to two places, such as "7.38"'),
            value=quote_value(node.text()),
        )
    odds = int(match[1]) * 100 + int((match[2] or "").ljust(2, "0"))
    if not LEAST_ODDS <= odds <= MOST_ODDS:
        raise node.refuse(
            _("must lie between %(low)s and %(high)s"), low=odds_text(LEAST_ODDS), high=odds_text(MOST_ODDS)
        )
    return odds


def _check_levels(members: dict[str, Node], regions: Sequence[Region], level: PlaceLevel) -> None:
    """Refuses regions with fewer cells than near cells, more than two levels of disguise, and levels with different
    keep probabilities.

    With different keep probabilities shares could not be estimated.
    """
    own = {region.level for region in regions if region.level} | {level}
    if len(own) > 2:
        raise members["regions"].refuse(_("regions have at most two levels of near and odds"))
    for index, region in enumerate(regions):
        region_level = region.level or level
        where = f"{members['regions'].path}[{index}]"
        if region_level.near > len(region.cells):
            raise InputError(
                where,
                _("has %(cells)s cells, fewer than the %(near)s near ones: choose a smaller near"),
                cells=len(region.cells),
                near=region_level.near,
            )
        if region_level.near_excess != level.near_excess:
            raise InputError(
                where, _("near times (odds - 1) differs from that of the question, so shares cannot be told")
            )


def _read_outline(node: Node | None) -> Outline:
    if node is None:
        return None
    if isinstance(node.value, str):
        if node.text() != LAND:
            raise node.refuse(_("an outline is %(land)s or a list of rings"), land=quote_value(LAND))
        return LAND
    return _read_rings(node)


def _check_size(node: Node, cells: Sequence[PlaceCell], outline: Outline) -> None:
    size = count_shape_bytes([cell.shape for cell in cells if cell.shape], outline)
    if size > MOST_SHAPES:
        raise node.refuse(
            _("the shapes and the outline take %(size)s bytes; at most %(most)s"), size=size, most=MOST_SHAPES
        )


def count_shape_bytes(shapes: Sequence[Sequence[Sequence[int]]], outline: Outline) -> int:
    """Returns the size in bytes of a map's shapes and outline as JSON, which `MOST_SHAPES` limits.

    Each shape is a list of polygons.
    """
    return len(json.dumps([shapes, outline or ""], separators=(",", ":")))


def with_level(question: PlaceQuestion, level: PlaceLevel) -> PlaceQuestion:
    """Returns the place question with one level of disguise for all regions."""
    regions = tuple(replace(region, level=None) for region in question.regions)
    return replace(question, regions=regions, level=level)


assert MOST_CELLS * (MOST_ODDS - V) + MOST_CELLS * V < 2**32  # Z is always below
