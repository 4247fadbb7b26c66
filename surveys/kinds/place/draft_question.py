"""A sensitive place in a draft: its cells, regions and levels, and how they are read.

They stand as in a design. Unlike there, cells and regions may still be missing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from mining.document.codec import OPTIONAL
from privacy.grammar.reading import RESERVED_CHOICES
from privacy.kinds.place.law import PlaceLevel, Point, V
from privacy.kinds.place.mined import ELSEWHERE
from privacy.kinds.place.section import (
    FEWEST_POINTS,
    FURTHEST,
    LAND,
    LEAST_ODDS,
    MOST_CELLS,
    MOST_ODDS,
    MOST_REGIONS,
    ODDS,
    Outline,
    Ring,
    odds_text,
)
from surveys.questionnaire.draft_question import Choice, DraftQuestion, Given
from surveys.questionnaire.normal_values import Node, UniqueNames, name_of, texts

NEAR = 1
USUAL_LEVEL = PlaceLevel(NEAR, 1_899)
"""Where nobody says otherwise; odds just below 19."""


@dataclass(frozen=True, kw_only=True)
class Cell(Choice):
    at: Point
    shape: tuple[Ring, ...] = field(default=(), metadata=OPTIONAL)


@dataclass(frozen=True, kw_only=True)
class Region(Choice):
    """`cells` are their names; `level` where it has one of its own."""

    cells: tuple[str, ...] = ()
    level: PlaceLevel | None = None

    def as_json(self) -> Node:
        return with_level(super().as_json(), self.level)


def words_of(part: Cell | Region, language: str) -> str:
    return part.label.get(language) or part.name


@dataclass(frozen=True, kw_only=True)
class PlaceDraftQuestion(DraftQuestion):
    """`level` is that of all regions without one of their own."""

    cells: tuple[Cell, ...] = ()
    regions: tuple[Region, ...] = ()
    level: PlaceLevel = USUAL_LEVEL
    outline: Outline = field(default=None, metadata=OPTIONAL)
    form: str = field(default="", metadata=OPTIONAL)
    choices: tuple[Choice, ...] = field(default=(), metadata=OPTIONAL)

    @property
    def law_settings(self) -> tuple[PlaceLevel | None, ...]:
        return self.level, *(region.level for region in self.regions)

    @property
    def own_level(self) -> PlaceLevel | None:
        """The level of the regions that have one of their own; the first, where they differ."""
        return next((region.level for region in self.regions if region.level), None)

    @property
    def smallest_region(self) -> int:
        """The number of cells that the near ones of the question's level are chosen from; 0 without regions."""
        return min((len(region.cells) for region in self.regions if not region.level), default=0)

    @property
    def cell_names(self) -> tuple[str, ...]:
        return tuple(cell.name for cell in self.cells)

    def with_levels(self, level: PlaceLevel, own: PlaceLevel | None = None) -> "PlaceDraftQuestion":
        """`own` is for the regions that have a level of their own; None leaves theirs."""
        regions = (replace(each, level=own) if own and each.level else each for each in self.regions)
        return replace(self, level=level, regions=tuple(regions))

    def with_region(self, row: int, region: Region) -> "PlaceDraftQuestion":
        regions = self.regions
        return replace(self, regions=(*regions[:row], region, *regions[row + 1 :]))

    def settled(self) -> "PlaceDraftQuestion":
        """With every name once, the cells of each region in their order, and a cell in the first region that has it."""
        names = UniqueNames([*RESERVED_CHOICES, ELSEWHERE])
        cells = tuple(replace(cell, name=names.give(cell.name)) for cell in self.cells)
        order = {cell.name: number for number, cell in enumerate(cells)}
        regions, taken = [], set[str]()
        for region in self.regions:
            own = (set(region.cells) & order.keys()) - taken
            taken |= own
            kept = tuple(sorted(own, key=order.__getitem__))
            regions.append(replace(region, name=names.give(region.name), cells=kept))
        return replace(self, cells=cells, regions=tuple(regions))

    def as_json(self) -> Node:
        regions = [region.as_json() for region in self.regions]
        return with_level({**super().as_json(), "regions": regions}, self.level)


def as_place(question: DraftQuestion) -> PlaceDraftQuestion:
    assert isinstance(question, PlaceDraftQuestion)
    return question


def with_level(node: Node, level: PlaceLevel | None) -> Node:
    """A design has the members of a level beside the others of its place or region."""
    del node["level"]
    return {**node, "near": level.near, "odds": odds_text(level.odds)} if level else node


def read_place(given: Given) -> PlaceDraftQuestion:
    """Names are not settled yet."""
    data, outline = given.data, given.data.get("outline")
    return PlaceDraftQuestion(
        **given.common,
        cells=read_cells(data.get("cells"), given.languages),
        regions=tuple(_regions(data.get("regions"), given.languages)),
        level=_level(data) or USUAL_LEVEL,
        outline=LAND if outline == LAND else _rings(outline) or None,
    )


def read_cells(value: object, languages: Sequence[str]) -> tuple[Cell, ...]:
    """Those that have no point, or one that stands already, get one in a row that nobody has."""
    given = _nodes(value, MOST_CELLS)
    points = _distinct([_point(each.get("at")) for each in given])
    return tuple(
        Cell(
            name_of(each.get("name")) or "c1",
            texts(each.get("label"), languages),
            at=point,
            shape=_rings(each.get("shape")),
        )
        for each, point in zip(given, points, strict=True)
    )


def _nodes(value: object, most: int) -> list[Mapping[str, Any]]:
    nodes = value if isinstance(value, list) else []
    return [each for each in nodes if isinstance(each, Mapping)][:most]


def _distinct(given: Sequence[Point | None]) -> Iterator[Point]:
    taken = set(given)
    free = ((number, 0) for number in count() if (number, 0) not in taken)
    seen: set[Point] = set()
    for point in given:
        kept = next(free) if point is None or point in seen else point
        seen.add(kept)
        yield kept


def _point(value: object) -> Point | None:
    if isinstance(value, list) and len(value) == 2 and all(map(_is_coordinate, value)):
        return value[0], value[1]
    return None


def _is_coordinate(value: object) -> bool:
    return type(value) is int and -FURTHEST <= value <= FURTHEST


def _rings(value: object) -> tuple[Ring, ...]:
    given = value if isinstance(value, list) else []
    return tuple(tuple(each) for each in given if _is_ring(each))


def _is_ring(value: object) -> bool:
    if not isinstance(value, list) or len(value) % 2 or len(value) < 2 * FEWEST_POINTS:
        return False
    return all(map(_is_coordinate, value))


def _regions(value: object, languages: Sequence[str]) -> Iterator[Region]:
    for each in _nodes(value, MOST_REGIONS):
        cells = each.get("cells")
        yield Region(
            name_of(each.get("name")) or "region-1",
            texts(each.get("label"), languages),
            cells=tuple(map(name_of, cells)) if isinstance(cells, list) else (),
            level=_level(each),
        )


def _level(node: Mapping[str, Any]) -> PlaceLevel | None:
    near, odds = node.get("near"), _odds(node.get("odds"))
    if type(near) is int and 1 <= near <= MOST_CELLS and odds:
        return PlaceLevel(near, odds)
    return None


def _odds(value: object) -> int:
    """In hundredths; 0 for what can be no odds."""
    match = ODDS.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return 0
    odds = int(match[1]) * V + int((match[2] or "").ljust(2, "0"))
    return odds if LEAST_ODDS <= odds <= MOST_ODDS else 0
