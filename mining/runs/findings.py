"""What a report says beyond itemsets and rules: found from the same counts, stored with the run.

A later room registers what its pages need; whatever a finding counts that nobody has counted yet is one more
question to a large run's shards.
"""

from collections.abc import Callable
from dataclasses import fields
from math import isfinite
from typing import Any

from numpy.typing import NDArray

from mining.engines.found import Found
from mining.itemsets.candidates import single_items
from mining.parameters import Parameters
from mining.reconstruction import Counted, Supports, reconstruct
from mining.reconstruction.alike import alike

Json = dict[str, Any] | list[Any] | None
Finding = Callable[[Counted, Parameters, Found], Json]
_registered: dict[str, Finding] = {}


def register(name: str, finding: Finding) -> None:
    """`finding(counted, parameters, found)` becomes `run.findings[name]`; plain numbers, None for NaN."""
    _registered[name] = finding


def of(known: Counted, wanted: Parameters, found: Found) -> dict[str, Json]:
    return {name: finding(known, wanted, found) for name, finding in sorted(_registered.items())}


def singles(known: Counted, wanted: Parameters) -> Supports:
    """Every single answer, however rare; asked before the search, so that this is no question of its own."""
    return reconstruct(known, single_items(known.design, known.numbering, absences=True), wanted.estimator)


def answers(known: Counted, wanted: Parameters, found: Found) -> Json:
    """The shares of all single answers, in the order of their numbers."""
    supports = singles(known, wanted)
    names = ("observed", "support", "se", "low", "high", "pooled", "expected_w")
    columns = {name: finite(getattr(supports, name)) for name in names}
    columns |= {"item": supports.itemsets[:, 0].tolist(), "base": supports.base.tolist()}
    columns |= {"opened": supports.groups[:, 0].tolist()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def groups_alike(known: Counted, wanted: Parameters, found: Found) -> Json:
    """The test that those who answer openly are like the others, answer by answer."""
    compared = alike(known)
    columns = {field.name: getattr(compared, field.name) for field in fields(compared)}
    numbers = [known.numbering.number(item) for item in columns.pop("items")]
    values = {name: finite(column) for name, column in columns.items()} | {"item": numbers}
    return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]


def finite(values: NDArray[Any]) -> list[float | None]:
    """Floats as a database and JSON can hold them."""
    return [value if isfinite(value) else None for value in values.tolist()]


register("answers", answers)
register("alike", groups_alike)
