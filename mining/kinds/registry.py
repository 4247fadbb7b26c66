"""Registers the kinds of question that mining counts by code. Answers of all other kinds are items."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from mining.counting.number_and_place_counts import CodeCounts
from mining.kinds.counted_kind import CountedKind, CountedNode
from mining.kinds.number import kind as number
from mining.kinds.place import kind as place
from mining.queries_and_counters import Counts
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.window.section import WindowSection
from privacy.kinds.place.section import PlaceSection
from privacy.kinds.section import Section

KINDS: Mapping[type[Section], CountedKind[Any]] = MappingProxyType(
    {
        WindowSection: CountedKind("numbers", number.make_node, number.window_to_json),
        ClassesSection: CountedKind("numbers", number.make_node, number.classes_to_json),
        PlaceSection: CountedKind("places", place.make_node, place.place_to_json),
    }
)


def find_counted_kind(section: Section) -> CountedKind[Any]:
    """Returns the functions that report the section's kind of question; the kind must be `counted_by_code`."""
    return KINDS[type(section)]


def make_nodes(counts: CodeCounts) -> dict[str, list[CountedNode]]:
    """Returns the report nodes of all sensitive numbers and places, by the name of their list in a report, in the order
    of the design."""
    nodes_by_member: dict[str, list[CountedNode]] = {}
    index = 0
    for section in counts.design.sections:
        if section.counted_by_code:
            kind = find_counted_kind(section)
            of_all, by_class = counts.counts_for_estimates(index), _counts_by_class(counts, index)
            node = kind.node(section, of_all, by_class, counts.design.open_answers)
            nodes_by_member.setdefault(kind.member, []).append(node)
        index += len(section.questions)
    return nodes_by_member


def _counts_by_class(counts: CodeCounts, index: int) -> Iterator[tuple[str, list[Counts]]]:
    """Yields the name of each plain question with counts by group and code in each of its classes; the open counts are
    0."""
    for (counted, plain), table in counts.by_class.items():
        if counted == index:
            rows = [np.stack([np.zeros_like(disguised), disguised]) for disguised in table]
            yield counts.design.questions[plain].name, rows
