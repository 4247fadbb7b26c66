"""What each shown value covers."""

import json
from typing import Any

import pytest

from privacy.anonymity.table_anonymisation import METHODS
from privacy.anonymity.tables.specification_reading import read_specification
from releases.specification import shown_to_source_values

COLUMNS: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"kind": "number"}, "20..29", {"from": "20", "to": "29"}),
    ({"kind": "number"}, "-3", {"from": "-3", "to": "-3"}),
    ({"kind": "ordered", "order": ["low", "mid", "high"]}, "low..mid", {"values": ["low", "mid"]}),
    ({"kind": "ordered", "order": ["low", "mid", "high"]}, "high", {"values": ["high"]}),
    ({"kind": "category"}, "*", {"any": True}),
    ({"kind": "ordered", "order": ["low", "mid", "high"]}, "*", {"any": True}),
    ({"kind": "category"}, "Aa", {"values": ["Aa"]}),
    ({"kind": "category"}, "'=1", {"values": ["=1"]}),
    ({"kind": "category", "hierarchy": "prefixes"}, "12**", {"begins": "12"}),
    ({"kind": "category", "hierarchy": {"N": {"M": ["a", "b"]}, "S": ["c"]}}, "N", {"values": ["a", "b"]}),
    ({"kind": "category", "hierarchy": {"N": {"M": ["a", "b"]}, "S": ["c"]}}, "M", {"values": ["a", "b"]}),
    ({"kind": "category", "hierarchy": {"N": {"M": ["a", "b"]}, "S": ["c"]}}, "b", {"values": ["b"]}),
]


@pytest.mark.parametrize(("column", "shown", "covered"), COLUMNS)
def test_specification_value_states_what_it_covers(
    column: dict[str, Any], shown: str, covered: dict[str, Any]
) -> None:
    said = {"format": "candor-release/1", "quasi_identifiers": [{"name": "q", **column}], "k": 2}
    specification = read_specification(json.dumps(said), "s", frozenset(METHODS))
    data = f"q\n{shown}\n{shown}\n".encode()
    assert shown_to_source_values.covered_values_by_column(data, specification) == {"q": {shown: covered}}
