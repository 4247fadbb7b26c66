"""Fits the most likely density of people by map cell, inside the sensitive regions too: an illustration without
intervals.

With V, W, Z and the near cells as in `privacy.kinds.place.law`, a disguised record is in the cell y with probability

    P(y) = V/Z + SUM_(x: y near x) f(x) (W_x - V)/Z   inside          P(y) = b f(y)   outside

so a step of expectation maximisation costs one sum over the near cells of each cell, and back. See docs/mathematics.md,
Places in surveys.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mining.inference.contingency_table import Floats
from mining.kinds.counted_kind import LikeliestShares
from mining.kinds.minimum_record_counts import Counts
from privacy.kinds.place.law import PlaceLaw, V
from privacy.kinds.place.simulation import near_cell_arrays

STEPS = 100
GAP = 1e-6
"""Expectation maximisation ends when no density has a mean log likelihood per record higher by more than this."""


@dataclass(frozen=True)
class _NearSums:
    """Sparse matrix that sums over the near cells of each cell, for the expectation maximisation.

    `near` has a row for each cell of `inside`, with 1 in the columns of its near cells; `excess` is (W - V)/Z by row.
    """

    inside: Any
    near: Any
    excess: Floats
    anywhere: float
    keep: float

    @classmethod
    def from_law(cls, law: PlaceLaw) -> "_NearSums":
        from scipy.sparse import csr_array  # late for cost

        inside = np.array(law.cells_in_regions)
        near, counts = near_cell_arrays(law)
        some = np.arange(near.shape[1]) < counts[inside, None]
        index = np.zeros(len(law.points), np.int32)
        index[inside] = np.arange(len(inside))
        starts = np.concatenate([[0], np.cumsum(counts[inside])])
        columns = index[near[inside][some]]
        table = csr_array((np.ones(len(columns)), columns, starts), shape=(len(inside), len(inside)))
        weights = np.array([law.levels[law.region_by_cell[cell]].odds - V for cell in law.cells_in_regions])
        return cls(inside, table, weights / law.coin_sides, V / law.coin_sides, float(law.keep))

    def log_likelihood_slope(self, opened: Floats, disguised: Floats, share: Floats) -> Floats:
        """Returns, for each cell, the derivative of the mean log likelihood with respect to its share; a step
        multiplies the share by it."""
        sent = self.anywhere + (share[self.inside] * self.excess) @ self.near
        ratio = disguised[self.inside] / sent
        own = opened + disguised
        own[self.inside] = opened[self.inside]
        slope = np.full(len(share), self.anywhere * ratio.sum())
        known = np.flatnonzero(own)
        slope[known] += own[known] / share[known]
        slope[self.inside] += self.excess * (self.near @ ratio)
        return slope


def likeliest_density(law: PlaceLaw, counts: Counts, steps: int = STEPS) -> LikeliestShares:
    """Fits the maximum-likelihood share of each cell, by at most `steps` steps from equal shares.

    `counts` are records by group (open, disguised) and cell. The fit stops where the mean log likelihood is below its
    maximum by less than GAP. Open answers are exact observations in the same likelihood, which assumes that the groups
    are alike.
    """
    opened, disguised = counts / counts.sum()
    share = np.full(len(law.points), 1 / len(law.points))
    sums = _NearSums.from_law(law)
    slope = sums.log_likelihood_slope(opened, disguised, share)
    taken = 0
    while taken < steps and slope.max() >= 1 + GAP:
        share = share * slope
        slope = sums.log_likelihood_slope(opened, disguised, share)
        taken += 1
    return LikeliestShares(share, taken)
