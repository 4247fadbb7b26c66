"""What a run says about sensitive numbers and places, from the counts of their codes: `run.findings["numbers"]` and
`run.findings["places"]`, where the design has some.

In the order of the design; see `mining.kinds`. Estimates in the classes of a plain question join plain and sensitive
answers, so they are of the disguised records alone.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mining.counting.code_counts import CodeCounts
from mining.counts import Counts
from mining.document.codec import dump
from mining.kinds.registry import kind_of
from runs.findings import Json


def findings(counts: CodeCounts) -> dict[str, Json]:
    """By kind."""
    found: dict[str, list[Any]] = {}
    place = 0
    for section in counts.design.sections:
        if section.counted_by_code:
            kind = kind_of(section)
            node = kind.finding(section, counts.for_estimates(place), _classes(counts, place))
            found.setdefault(kind.findings, []).append(dump(node))
        place += len(section.questions)
    return dict(found)


def _classes(counts: CodeCounts, place: int) -> Iterator[tuple[str, list[Counts]]]:
    """By plain question, by name, the records of each class by group: the open ones count nowhere."""
    for (counted, plain), table in counts.by_class.items():
        if counted == place:
            rows = [np.stack([np.zeros_like(disguised), disguised]) for disguised in table]
            yield counts.design.questions[plain].name, rows
