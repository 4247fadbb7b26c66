"""Compares the rows of a run with means over all its records, and says whether they are still those that were compared.

mlxtend's association_rules makes the rules anew; a search for itemsets is another check (`runs.mlxtend_check`). The
digests name what changed since, so that a stored result certifies only the rows that it looked at.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.metadata import version
from time import monotonic
from typing import Any

import numpy as np
from django.dispatch import Signal

from mining.disclosure.verdict import Verdict
from mining.engines.comparison import count_incomparable_items
from mining.engines.record_means import RecordBits
from mining.engines.row_comparison import (
    ITEMSET_COLUMNS,
    RULE_COLUMNS,
    CheckedRows,
    Difference,
    RowComparison,
    compare_rows,
)
from mining.findings.result_row_conversion import Columns
from mining.json_codec import node_from_json
from privacy.designs import Design
from runs.models import Itemset, Rule, Run
from runs.run_records import RunRecords

logger = logging.getLogger(__name__)

engines_disagreed = Signal()
"""Signal sent with `run` inside the transaction that stores a check which found a difference."""

MOST_DIFFERENCES = 20
"""Number of differences that are stored; all are counted."""
DIGEST = 16
COMPARED = {
    *(f"itemset {name}" for name in (*ITEMSET_COLUMNS, "items")),
    *(f"rule {name}" for name in (*RULE_COLUMNS, "items", "antecedent", "consequent", "itemset")),
}
"""Columns that a comparison computes anew; of the others a digest says only whether they are as they were stored."""


@dataclass(frozen=True)
class RowCheck:
    """Result of a comparison of all rows of a run, as the run stores it.

    `records`: all used ones. `itemsets`, `rules`: how many were compared. `scored`: items estimated from scores
    (numbers, sets), which are not compared. `below`: places of itemsets with a part below the threshold. `above_one`:
    confidences above 1. `found`: number of differences, of which the first are in `differences`. `digests`: by column.
    """

    mlxtend: str
    records: int
    itemsets: int
    rules: int
    scored: int
    above_one: int
    seconds: float
    below: tuple[int, ...]
    digests: Mapping[str, str]
    found: int = 0
    differences: tuple[Difference, ...] = ()


def read_row_check(run: Run) -> RowCheck | None:
    """Returns the last comparison of the run's rows; None if there is none."""
    return node_from_json(RowCheck, run.row_check) if run.row_check else None


def check_rows(
    run: Run, itemsets: Columns, rules: Columns, verdict: Verdict, records: RunRecords
) -> RowCheck:
    """Compares rows with means over all records of the run. `rules` name their itemset by its position."""
    begin, parameters, design = monotonic(), run.search_parameters, run.mined_design
    rows = CheckedRows.from_columns(itemsets, rules)

    def compare(pieces: Iterator[Any]) -> RowComparison:
        return compare_rows(rows, _bits(design, pieces), design, parameters, verdict)

    found = records.compute_by_pieces(compare)
    places = zip(itemsets["place"], rows.itemsets, strict=True)
    return RowCheck(
        version("mlxtend"),
        found.records,
        found.itemsets,
        found.rules,
        count_incomparable_items(design, absences=parameters.absences, verdict=verdict),
        found.above_one,
        round(monotonic() - begin, 3),
        tuple(place for place, (items, _row) in places if frozenset(items) in found.below),
        column_digests(itemsets, rules),
        len(found.differences),
        found.differences[:MOST_DIFFERENCES],
    )


def _bits(design: Design, pieces: Iterator[Any]) -> Iterator[RecordBits]:
    for piece in pieces:
        yield RecordBits.from_columns(design, piece)


def check_stored_rows(run: Run, records: RunRecords) -> RowCheck:
    """Compares the rows that are stored. What is not computed anew keeps the digest of the first comparison, so that no
    later one certifies a change of it."""
    before, (itemsets, rules) = read_row_check(run), stored_columns(run)
    result = check_rows(run, itemsets, rules, run.stored_verdict, records)
    if before is None:
        return result
    kept = {name: digest for name, digest in before.digests.items() if name not in COMPARED}
    return replace(result, digests={**result.digests, **kept})


def report_difference(run: Run, difference: Difference | None) -> None:
    """Tells the operator's log, and whoever else listens, that a check found a difference."""
    if difference:
        # Items by their numbers: a log has no words of a survey.
        logger.error("mlxtend finds something else than run %s: %s", run.pk, difference)
        engines_disagreed.send(Run, run=run)


# --- digests


def column_digests(itemsets: Columns, rules: Columns) -> dict[str, str]:
    """Returns a digest of each column, equal if and only if all its values are, bit by bit."""
    of_itemsets = {f"itemset {name}": values for name, values in itemsets.items()}
    of_rules = {f"rule {name}": values for name, values in rules.items()}
    of_rules["rule itemset"] = [itemsets["items"][row] for row in rules["itemset"]]
    return {name: _digest(values) for name, values in (of_itemsets | of_rules).items()}


def _digest(values: Sequence[Any]) -> str:
    first = next((value for value in values if value is not None), None)
    if isinstance(first, str | bytes | memoryview):
        parts = [value.encode() if isinstance(value, str) else bytes(value) for value in values]
        content = repr([*map(len, parts)]).encode() + b"".join(parts)
    else:
        # None becomes NaN; of the two zeros a database may store either.
        content = (np.array(values, np.float64) + 0.0).tobytes()
    return sha256(content).hexdigest()[:DIGEST]


def changed_columns(check: RowCheck, itemsets: Columns, rules: Columns) -> list[str]:
    """Returns the columns of rows that are not as they were compared."""
    now = column_digests(itemsets, rules)
    return [name for name, digest in check.digests.items() if now.get(name) != digest]


def stored_columns(run: Run) -> tuple[Columns, Columns]:
    """Returns the stored itemsets and rules of a run as columns, in their order."""
    itemsets = _read_columns(Itemset, run)
    place_of = {pk: place for place, pk in enumerate(itemsets.pop("id"))}
    rules = _read_columns(Rule, run)
    del rules["id"]
    rules["itemset"] = [place_of.get(pk, -1) for pk in rules["itemset"]]
    return itemsets, rules


def _read_columns(model: type[Itemset | Rule], run: Run) -> dict[str, list[Any]]:
    names = [field.name for field in model._meta.fields if field.name != "run"]
    rows = model._base_manager.filter(run=run).order_by("place").values_list(*names)
    columns = list(map(list, zip(*rows, strict=True))) or [[] for _ in names]
    return dict(zip(names, columns, strict=True))
