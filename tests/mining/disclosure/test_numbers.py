"""What is left of a number where something of it is withheld."""

from collections.abc import Collection, Iterable
from dataclasses import replace

import pytest

from mining.disclosure.remove_withheld_numbers import withhold_number
from mining.disclosure.verdict import Verdict
from mining.report.answer_names import Names
from mining.report.json_codec import dump
from mining.report.number_nodes import (
    MeanEstimate,
    NumberClasses,
    NumberDistribution,
    NumberEstimates,
    NumberNode,
    NumberShare,
    QuantileStatement,
)
from tests.privacy.questionnaires import HALF, design, plain, question, sensitive

MARKER = 7125
CELLS = (float(MARKER),) * 2
SHARE = NumberShare(MARKER, MARKER, MARKER, *CELLS, *CELLS)
NO_NUMBERS = NumberEstimates(None, None)
MARKED = NumberEstimates(
    MARKER,
    MARKER,
    MeanEstimate(*CELLS, *CELLS),
    (QuantileStatement(float(MARKER), MARKER, MARKER),),
    (SHARE,),
    (SHARE, SHARE),
    NumberDistribution(MARKER, CELLS, CELLS, CELLS, MARKER, CELLS, CELLS),
)
NODE = NumberNode(
    "pay", "classes", MARKED, (NumberClasses("age", (MARKED, MARKED)), NumberClasses("sex", (MARKED,)))
)


DESIGN = design(
    plain(*({"name": name, "choices": ["one", "two"]} for name in ("age", "sex"))),
    sensitive("0.5", question("pay", *HALF)),
)
NAMES = Names(DESIGN)
AGE, SEX, PAY = range(3)


class OfClasses(Verdict):
    """The number alone is told unless it is `untold`, with a question always."""

    def may_tell(self, questions: Iterable[int]) -> bool:
        return tuple(questions) not in self.untold


def told(
    node: NumberNode = NODE, *, everybody: bool = True, age: Collection[int] = (), sex: Collection[int] = ()
) -> NumberNode:
    untold = frozenset() if everybody else frozenset({(PAY,)})
    hidden = {AGE: frozenset({0, 1}.difference(age)), SEX: frozenset({0, 1}.difference(sex))}
    return withhold_number(node, NAMES, OfClasses(DESIGN, hidden, untold=untold))


def test_of_a_number_that_is_withheld_only_its_name_and_its_classes_are_left() -> None:
    left = told(everybody=False)
    assert str(MARKER) not in str(dump(left))
    assert (left.question, [(of.question, len(of.classes)) for of in left.groups]) == (
        "pay",
        [("age", 2), ("sex", 1)],
    )


def test_where_nothing_is_withheld_the_node_stays_as_it_is() -> None:
    assert told(age={0, 1}, sex={0}) == NODE


def test_everybody_and_each_class_are_withheld_by_themselves() -> None:
    left = told(everybody=False, age={1})
    assert left.all_records == NO_NUMBERS
    assert [of.classes for of in left.groups] == [(NO_NUMBERS, MARKED), (NO_NUMBERS,)]
    left = told(age={0})
    assert left.all_records == MARKED
    assert left.groups[0].classes == (MARKED, NO_NUMBERS)


def test_the_count_of_what_has_no_estimate_is_withheld() -> None:
    bare = replace(SHARE, share=None)
    found = replace(MARKED, shares=(SHARE, bare), classes=(bare, SHARE))
    left = told(replace(NODE, all_records=found)).all_records
    assert [one.n_asked for one in (*left.shares, *left.classes)] == [MARKER, None, None, MARKER]


@pytest.mark.parametrize(
    "found", [NumberEstimates(40, 3), NumberEstimates(40, 3, shares=(replace(SHARE, share=None),))]
)
def test_of_what_is_not_estimated_not_even_the_records_are_told(found: NumberEstimates) -> None:
    left = told(replace(NODE, all_records=found))
    assert left.all_records == NO_NUMBERS
