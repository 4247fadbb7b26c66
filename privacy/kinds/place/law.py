"""The law of a place question: a finite set of map cells, some of them in sensitive regions.

Utility-optimised local privacy (docs/references.md: murakami-2019, 002) on cells: people inside a region send
a cell inside the regions, the near ones with weight W and the others with weight V; people outside send their
own cell, or with probability 1 - b any cell inside. With A all cells inside, m near cells, all of them in the
region of the true cell,

    Z = m (W - V) + V |A|        b = m (W - V) / Z
    P(y in A_j | x) = b 1[x in A_j] + (1-b) |A_j| / |A|          P(y | x outside) = b 1[y = x] for y outside

so each region is the choice of an unrelated question with keep b. There may be two levels, with near cells
and odds of their own, as long as m (W - V) is the same in both: then Z and b are. See docs/mathematics.md,
Places in surveys.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from privacy.grammar.question import Question
from privacy.kinds.disguise_law_interface import MinedLaw, Protected, RecordKind
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.section import MinedSection

V = 100
"""The weight of a cell that is not near; W is counted in the same hundredths."""

MOST_PAIRS = 2_000_000
"""Most pairs of cells of one region that are compared to find near cells, for the leakage."""

Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PlaceLevel:
    """The strength of a place's disguise: `near` is m, the number of near cells; `odds` is W, in hundredths."""

    near: int
    odds: int

    @property
    def near_excess(self) -> int:
        """m (W - V), the additional weight of all near cells over that of other cells."""
        return self.near * (self.odds - V)


