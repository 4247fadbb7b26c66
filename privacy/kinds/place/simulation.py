"""Simulates places and their disguise for many respondents at once."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.place.law import PlaceItemsSection, PlaceLaw, V
from privacy.kinds.place.section import PlaceQuestion, PlaceSection
from privacy.kinds.simulation import Mask, SectionSimulation, Shares, TrueNumber, UsualAnswers

TOWNS = 3
TOWN_SIZE = 0.08
"""Standard deviation of the distances of people from their town, as a part of the map's longer side."""
COUNTRY = 0.02
"""Density of people far from every town, compared with 1 in the middle of a town."""


class PlaceSimulation(SectionSimulation[PlaceSection]):
    """Simulates places for many respondents at once."""

    def disguise(
        self, section: PlaceSection, is_open: Mask, truth: Codes, codes: Codes, rng: "np.random.Generator"
    ) -> None:
        """Writes the disguised cells into `codes`, in place: with probability b a near cell, else any cell in a region.

        The near cell of a cell outside the regions is the cell itself.
        """
        question, law, n = section.question, section.law, len(is_open)
        hidden = truth[0] == question.true_hidden_code
        true = np.where(hidden, 0, truth[0]).astype(np.int64)
        coins = rng.integers(0, law.coin_sides, n)
        near, counts = near_cell_arrays(law)
        anywhere = np.array(law.cells_in_regions)[np.maximum(coins - law.near_excess, 0) // V]
        nearby = near[true, np.minimum(coins, law.near_excess - 1) * counts[true] // law.near_excess]
        sent = np.where(coins < law.near_excess, nearby, anywhere)
        sent = np.where(is_open, true, sent)
        codes[0] = np.where(hidden, question.not_applicable, sent)

    def true_item_codes(self, section: PlaceSection, rows: Codes) -> Codes:
        """Returns the region of each respondent's place, or *elsewhere*; the next code if not applicable."""
        items: Codes = np.array(section.question.mined_codes, np.uint8)[rows]
        return items

    def sum_true_numbers(self, section: PlaceSection, row: Codes) -> TrueNumber:
        return TrueNumber(len(row), 0, tuple(np.bincount(row, minlength=section.question.codes).tolist()))

    def usual_answers(self, section: PlaceSection, rng: "np.random.Generator") -> list[UsualAnswers]:
        return [_usual_places(section.question, rng)]


class PlaceItemsSimulation(SectionSimulation[PlaceItemsSection]):
    def disguise(
        self,
        section: PlaceItemsSection,
        is_open: Mask,
        truth: Codes,
        codes: Codes,
        rng: "np.random.Generator",
    ) -> None:
        """Writes the disguised regions into `codes`, in place.

        With probability b, or if `is_open`, it is the true region, else the region of a random cell.
        """
        law = section.law
        coins = rng.integers(0, law.coin_sides, len(is_open))
        region = np.repeat(np.arange(len(law.regions)), [len(cells) for cells in law.regions])
        anywhere = region[np.maximum(coins - law.near_excess, 0) // V]
        kept = is_open | (coins < law.near_excess) | (truth[0] >= section.questions[0].codes)
        codes[0] = np.where(kept, truth[0], anywhere)


@lru_cache(maxsize=4)
def near_cell_arrays(law: PlaceLaw) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """Returns the near cells of each cell, nearest first, and their number.

    A cell outside the regions has only itself. Takes a second for 4,096 cells.
    """
    points = np.array(law.points)
    near = np.zeros((len(points), max(level.near for level in law.levels)), np.int16)
    near[:, 0] = np.arange(len(points))
    counts = np.ones(len(points), np.int64)
    for region, level in zip(law.regions, law.levels, strict=True):
        cells = np.array(region)
        for cell in region:
            # Below 2^62: a squared distance is at most 8 x 10^14. The cell's place decides between equal distances.
            order = ((points[cells] - points[cell]) ** 2).sum(axis=1) * len(cells) + np.arange(len(cells))
            nearest = np.argpartition(order, level.near - 1)[: level.near]
            near[cell, : level.near] = cells[nearest[np.argsort(order[nearest])]]
        counts[cells] = level.near
    return near, counts


@dataclass(frozen=True, slots=True)
class UsualPlaces:
    """The distribution of simulated people over the cells.

    `often`: the shares of cells among all people. `denied`: the shares among people who do not deny a sensitive answer.
    """

    often: Shares
    denied: Shares

    def distribution_if_admitted(self, admitted: float | None) -> Shares:
        part = admitted or 0.0
        return tuple((1 - part) * a + part * b for a, b in zip(self.often, self.denied, strict=True))


def _usual_places(question: PlaceQuestion, rng: "np.random.Generator") -> UsualPlaces:
    """Draws a distribution of people over the cells: around a few cells.

    People with something to hide are also around a cell in a region.
    """
    points = np.array(question.law.points, np.float64)
    inside = question.law.cells_in_regions[int(rng.integers(len(question.law.cells_in_regions)))]
    towns = rng.choice(len(points), min(TOWNS, len(points)), replace=False)
    return UsualPlaces(_shares_around(points, towns), _shares_around(points, np.array([inside])))


def _shares_around(points: NDArray[np.float64], towns: NDArray[np.integer]) -> Shares:
    """Returns shares of the cells, which fall with the distance from the nearest of `towns` and are never
    0."""
    apart = ((points[:, None] - points[towns]) ** 2).sum(axis=2).min(axis=1)
    scale = TOWN_SIZE * max(float(np.ptp(points, axis=0).max()), 1.0)
    shares = np.exp(-apart / (2 * scale**2)) + COUNTRY
    return tuple((shares / shares.sum()).tolist())
