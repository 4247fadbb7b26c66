"""The law of a place for many simulated respondents at once."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privacy.kinds.codes import Codes
from privacy.kinds.place.law import PlaceLaw, V
from privacy.kinds.place.mined import PlaceItemsSection
from privacy.kinds.place.section import PlaceSection


def disguise(
    section: PlaceSection,
    is_open: NDArray[np.bool_],
    truth: Codes,
    codes: Codes,
    rng: np.random.Generator,
) -> None:
    """With probability b a near cell (outside: the cell itself), else any cell inside: the law as a mixture."""
    question, law, n = section.question, section.law, len(is_open)
    hidden = truth[0] == question.true_hidden
    true = np.where(hidden, 0, truth[0]).astype(np.int64)
    coins = rng.integers(0, law.sides, n)
    near, counts = near_cells(law)
    anywhere = np.array(law.inside)[np.maximum(coins - law.excess, 0) // V]
    nearby = near[true, np.minimum(coins, law.excess - 1) * counts[true] // law.excess]
    sent = np.where(coins < law.excess, nearby, anywhere)
    sent = np.where(is_open, true, sent)
    codes[0] = np.where(hidden, question.not_applicable, sent)


def disguise_items(
    section: PlaceItemsSection,
    is_open: NDArray[np.bool_],
    truth: Codes,
    codes: Codes,
    rng: np.random.Generator,
) -> None:
    """The same for the regions and elsewhere: with probability b the true one, else that of any cell inside."""
    law = section.law
    coins = rng.integers(0, law.sides, len(is_open))
    region = np.repeat(np.arange(len(law.regions)), [len(of) for of in law.regions])
    anywhere = region[np.maximum(coins - law.excess, 0) // V]
    kept = is_open | (coins < law.excess) | (truth[0] >= section.questions[0].codes)
    codes[0] = np.where(kept, truth[0], anywhere)


@lru_cache(maxsize=4)
def near_cells(law: PlaceLaw) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """By cell its near cells, in order, and how many they are: outside the cell itself. A second for 4,096 cells."""
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
