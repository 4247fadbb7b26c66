"""The codec of nodes: what is dumped is JSON and loads as it was; the JSON Schema that is made of the nodes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass
from enum import StrEnum
from math import inf, nan
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from numpy.typing import NDArray
from typing_extensions import TypeAliasType

from bench.report_schema import report_schema, schema_text
from mining.disclosure.plain_table_counts import PlainTable
from mining.json_codec import (
    OPTIONAL,
    dump_brief,
    node_from_json,
    node_to_json,
    omit_if_default,
    required_names,
)
from mining.nodes.number_nodes import MeanEstimate, NumberDistribution, NumberEstimates, NumberShare
from mining.nodes.report_nodes import FORMAT


@dataclass(frozen=True)
class Leaf:
    item: str
    share: float | None
    ends: tuple[float | None, ...] = (None, None)


@dataclass(frozen=True)
class Tree:
    leaf: Leaf
    maybe: Leaf | None
    rows: tuple[tuple[Leaf, ...], ...]
    records: Mapping[str, int]
    names: tuple[str, ...] = ()


ROWS = (Leaf("a", None), Leaf("b", 1.0)), ()
TREE = Tree(Leaf("drug=yes", 0.25, (0.1, None)), None, ROWS, {"no": 3}, ("x",))


def test_node_survives_json_in_field_order() -> None:
    assert node_from_json(Tree, json.loads(json.dumps(node_to_json(TREE)))) == TREE
    assert json.dumps(node_to_json(TREE.leaf)) == '{"item": "drug=yes", "share": 0.25, "ends": [0.1, null]}'
    # What JSON cannot write is missing.
    assert node_to_json(Leaf("a", nan, (inf, -inf))) == {"item": "a", "share": None, "ends": [None, None]}
    # Unknown members are ignored, and missing ones take their default.
    assert node_from_json(Leaf, {"item": "a", "share": 1.0, "later": [1]}) == Leaf("a", 1.0)
    with pytest.raises(TypeError, match="share"):
        node_from_json(Leaf, {"item": "a"})


@dataclass(frozen=True)
class Estimated:
    leaf: Leaf
    truth: float | None = omit_if_default(None)
    leaves: tuple[Leaf, ...] = omit_if_default(())


def test_command_output_omits_unknown_members() -> None:
    leaf = {"item": "a", "share": None, "ends": [None, None]}
    plain = Estimated(Leaf("a", None))
    assert dump_brief(plain) == {"leaf": leaf}
    assert node_to_json(plain) == {"leaf": leaf, "truth": None, "leaves": []}
    told = {"leaf": leaf, "truth": 0.5, "leaves": [leaf]}
    assert dump_brief(Estimated(plain.leaf, 0.5, (plain.leaf,))) == told
    # A number that was looked for in vain is null.
    assert dump_brief(Estimated(Leaf("a", nan), nan))["truth"] is None


@dataclass(frozen=True)
class Measured:
    share: float
    moment: float | None = field(default=None, metadata=OPTIONAL)


def test_optional_member_with_its_default_is_omitted() -> None:
    assert node_to_json(Measured(0.5)) == {"share": 0.5}
    assert node_to_json(Measured(0.5, 0.25)) == {"share": 0.5, "moment": 0.25}
    for node in (Measured(0.5), Measured(0.5, 0.25)):
        assert node_from_json(Measured, node_to_json(node)) == node
    assert required_names(Measured) == ("share",)
    texts = {"en": "a"}
    assert node_to_json(Listed(Word.YES, texts=texts)) == {"word": "yes", "rows": [], "texts": texts}
    assert node_from_json(Listed, {"word": "yes"}).texts == {}


class Word(StrEnum):
    YES = "yes"
    NO = "no"


@dataclass(frozen=True)
class Listed:
    word: Word
    rows: tuple[tuple[str, int | None], ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict, metadata=OPTIONAL)


def test_enumerations_tuples_and_count_arrays_survive_json() -> None:
    assert json.dumps(node_to_json(Listed(Word.NO))) == '{"word": "no", "rows": []}'
    assert node_from_json(Listed, {"word": "yes"}).word is Word.YES
    with pytest.raises(ValueError, match="maybe"):
        node_from_json(Listed, {"word": "maybe"})
    node = Listed(Word.YES, (("a", 1), ("b", None)))
    assert node_from_json(Listed, json.loads(json.dumps(node_to_json(node)))) == node
    with pytest.raises(ValueError, match="shorter"):
        node_from_json(Listed, {"word": "yes", "rows": [["a"]]})
    table = PlainTable((0, 1), np.array([[1, 2, 3], [4, 5, 6]]))
    assert node_to_json(table) == {"questions": [0, 1], "counts": [[1, 2, 3], [4, 5, 6]]}
    loaded = node_from_json(PlainTable, node_to_json(table))
    assert loaded.questions == (0, 1)
    assert loaded.counts.dtype == np.int64
    assert loaded.counts.tolist() == table.counts.tolist()
    assert node_from_json(PlainTable, node_to_json(PlainTable((), np.array(7)))).counts == 7


Scalar = TypeVar("Scalar", bound=np.generic)
INTEGERS: Any = np.ndarray[tuple[Any, ...], np.dtype[np.int64]]
MakeAlias: Any = TypeAliasType
Array: Any = np.ndarray
DType: Any = np.dtype
ALIAS: Any = MakeAlias("ALIAS", INTEGERS)
GENERIC: Any = MakeAlias("GENERIC", Array[Any, DType[Scalar]], type_params=(Scalar,))
# NDArray is the first up to numpy 2.4 and the last from numpy 2.5 on.
ARRAYS: list[Any] = [INTEGERS, ALIAS, GENERIC[np.int64], NDArray[np.int64], NDArray[Any], np.ndarray]


@pytest.mark.parametrize("kind", ARRAYS, ids=repr)
def test_array_is_read_for_every_spelling_of_its_type(kind: Any) -> None:
    holder = make_dataclass("Holder", [("counts", kind), ("rows", tuple[kind, ...]), ("maybe", kind | None)])
    node: Any = node_from_json(holder, {"counts": [[1, 2]], "rows": [[3], [4]], "maybe": [5]})
    for array, numbers in ((node.counts, [[1, 2]]), (node.rows[1], [4]), (node.maybe, [5])):
        assert (type(array), array.dtype, array.tolist()) == (np.ndarray, np.int64, numbers)


# --- what the nodes of a number say of themselves ---


def share(at_least: int | None, below: int | None, value: float | None = 0.5) -> NumberShare:
    return NumberShare(at_least, below, 60, value, 0.1, 0.3, 0.7)


def test_number_nodes_describe_themselves() -> None:
    assert [share(*ends).item for ends in ((None, 10), (10, None), (10, 20))] == ["<10", ">=10", ">=10 <20"]
    # Estimates are known where anything is estimated.
    nothing = share(10, None, None)
    assert NumberEstimates(60, 0, mean=MeanEstimate(1.0, 0.1, 0.8, 1.2)).is_known
    assert NumberEstimates(60, 0, shares=(nothing, share(20, None))).is_known
    assert NumberEstimates(60, 0, distribution=NumberDistribution(1, (0.5, 0.5), None, None, 1)).is_known
    assert not NumberEstimates(60, 0, shares=(nothing,)).is_known


STORED = Path(__file__).parents[3] / "mining/nodes/candor-report-1.schema.json"
ABOUT: dict[str, Any] = {
    "run": 1,
    "fingerprint": "0" * 64,
    "rehearsal": False,
    "day": "2026-07-01",
    "version": "1",
    "records": 9,
    "n_open": 4,
    "disguised": 5,
    "statements": {},
    "estimator": "stratified",
    "engine": "bitmap",
    "exact": False,
    "absences": False,
    "min_support": 0.1,
    "min_confidence": 0.5,
    "max_size": 3,
}
LISTS = ("shares", "compared", "groups", "itemsets", "pairs")
REPORT: dict[str, Any] = {"format": FORMAT, "about": ABOUT, **{name: [] for name in LISTS}}


def test_stored_schema_matches_the_nodes() -> None:
    """`python -m bench.report_schema > mining/nodes/candor-report-1.schema.json` makes it again."""
    assert STORED.read_text() == schema_text()
    Draft202012Validator.check_schema(report_schema())
    nodes = report_schema()["$defs"]
    assert "slope" not in nodes["Cell"]["properties"]
    assert "place" not in nodes["Estimate"]["properties"]
    # A comment beside a field describes its member.
    said = 'what a publication states: "both", the "rule" alone or the "converse" alone'
    assert nodes["Rule"]["properties"]["said"] == {"type": "string", "description": said}


def test_codec_tells_reports_from_other_objects() -> None:
    said = {"items": ["theft=yes"]}
    reports: list[dict[str, Any]] = [
        *({}, {"later": 1}, {"left_out": None}, {"weighted": {"margins": "Census", "shares": []}}),
        {"shares": [{**said, "support": None}]},
    ]
    others: list[dict[str, Any]] = [
        *({"format": "candor-report/2"}, {"about": {**ABOUT, "run": "first"}}, {"about": {}}),
        *({"shares": [{"support": 0.5}]}, {"shares": [{**said, "support": "half"}]}),
        {"study": {"plan": {"sha256": "0", "hypotheses": [{"name": 1}]}}},
    ]
    validator = Draft202012Validator(report_schema())
    for members in (*reports, *others):
        assert validator.is_valid(REPORT | members) is (members in reports), members
