"""The choice of open records, made once when a survey is finished, and stored in its ledger."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mining.disclosure import open_tables as open_patterns
from mining.disclosure.open_tables import OpenTable, open_tables
from mining.document.codec import dump, load
from privacy.records.columns import Columns, selected


def choose(parts: Sequence[Columns]) -> dict[str, Any]:
    """The patterns that are kept, how many records of each group there are, and the plain tables of those kept."""
    disguised, sizes, kept_parts, kept_patterns = 0, Counter[str](), [], []
    opened = []
    for part in parts:
        is_disguised = np.unpackbits(part.disguised.view(np.uint8), count=part.n, bitorder="little").view(
            np.bool_
        )
        disguised += int(is_disguised.sum())
        opened.append(selected(part, ~is_disguised))
        sizes += open_patterns.sizes(open_patterns.patterns(opened[-1]))
    kept = open_patterns.kept(sizes)
    for part in opened:
        of_part = open_patterns.patterns(part)
        chosen = open_patterns.is_kept(of_part, kept)
        kept_parts.append(selected(part, chosen))
        kept_patterns.append(of_part[chosen])
    tables = open_tables(parts[0].design.mined, kept_parts, kept_patterns) if parts else []
    return {
        "patterns": sorted(kept),
        "disguised": disguised,
        "open": sum(sizes.values()),
        "kept": sum(sizes[pattern] for pattern in kept),
        "tables": [*map(dump, tables)],
    }


def tables_of(kept: Mapping[str, Any]) -> list[OpenTable]:
    return [load(OpenTable, table) for table in kept["tables"]]
