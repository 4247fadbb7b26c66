"""Findings: what a report says beyond itemsets and rules, computed from the same counts and stored with the run.

Reports register the findings that their pages need. Counts of a finding that are not cached, nor predicted by its
`precount`, are one more level for the shards of a large run.
"""

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

from numpy.typing import NDArray

from mining.counts import Numbers
from mining.engines.found import Found
from mining.itemsets.candidates import single_items
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter, estimated, reconstruct
from mining.reconstruction.group_test import alike
from runs.models import Itemset

SEARCHED = ("low_listed", "high_listed")
"""The columns that only a search fills in."""

Json = dict[str, Any] | list[Any] | bool | int | None
Finding = Callable[[CachedCounter, Parameters, Found], Json]
Precount = Callable[[CachedCounter, Parameters, Numbers], object]
_registered: dict[str, Finding] = {}
_precounts: dict[str, Precount] = {}


def register(name: str, finding: Finding, precount: Precount | None = None) -> None:
    """`finding(known, parameters, found)` becomes `run.findings[name]`: JSON, None for NaN.

    `precount(known, parameters, itemsets)` counts in a sample, where the search found `itemsets`, what the finding is
    likely to count and a search does not.
    """
    _registered[name] = finding
    if precount:
        _precounts[name] = precount


def precount_all(known: CachedCounter, wanted: Parameters, itemsets: Numbers) -> None:
    for precount in _precounts.values():
        precount(known, wanted, itemsets)


def compute(known: CachedCounter, wanted: Parameters, found: Found) -> dict[str, Json]:
    return {name: finding(known, wanted, found) for name, finding in sorted(_registered.items())}


def count_singles(known: CachedCounter, wanted: Parameters) -> None:
    """Count every single answer before the search, so that this needs no level of its own."""
    singles = single_items(known.design, known.numbering, absences=True)
    estimated(known, singles, wanted.estimator)
    if known.withheld.any():
        # The group test counts the plain answers of open records, too.
        estimated(CachedCounter(known.whole), singles, wanted.estimator)


def answers(known: CachedCounter, wanted: Parameters, found: Found) -> Json:
    """The shares of all single answers, in the order of their numbers."""
    every = single_items(known.design, known.numbering, absences=True)
    supports = reconstruct(known, every, wanted.estimator)
    columns = {name: finite(getattr(supports, name)) for name in Itemset.floats() if name not in SEARCHED}
    columns |= {"item": supports.itemsets[:, 0].tolist(), "base": supports.base.tolist()}
    columns |= {"opened": supports.groups[:, 0].tolist(), "shown": supports.shown.tolist()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def groups_alike(known: CachedCounter, wanted: Parameters, found: Found) -> Json:
    """The group test, answer by answer; p before Holm's correction, which is over the answers that are told.

    Open records count with their plain answers: publications decide which of these are told.
    """
    compared = alike(CachedCounter(known.whole))
    columns: dict[str, Sequence[Any]] = {
        "opened": finite(compared.open),
        "disguised": finite(compared.disguised),
        "p": finite(compared.p if compared.raw is None else compared.raw),
        "more": finite(compared.more),
        "fewer": finite(compared.fewer),
        "item": [known.numbering.number(item) for item in compared.items],
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def finite(values: NDArray[Any]) -> list[float | None]:
    """Floats for JSON and the database: None in the place of NaN and infinity."""
    return [value if isfinite(value) else None for value in values.tolist()]


register("answers", answers)
register("alike", groups_alike)
