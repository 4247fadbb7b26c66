"""The kind `place` for mining: its report node and its JSON of estimates."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mining.finite_numbers_for_json import round_or_none
from mining.kinds.counted_kind import ByClass, shares_to_json
from mining.kinds.place.region_shares import place_shares
from mining.kinds.place.report_node_from_counts import place_node
from mining.nodes.place_nodes import PlaceNode
from mining.queries_and_counters import Counts
from privacy.kinds.place.section import PlaceSection


def make_node(section: PlaceSection, counts: Counts, _by_class: ByClass, open_answers: bool) -> PlaceNode:
    of_disguised = counts.copy()
    # Somebody outside the regions sends the cell as it is.
    of_disguised[0] = 0
    return replace(place_node(section, of_disguised), disguised_only=open_answers)


def place_to_json(section: PlaceSection, counts: Counts, _quantiles: Sequence[float]) -> dict[str, Any]:
    """Returns the estimates of a place as JSON: the shares of the regions and of each cell outside.

    Also, cell by cell, the records received and the illustration.
    """
    question, node = section.question, place_node(section, counts)
    (shares,) = place_shares(section.law, [counts])
    cells = question.code_names
    names = [choice.name for choice in question.item_choices] + [
        cells[at] for at in section.law.cells_outside_regions
    ]
    columns = (round_or_none(column) for column in (shares.share, shares.low, shares.high))
    named = list(zip(names, *columns, strict=True))
    # Without elsewhere.
    del named[len(question.regions) : len(question.item_choices)]
    return {
        "base": node.n_asked,
        "shares": shares_to_json(question.name, named),
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
