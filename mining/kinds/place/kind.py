"""What mining says of sensitive places."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counts import Counts
from mining.disclosure.plain_tables import LEAST
from mining.disclosure.small_cells import hidden
from mining.document.places import OutsideShare, PlaceNode, Values
from mining.finite_numbers import rounded
from mining.inference.contingency_table import ANTECEDENT, ContingencyTable, Floats, ItemsetPart
from mining.inference.intervals import ShareIntervals, share_interval
from mining.inference.score import support_test
from mining.kinds.counted import ByClass, IntCounts, Likeliest, enough, named_shares
from privacy.kinds.place.law import PlaceLaw, V
from privacy.kinds.place.section import PlaceSection
from privacy.kinds.place.simulation import near_cells

# --- density
# Where inside the regions people are: the likeliest density by cell, an illustration that no interval covers.
# With V, W, Z and the near cells as in `privacy.kinds.place.law`, a disguised record is in the cell y with
# probability
# P(y) = V/Z + SUM_(x: y near x) f(x) (W_x - V)/Z   inside          P(y) = b f(y)   outside
# so a step of expectation maximisation costs one sum over the near cells of each cell, and back. See
# docs/mathematics.md, Places in surveys.

STEPS = 100
GAP = 1e-6
"""Expectation maximisation ends where no density has a mean log likelihood of a record this much higher."""


@dataclass(frozen=True)
class _NearSums:
    """`near`: a row for each cell of `inside`, with 1 in the columns of its near cells; `excess`: (W - V)/Z by row."""

    inside: Any
    near: Any
    excess: Floats
    anywhere: float
    keep: float

    @classmethod
    def of(cls, law: PlaceLaw) -> "_NearSums":
        from scipy.sparse import csr_array  # late for cost

        inside = np.array(law.inside)
        near, counts = near_cells(law)
        some = np.arange(near.shape[1]) < counts[inside, None]
        index = np.zeros(len(law.points), np.int32)
        index[inside] = np.arange(len(inside))
        starts = np.concatenate([[0], np.cumsum(counts[inside])])
        columns = index[near[inside][some]]
        table = csr_array((np.ones(len(columns)), columns, starts), shape=(len(inside), len(inside)))  # type: ignore[no-untyped-call]
        weights = np.array([law.levels[law.region_of[cell]].odds - V for cell in law.inside])
        return cls(inside, table, weights / law.sides, V / law.sides, float(law.keep))

    def slope(self, opened: Floats, disguised: Floats, share: Floats) -> Floats:
        """By cell, how fast the mean log likelihood of a record rises with the share; a step multiplies by it."""
        sent = self.anywhere + (share[self.inside] * self.excess) @ self.near
        ratio = disguised[self.inside] / sent
        own = opened + disguised
        own[self.inside] = opened[self.inside]
        slope = np.full(len(share), self.anywhere * ratio.sum())
        known = np.flatnonzero(own)
        slope[known] += own[known] / share[known]
        slope[self.inside] += self.excess * (self.near @ ratio)
        return slope


def likeliest_density(law: PlaceLaw, counts: IntCounts, steps: int = STEPS) -> Likeliest:
    """From the records by group (open, disguised) and cell: at most so many steps from even shares on.

    No density's mean log likelihood is higher by more than the misfit.

    Open answers are exact observations in the same likelihood: this assumes that the groups are alike.
    """
    opened, disguised = counts / counts.sum()
    share = np.full(len(law.points), 1 / len(law.points))
    sums = _NearSums.of(law)
    slope = sums.slope(opened, disguised, share)
    taken = 0
    while taken < steps and slope.max() >= 1 + GAP:
        share = share * slope
        slope = sums.slope(opened, disguised, share)
        taken += 1
    return Likeliest(share, taken, float(slope.max()) - 1)


# --- shares
# Shares of the regions of a place, of elsewhere, and of each cell outside, with the intervals of all supports.
# A region is the choice of an unrelated question with keep b and noise |A_j|/|A|; a cell outside has no noise,
# so it is true where a disguised record has it, and its count is withheld like that of a plain answer.


def place_shares(law: PlaceLaw, several: Sequence[IntCounts]) -> list[ShareIntervals]:
    """From several tables of records by group (open, disguised) and cell, to which the place applies.

    By region, then of elsewhere, where there are cells outside, then by cell outside in order; by the estimator
    `stratified`. NaN below the floors, or withheld.
    """
    having = np.stack([items_of_cells(law, counts) for counts in several], axis=1)
    items = having.shape[2]
    base = np.stack([counts.sum(axis=1) for counts in several], axis=1)
    some = np.stack([~withheld(law, counts) for counts in several]) & enough(base.T)[:, None]
    estimates = np.full((3, len(several), items), np.nan)
    if some.any():
        noise = np.zeros(items)
        noise[: len(law.regions)] = [float(share) for share in law.shares]
        everybody = np.broadcast_to(base[..., None], having.shape)
        table = ContingencyTable(
            (ItemsetPart(ANTECEDENT, 0),),
            np.stack([everybody, having])[..., some].astype(np.float64),
            np.full((1, int(some.sum())), float(law.keep)),
            np.broadcast_to(noise, some.shape)[some][None],
        )
        test = support_test(table)
        estimates[0, some] = test.estimate
        estimates[1:, some] = share_interval(test)
    return [ShareIntervals(*columns) for columns in estimates.swapaxes(0, 1)]


def items_of_cells(law: PlaceLaw, counts: IntCounts) -> IntCounts:
    """By group the records in each region, elsewhere, and in each cell outside."""
    regions = [counts[:, list(region)].sum(axis=1) for region in law.regions]
    outside = counts[:, list(law.outside)]
    elsewhere = [outside.sum(axis=1)] if law.outside else []
    return np.concatenate([np.stack([*regions, *elsewhere], axis=1), outside], axis=1)


def withheld(law: PlaceLaw, counts: IntCounts) -> NDArray[np.bool_]:
    """Which of the items of `items_of_cells` are withheld.

    Where elsewhere has fewer than ten records of a group, the smallest regions are withheld with it: their estimates
    would tell its count. The cells outside are withheld as the classes of a plain question.
    """
    having = items_of_cells(law, counts)
    is_withheld = np.zeros(having.shape[1], np.bool_)
    if not law.outside:
        return is_withheld
    elsewhere = len(law.regions)
    for records in having[counts.any(axis=1)]:
        if records[elsewhere] < LEAST:
            is_withheld[_with_elsewhere(records[: elsewhere + 1])] = True
        is_withheld[[elsewhere + 1 + cell for cell in hidden(records[elsewhere + 1 :], ())]] = True
    is_withheld[elsewhere + 1 :] |= is_withheld[elsewhere]
    return is_withheld


def _with_elsewhere(records: NDArray[np.int64]) -> list[int]:
    """Elsewhere, the last, and the smallest regions, until they have ten records together."""
    chosen = [len(records) - 1]
    for region in np.argsort(records[:-1], kind="stable").tolist():
        chosen.append(region)
        if records[chosen].sum() >= LEAST:
            break
    return chosen


# --- finding
# The node of a sensitive place in a report, from counts of records by group and cell.


def place_node(section: PlaceSection, counts: IntCounts) -> PlaceNode:
    """From the records by group (open, disguised) and cell, to which the place applies.

    Half a second for 4,096 cells, most of it for the illustration.
    """
    law = section.law
    (shares,) = place_shares(law, [counts])
    node = PlaceNode(section.question.name, int(counts.sum()), outside=_outside(law, shares))
    if not enough(counts.sum(axis=1)):
        return node
    shown = shown_cells(law, counts)
    received = _shown(counts.sum(axis=0) / counts.sum(), shown)
    return replace(node, received=received, illustration=_shown(likeliest_density(law, counts).share, shown))


def _outside(law: PlaceLaw, shares: ShareIntervals) -> tuple[OutsideShare | None, ...]:
    first = len(law.regions) + bool(law.outside)
    rows = zip(*(rounded(column[first:]) for column in (shares.share, shares.low, shares.high)), strict=True)
    return tuple(None if share is None else OutsideShare(share, low, high) for share, low, high in rows)


def shown_cells(law: PlaceLaw, counts: IntCounts) -> NDArray[np.bool_]:
    """By cell, whether a map may show it."""
    hide = withheld(law, counts)
    shown = np.ones(len(law.points), np.bool_)
    for region, is_hidden in zip(law.regions, hide[: len(law.regions)], strict=True):
        shown[list(region)] = not is_hidden
    shown[list(law.outside)] = ~hide[len(law.regions) + bool(law.outside) :]
    return shown


def _shown(shares: Any, shown: NDArray[np.bool_]) -> Values:
    values = zip(rounded(shares), shown.tolist(), strict=True)
    return tuple(share if is_shown else None for share, is_shown in values)


# --- kind


def node(section: PlaceSection, counts: Counts, _by_class: ByClass, open_answers: bool) -> PlaceNode:
    of_disguised = counts.copy()
    # Somebody outside the regions sends the cell as it is.
    of_disguised[0] = 0
    return replace(place_node(section, of_disguised), disguised_only=open_answers)


def described(section: PlaceSection, counts: Counts, _quantiles: Sequence[float]) -> dict[str, Any]:
    """The shares of the regions and of each cell outside; cell by cell what was received, and the illustration."""
    question, node = section.question, place_node(section, counts)
    (shares,) = place_shares(section.law, [counts])
    cells = question.code_names
    names = [choice.name for choice in question.item_choices] + [cells[at] for at in section.law.outside]
    columns = (rounded(column) for column in (shares.share, shares.low, shares.high))
    named = list(zip(names, *columns, strict=True))
    # Without elsewhere.
    del named[len(question.regions) : len(question.item_choices)]
    return {
        "base": node.n_asked,
        "shares": named_shares(question.name, named),
        "distribution": [
            {
                "value": cell,
                "received": received,
                "blurred": None,
                "low": None,
                "high": None,
                "illustration": illustration,
            }
            for cell, received, illustration in zip(cells, node.received, node.illustration, strict=True)
        ]
        if node.is_known
        else None,
    }
