"""The codec of nodes: what is dumped is JSON, and loads as it was."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf, nan

import numpy as np
import pytest

from mining.disclosure.plain_table_counts import PlainTable
from mining.report.json_codec import OPTIONAL, dump, dump_brief, load, omit_if_default, required_names
from mining.report.number_nodes import MeanEstimate, NumberDistribution, NumberEstimates, NumberShare


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


TREE = Tree(
    Leaf("drug=yes", 0.25, (0.1, None)), None, ((Leaf("a", None), Leaf("b", 1.0)), ()), {"no": 3}, ("x",)
)


def test_a_node_comes_back_from_its_json_as_it_was() -> None:
    assert load(Tree, json.loads(json.dumps(dump(TREE)))) == TREE


def test_members_stand_in_the_order_of_the_fields() -> None:
    assert json.dumps(dump(TREE.leaf)) == '{"item": "drug=yes", "share": 0.25, "ends": [0.1, null]}'


def test_what_json_cannot_write_is_missing() -> None:
    assert dump(Leaf("a", nan, (inf, -inf))) == {"item": "a", "share": None, "ends": [None, None]}


def test_unknown_members_are_ignored_and_missing_ones_take_their_default() -> None:
    assert load(Leaf, {"item": "a", "share": 1.0, "later": [1]}) == Leaf("a", 1.0)
    with pytest.raises(TypeError, match="share"):
        load(Leaf, {"item": "a"})


@dataclass(frozen=True)
class Estimated:
    leaf: Leaf
    truth: float | None = omit_if_default(None)
    leaves: tuple[Leaf, ...] = omit_if_default(())


def test_what_a_command_prints_is_without_members_of_which_nothing_is_known() -> None:
    leaf = {"item": "a", "share": None, "ends": [None, None]}
    plain = Estimated(Leaf("a", None))
    assert dump_brief(plain) == {"leaf": leaf}
    assert dump(plain) == {"leaf": leaf, "truth": None, "leaves": []}
    assert dump_brief(Estimated(plain.leaf, 0.5, (plain.leaf,))) == {
        "leaf": leaf,
        "truth": 0.5,
        "leaves": [leaf],
    }


def test_a_number_that_was_looked_for_in_vain_is_printed_as_null() -> None:
    assert dump_brief(Estimated(Leaf("a", nan), nan))["truth"] is None


@dataclass(frozen=True)
class Measured:
    share: float
    moment: float | None = field(default=None, metadata=OPTIONAL)


def test_an_optional_member_is_missing_while_it_has_its_default() -> None:
    assert dump(Measured(0.5)) == {"share": 0.5}
    assert dump(Measured(0.5, 0.25)) == {"share": 0.5, "moment": 0.25}
    assert [load(Measured, dump(node)) for node in (Measured(0.5), Measured(0.5, 0.25))] == [
        Measured(0.5),
        Measured(0.5, 0.25),
    ]
    assert required_names(Measured) == ("share",)


def test_arrays_of_counts_are_nested_lists() -> None:
    table = PlainTable((0, 1), np.array([[1, 2, 3], [4, 5, 6]]))
    assert dump(table) == {"questions": [0, 1], "counts": [[1, 2, 3], [4, 5, 6]]}
    loaded = load(PlainTable, dump(table))
    assert loaded.questions == (0, 1)
    assert loaded.counts.dtype == np.int64
    assert loaded.counts.tolist() == table.counts.tolist()
    assert load(PlainTable, dump(PlainTable((), np.array(7)))).counts == 7


class Word(StrEnum):
    YES = "yes"
    NO = "no"


@dataclass(frozen=True)
class Listed:
    word: Word
    rows: tuple[tuple[str, int | None], ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict, metadata=OPTIONAL)


def test_a_word_of_an_enumeration_is_its_text() -> None:
    assert json.dumps(dump(Listed(Word.NO))) == '{"word": "no", "rows": []}'
    assert load(Listed, {"word": "yes"}).word is Word.YES
    with pytest.raises(ValueError, match="maybe"):
        load(Listed, {"word": "maybe"})


def test_a_tuple_of_so_many_members_is_a_list_of_as_many() -> None:
    node = Listed(Word.YES, (("a", 1), ("b", None)))
    assert load(Listed, json.loads(json.dumps(dump(node)))) == node
    with pytest.raises(ValueError, match="shorter"):
        load(Listed, {"word": "yes", "rows": [["a"]]})


def test_an_optional_mapping_is_missing_while_it_is_empty() -> None:
    assert dump(Listed(Word.YES, texts={"en": "a"})) == {"word": "yes", "rows": [], "texts": {"en": "a"}}
    assert load(Listed, {"word": "yes"}).texts == {}


# --- what the nodes of a number say of themselves ---


FLAT = NumberDistribution(1, (0.5, 0.5), None, None, 1)


def share(at_least: int | None, below: int | None, value: float | None = 0.5) -> NumberShare:
    return NumberShare(at_least, below, 60, value, 0.1, 0.3, 0.7)


def test_a_share_is_called_as_the_items_of_its_number() -> None:
    assert share(None, 10).item == "<10"
    assert share(10, None).item == ">=10"
    assert share(10, 20).item == ">=10 <20"


def test_estimates_are_known_where_anything_is_estimated(subtests: pytest.Subtests) -> None:
    cases: list[NumberEstimates] = [
        NumberEstimates(60, 0, mean=MeanEstimate(1.0, 0.1, 0.8, 1.2)),
        NumberEstimates(60, 0, shares=(share(10, None, None), share(20, None))),
        NumberEstimates(60, 0, distribution=FLAT),
    ]
    for found in cases:
        with subtests.test(f"{found!r:.60}"):
            assert found.is_known


def test_records_alone_are_no_estimate() -> None:
    assert not NumberEstimates(60, 0, shares=(share(10, None, None),)).is_known
