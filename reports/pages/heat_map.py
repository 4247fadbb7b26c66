"""Builds the heat map of pairs of answers, tinted by lift."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils.translation import gettext as _

from mining.nodes.report_nodes import Pair
from reports.answer_labels import Labels
from reports.estimate_texts import decimal_text, is_outside_interval
from reports.sentences.number_format import ratio

MOST = 20
"""Largest number of answers on each side: columns of 2.75 rem, which fit a page of 1,280 beside the answers of the
rows."""
ENDS = (0.5, 0.8, 1.0, 1.25, 2.0)
"""Lifts at the borders between tints, as far below 1 as above it."""
TINTS = ("less-3", "less-2", "less-1", "more-1", "more-2", "more-3")
NO_ASSOCIATION = "untold"
"""Tint of a pair for which the list of rules shows no association."""


HeatCell = tuple[str, str, Pair]
"""A tint, which is a class of the stylesheet; the lift, empty where it is impossible; and the pair."""


@dataclass(frozen=True)
class HeatMap:
    """A triangle of pairs of answers, each pair once; the answer that is asked first heads the column.

    A cell is None if its pair has no estimated lift. `omitted` counts the pairs that only the files have.
    """

    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[HeatCell | None]]]
    pairs: Sequence[Pair]
    omitted: int

    @property
    def legend(self) -> list[tuple[str, str]]:
        """The tints with the lifts they stand for, from less often together to more often."""
        inner = pairwise(ENDS)
        between = [
            _("%(low)s to %(high)s") % {"low": lift_limit_text(low), "high": lift_limit_text(high)}
            for low, high in inner
        ]
        first = _("up to %(high)s") % {"high": lift_limit_text(ENDS[0])}
        last = _("more than %(low)s") % {"low": lift_limit_text(ENDS[-1])}
        return list(zip(TINTS, [first, *between, last], strict=True))


def heat_map(
    pairs: Sequence[Pair], labels: Labels, pairs_with_association: Collection[frozenset[str]]
) -> HeatMap | None:
    """Builds the heat map; None if no pair has a lift.

    `pairs_with_association`: the pairs that the list of rules calls associated. A map that tested them anew could
    contradict it.
    """
    known = [pair for pair in pairs if pair.lift is not None]
    often = Counter(item for pair in known for item in pair.items)
    chosen = set(sorted(often, key=lambda item: (-often[item], labels.number(item)))[:MOST])
    few = [pair for pair in known if set(pair.items) <= chosen]
    if not few:
        return None
    cells = {
        tuple(sorted(pair.items, key=labels.number)): heat_cell(pair, pairs_with_association) for pair in few
    }
    across, down = (sorted({sides[side] for sides in cells}, key=labels.number) for side in (0, 1))
    return HeatMap(
        [labels.answer(item).marked for item in across],
        [(labels.answer(item).marked, [cells.get((other, item)) for other in across]) for item in down],
        few,
        len(known) - len(few),
    )


def heat_cell(pair: Pair, pairs_with_association: Collection[frozenset[str]]) -> HeatCell:
    lift = pair.lift or 0.0
    figure = "" if is_outside_interval(lift, pair.lift_low, pair.lift_high) or lift < 0 else ratio(lift)
    return (
        lift_tint(lift) if figure and frozenset(pair.items) in pairs_with_association else NO_ASSOCIATION,
        figure,
        pair,
    )


def lift_tint(lift: float) -> str:
    return TINTS[bisect_right(ENDS, lift)]


def lift_limit_text(lift_limit: float) -> str:
    return decimal_text(lift_limit, 2 if lift_limit == 1.25 else 1)
