"""Are those who answer openly like the others? `pooled` and `combined` assume it; `stratified` does not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _, ngettext
from numpy.typing import NDArray

from mining.counts import Counter, Item
from mining.reconstruction.cells import either
from mining.reconstruction.combined import combined, variances
from mining.reconstruction.counted import Counted, counted
from mining.reconstruction.laws import Floats
from mining.reconstruction.moments import LEAST_GROUP, Tally, moments, tallies
from mining.reconstruction.shapes import as_numbers, grouped

LEVEL = 0.05
POWER_80 = 2.80
"""1.96 + .84: so many standard errors are found four times out of five."""
MOST_NAMED = 3


@dataclass(frozen=True)
class Alike:
    """One row per single item of which enough of both groups were asked.

    `opened` and `disguised` are the groups' estimates, `p` is Holm's over all items, `smallest` the smallest
    difference that would have been found with 80 % power, were the item tested alone; among others it takes more.
    """

    items: tuple[Item, ...]
    opened: Floats
    disguised: Floats
    p: Floats
    smallest: Floats

    @property
    def differs(self) -> NDArray[np.bool_]:
        return self.p < LEVEL

    @property
    def differ(self) -> bool:
        return bool(self.differs.any())


def alike(counter: Counter | Counted) -> Alike:
    """The difference of the groups' means over its error, were they alike, item by item."""
    known = counted(counter)
    items = _items(known)
    found = np.full((4, len(items)), np.nan)
    groups = list(grouped(known, as_numbers(known.numbering, [(item,) for item in items])))
    for group, tally in zip(groups, tallies(known, groups), strict=True):
        found[:, group.rows] = _compare(tally)
    compared = np.isfinite(found[2])
    opened, disguised, p, smallest = found[:, compared]
    of = tuple(item for item, is_compared in zip(items, compared, strict=True) if is_compared)
    return Alike(of, opened, disguised, holm(p), smallest)


def _items(known: Counted) -> list[Item]:
    """Of two choices the second, since the first says the same again."""
    questions = known.design.questions
    return [
        (place, code)
        for place, question in enumerate(questions)
        for code in range(len(question.choices) == 2, len(question.choices))
    ]


def _compare(tally: Tally) -> NDArray[Any]:
    from scipy.special import erfc

    of = moments(tally)
    common, _v = combined(either(of.weight * of.mean), of)
    spread = np.sqrt(either(variances(common, of)))
    enough = tally.enough & (tally.base >= LEAST_GROUP).all(axis=0)
    p = erfc(np.abs(of.mean[0] - of.mean[1]) / spread / np.sqrt(2))
    return np.where(enough, np.stack([of.mean[0], of.mean[1], p, POWER_80 * spread]), np.nan)


def holm(p: Floats) -> Floats:
    """Each p among all these: the smallest counts as many times as there are, the next once less."""
    order = np.argsort(p)
    adjusted = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    result = np.empty(len(p))
    result[order] = np.minimum(adjusted, 1.0)
    return result


def in_words(found: Alike, name: Callable[[Item], str]) -> str:
    """What the test means for a reader who is about to choose an estimator."""
    if not found.items:
        return _(
            "Too few answered in one of the two groups to compare those who answered openly with the others."
        )
    return _of_differences(found, name) if found.differ else _of_none(found, name)


def _of_none(found: Alike, name: Callable[[Item], str]) -> str:
    largest = int(np.argmax(found.smallest))
    missed = {"points": f"{100 * found.smallest[largest]:.1f}", "item": name(found.items[largest])}
    if len(found.items) == 1:
        return (
            _(
                "No difference was found between those who answered openly and the others. This does not show that "
                "they are alike: a difference of %(points)s percentage points (%(item)s) would have been missed one "
                "time in five, a smaller one more often."
            )
            % missed
        )
    return _(
        "No difference was found between those who answered openly and the others. This does not show that they "
        "are alike: a difference of %(points)s percentage points (%(item)s) would have been missed one time in "
        "five if this answer were tested alone, and more often among the %(many)s answers that were compared; a "
        "smaller one still more often."
    ) % (missed | {"many": len(found.items)})


def _of_differences(found: Alike, name: Callable[[Item], str]) -> str:
    rows = sorted(np.flatnonzero(found.differs), key=lambda row: float(found.p[row]))
    named = [
        _("%(item)s (%(open)s %% of the open answers, %(disguised)s %% of the disguised ones)")
        % {
            "item": name(found.items[row]),
            "open": f"{100 * found.opened[row]:.0f}",
            "disguised": f"{100 * found.disguised[row]:.0f}",
        }
        for row in rows[:MOST_NAMED]
    ]
    more = len(rows) - len(named)
    if more:
        named.append(ngettext("%(count)s more answer", "%(count)s more answers", more) % {"count": more})
    return _(
        "Those who answered openly are not like the others: %(answers)s. The pooled and the combined estimates "
        "assume that they are, and would mislead here; the stratified one does not."
    ) % {"answers": "; ".join(named)}