@dataclass(frozen=True)
class PlaceLaw:
    """The disguise law of a place question: map cells, sensitive regions, and the strength of disguise in each region.

    `points`: coordinates of each cell. `regions`: for each region the numbers of its cells. `levels`: for each region
    its strength of disguise.
    """

    points: tuple[Point, ...]
    regions: tuple[tuple[int, ...], ...]
    levels: tuple[PlaceLevel, ...]

    def __post_init__(self) -> None:
        if len({level.near_excess for level in self.levels}) != 1:
            raise ValueError("near (odds - 1) differs between the levels")
        for region, level in zip(self.regions, self.levels, strict=True):
            if not 1 <= level.near <= len(region) or level.odds <= V:
                raise ValueError(f"{level} does not fit a region of {len(region)} cells")

    @cached_property
    def cells_in_regions(self) -> tuple[int, ...]:
        """The numbers of all cells that lie in a region, the set A."""
        return tuple(sorted(cell for region in self.regions for cell in region))

    @cached_property
    def region_by_cell(self) -> dict[int, int]:
        """The region of each cell inside, by the number of the cell."""
        return {cell: number for number, region in enumerate(self.regions) for cell in region}

    @cached_property
    def cells_outside_regions(self) -> tuple[int, ...]:
        """The numbers of all cells that lie in no region."""
        return tuple(cell for cell in range(len(self.points)) if cell not in self.region_by_cell)

    @property
    def near_excess(self) -> int:
        """m (W - V): number of the coin's Z sides with which a cell outside the regions is sent unchanged."""
        return self.levels[0].near_excess

    @cached_property
    def coin_sides(self) -> int:
        """The number Z of sides of the coin that decides which cell is sent."""
        return self.near_excess + V * len(self.cells_in_regions)

    @property
    def keep(self) -> Fraction:
        """The keep probability b: with b a near cell of the true cell is sent, else any cell in a region."""
        return Fraction(self.near_excess, self.coin_sides)

    @cached_property
    def region_shares(self) -> tuple[Fraction, ...]:
        """The share of each region among the cells in regions, |A_j| / |A|."""
        return tuple(Fraction(len(region), len(self.cells_in_regions)) for region in self.regions)

    @property
    def gamma(self) -> Fraction:
        """The largest factor by which a record can change the odds of anything about a person in a region."""
        return Fraction(max(level.odds for level in self.levels), V)

    @property
    def protected_people(self) -> Protected:
        return Protected.INSIDE

    def odds(self, region: int) -> Fraction:
        """Returns the largest factor by which a record can raise the odds of a cell of this region."""
        return Fraction(self.levels[region].odds, V)

    def near_cells(self, cell: int) -> tuple[int, ...]:
        """Returns the near cells of a cell in a region, nearest first; equal distances are ordered by cell number."""
        number = self.region_by_cell[cell]
        x, y = self.points[cell]

        def distance(other: int) -> tuple[int, int]:
            x2, y2 = self.points[other]
            return (x - x2) ** 2 + (y - y2) ** 2, other

        return tuple(sorted(self.regions[number], key=distance)[: self.levels[number].near])

    def cell_to_send(self, cell: int, coin: int) -> int:
        """Returns the cell that is sent for a true cell and a coin below Z."""
        if cell not in self.region_by_cell:
            return cell if coin < self.near_excess else self.cells_in_regions[(coin - self.near_excess) // V]
        near = self.near_cells(cell)
        weight = self.levels[self.region_by_cell[cell]].odds
        if coin < len(near) * weight:
            return near[coin // weight]
        is_near = frozenset(near)
        others = [other for other in self.cells_in_regions if other not in is_near]
        return others[(coin - len(near) * weight) // V]

    def record_kinds(self) -> Counter[RecordKind] | None:
        """Returns the number of records of each kind: by a cell's level and how many cells it is near to.

        None if the near cells are too costly to find (guarantee/leakage.py).
        """
        if sum(len(region) ** 2 for region in self.regions) > MOST_PAIRS:
            return None
        nearby = Counter(cell for x in self.cells_in_regions for cell in self.near_cells(x))
        kinds = Counter[RecordKind]()
        for cell in self.cells_in_regions:
            share = Fraction(nearby[cell], len(self.cells_in_regions))
            weight = Fraction(self.levels[self.region_by_cell[cell]].odds, self.coin_sides)
            kinds[(share, weight), (1 - share, Fraction(V, self.coin_sides))] += 1
        return kinds

    @property
    def law_of_regions(self) -> SectionLaw:
        """The law of the regions as an unrelated question; all cells outside together are one choice."""
        return SectionLaw(
            self.keep, (self.region_shares + (Fraction(0),) * bool(self.cells_outside_regions),), 1
        )

    @property
    def mined_law(self) -> MinedLaw:
        """The law of the regions in whole numbers, as mining uses it."""
        parts = tuple(map(len, self.regions)) + (0,) * bool(self.cells_outside_regions)
        return MinedLaw(self.near_excess, (parts,), self.coin_sides, len(self.cells_in_regions))


# --- mined
# What mining sees of a place: its region, or that it is elsewhere.
# See docs/mathematics.md, Places in surveys.

ELSEWHERE = "elsewhere"
"""Name of the choice that stands for all cells outside the regions."""


@dataclass(frozen=True, slots=True)
class PlaceItems(Question):
    """A place question as mining uses it: its choices are the regions; if hidden, it counts as not asked.

    So all numbers about it are among the people to whom it applies.
    """

    asked_if_shown: ClassVar[bool] = True
    made_of_integers: ClassVar[bool] = True
    withheld_if_open: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class PlaceItemsSection(MinedSection):
    """A place section as mining uses it: an unrelated question whose choices are the regions and *elsewhere*.

    The noise of a region is its share of all cells inside; *elsewhere*, all cells outside, has none.
    """

    kind: ClassVar[str] = "place"

    place_law: PlaceLaw
    questions: tuple[PlaceItems]

    @property
    def law(self) -> PlaceLaw:
        return self.place_law

    @property
    def rotates(self) -> bool:
        """True if some records have no answer, because a rule hides the place."""
        return bool(self.questions[0].show_if)

    @property
    def itemset_law(self) -> SectionLaw:
        return self.law.law_of_regions

    @property
    def sends_some_as_they_are(self) -> bool:
        return bool(self.place_law.cells_outside_regions)

    @property
    def mined_law(self) -> MinedLaw:
        return self.law.mined_law
