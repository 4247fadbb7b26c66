"""What a verdict leaves of a report: of a verdict against everything, nothing but what is never secret."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

from mining.counts import Item
from mining.disclosure.small_cells import SmallCells
from mining.disclosure.withhold import Verdict, told_tables, withhold
from mining.document.names import Names
from mining.document.report import About, Cell, Estimate, GroupTest, Items, LeftOut, Report
from tests.privacy import questionnaires as q

DESIGN = q.design(
    q.plain(q.WORK, q.drawn("version", *q.HALF)),
    q.crosswise("lie", "0.25", turned_by="version", turned={"en": "?"}),
    q.sensitive("0.3", q.question("theft", "0.4", "0.6")),
    q.classes("income", "0.8", 0, 10, 20, 40),
    q.place("home", q.grid(3, 3), [0, 1, 2], [3, 4]),
    q.UNDERSTOOD,
    understanding=True,
)
NAMES = Names(DESIGN.mined)
THEFT, WORK = NAMES.choices("theft")[1], NAMES.choices("work")[0]
OUTSIDE = 4
"""Cells of the place outside its regions."""

NAMED: dict[str, Any] = {
    **dict.fromkeys(("items", "antecedent", "consequent"), (THEFT,)),
    "item": THEFT,
    "classes": (WORK,),
    "by": "work",
    "covariates": ("work",),
    "kind": "share",
    "question": "work",
}
"""Members that name a part of the questionnaire."""
NAMED_IN: dict[str, Any] = {
    "NumberNode.question": "income",
    "PlaceNode.question": "home",
    "WordTest.item": "lie=yes",
}

NEVER_SECRET = {
    *(f"About.{field.name}" for field in fields(About)),
    *(f"LeftOut.{field.name}" for field in fields(LeftOut)),
    # What is withheld, by its place in the run.
    *("Report.withheld_rules", "Report.withheld_itemsets"),
    # Names of questions and answers, and whom the numbers would be of.
    *("Estimate.items", "Estimate.disguised_only"),
    *("Cell.disguised_only", "NumberEstimates.disguised_only", "PlaceNode.disguised_only"),
    *("GroupTable.question", "GroupTable.classes", "GroupTable.disguised_only", "GroupRow.item"),
    *("NumberNode.question", "NumberNode.law", "NumberClasses.question", "PlaceNode.question"),
    # The records of each arm are those of the run; how many complete the page is counted of everybody.
    *("Arms.direct", "Arms.disguised", "Arms.share"),
    *("Completion.completion", "Completion.low", "Completion.high", "Completion.p"),
    # What was stated before the survey, or says that something is missing.
    *("Controls.item", "Controls.known", "Controls.too_few", "Controls.withheld"),
    *("PlanResult.sha256", "PlanResult.withheld"),
    *("UnderstandingCounts.question", "UnderstandingShare.item"),
}


def marked(kind: Any, name: str = "") -> Any:
    """A value of this type with a mark in every member, of tuples and mappings one."""
    arguments = get_args(kind)
    if name in NAMED_IN:
        return NAMED_IN[name]
    if (
        not is_dataclass(kind)
        and (named := NAMED.get(name.partition(".")[2]))
        and get_origin(kind) is not tuple
    ):
        return named
    if get_origin(kind) in (Union, UnionType):
        return marked(next(one for one in arguments if one is not NoneType), name)
    if get_origin(kind) is tuple:
        if arguments[0] is str and name.partition(".")[2] in NAMED:
            return NAMED[name.partition(".")[2]]
        many = OUTSIDE if name == "PlaceNode.outside" else 1
        return tuple(marked(arguments[0], f"{name} ") for _one in range(many))
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(
            **{one.name: marked(hints[one.name], f"{kind.__name__}.{one.name}") for one in fields(kind)}
        )
    if get_origin(kind) is not None:
        return {"mark": 1}
    return {float: 0.25, int: 17, str: "mark", bool: True}[kind]


def members(node: Any) -> Iterator[str]:
    """The members that say something, by class and name."""
    if isinstance(node, tuple):
        for one in node:
            yield from members(one)
    elif is_dataclass(node):
        for field in fields(node):
            value = getattr(node, field.name)
            if is_dataclass(value) or (isinstance(value, tuple) and any(map(is_dataclass, value))):
                yield from members(value)
            elif value not in (None, (), "", False, {}):
                yield f"{type(node).__name__}.{field.name}"


class Everything(Verdict):
    def allows(self, names: Items) -> bool:
        return True

    def _may_tell(self, items: Collection[Item]) -> bool:
        return True

    def allows_tables_of(self, questions: Iterable[int]) -> bool:
        return True


class Nothing(Everything):
    def allows(self, names: Items) -> bool:
        return False

    def _may_tell(self, items: Collection[Item]) -> bool:
        return False

    def allows_tables_of(self, questions: Iterable[int]) -> bool:
        return False


SMALL = SmallCells(DESIGN.mined, {}, [])
PLAIN = frozenset({0})
REPORT: Report = marked(Report)


def every_member(kind: Any, seen: set[Any]) -> Iterator[str]:
    if kind in seen:
        return
    seen.add(kind)
    for name, hint in get_type_hints(kind).items():
        below = [one for one in _parts(hint) if is_dataclass(one)]
        if not below and not _is_constant(kind, name):
            yield f"{kind.__name__}.{name}"
        for one in below:
            yield from every_member(one, seen)


def unpublished(kind: Any, seen: set[Any]) -> set[str]:
    list(every_member(kind, seen))
    return {
        f"{one.__name__}.{name.name}"
        for one in seen
        for name in fields(one)
        if "unpublished" in name.metadata
    }


def _is_constant(kind: Any, name: str) -> bool:
    return name not in {field.name for field in fields(kind)}


def _parts(hint: Any) -> Iterator[Any]:
    yield hint
    for argument in get_args(hint):
        yield from _parts(argument)


def test_the_marked_report_has_a_mark_in_every_member_of_every_node() -> None:
    assert set(members(REPORT)) == set(every_member(Report, set()))


def test_where_nothing_may_be_told_nothing_is_left_but_what_is_never_secret() -> None:
    left = withhold(REPORT, Nothing(NAMES, SMALL, PLAIN, (0,)))
    assert set(members(left)) <= NEVER_SECRET
    assert (left.withheld_rules, left.withheld_itemsets) == ((16,), (17,))


def test_a_list_of_what_is_never_secret_names_nothing_that_is_not_there() -> None:
    assert set(every_member(Report, set())) >= NEVER_SECRET


def test_where_all_may_be_told_only_what_is_never_published_is_gone() -> None:
    left = withhold(REPORT, Everything(NAMES, SMALL, PLAIN, (0,), {"home": ()}))
    assert set(members(REPORT)) - set(members(left)) == {
        *unpublished(Report, set()),
        *("Report.withheld_rules", "Report.withheld_itemsets"),
        # Of one class nothing is tested.
        "GroupRow.p",
    }


def test_holms_p_is_over_the_answers_that_are_told() -> None:
    class Some(Everything):
        def allows(self, names: Items) -> bool:
            return names != (WORK,)

    tests = tuple(GroupTest(item, 0.1, 0.2, 0.04, None, None, p_alone=0.02) for item in (THEFT, WORK))
    left = withhold(replace(REPORT, compared=tests), Some(NAMES, SMALL, PLAIN, (), {"home": ()}))
    assert left.compared == (GroupTest(THEFT, 0.1, 0.2, 0.02, None, None),)


def test_a_withheld_itemset_takes_the_coherent_supports_of_the_others_along() -> None:
    class Some(Everything):
        def allows(self, names: Items) -> bool:
            return names != (WORK,)

    kept = Estimate((THEFT,), support=0.1, coherent=0.11, place=4)
    gone = Estimate((WORK,), support=0.1, coherent=0.12, place=6)
    left = withhold(replace(REPORT, itemsets=(gone, kept)), Some(NAMES, SMALL, PLAIN, (), {"home": ()}))
    assert left.itemsets == (Estimate((THEFT,), support=0.1),)
    assert left.withheld_itemsets == (6,)


@pytest.mark.parametrize(("allowed", "told"), [(True, [[], [0], [0, 6], [6]]), (False, [[]])])
def test_the_ledger_learns_of_which_plain_questions_numbers_are_told(
    allowed: bool, told: Mapping[str, Any]
) -> None:
    report = replace(REPORT, numbers=(), places=(), weighted=None, itemsets=(), rules=(), shares=())
    verdict = (Everything if allowed else Nothing)(NAMES, SMALL, PLAIN)
    assert told_tables(withhold(report, verdict), verdict)["told"] == told


def test_a_cell_without_an_estimate_has_no_base() -> None:
    (table,) = REPORT.groups
    (row,) = table.rows
    bare = replace(table, rows=(replace(row, cells=(replace(row.cells[0], share=None),)),))
    (left,) = withhold(
        replace(REPORT, groups=(bare,)), Everything(NAMES, SMALL, PLAIN, (), {"home": ()})
    ).groups
    assert left.rows[0].cells == (Cell(disguised_only=True),)
