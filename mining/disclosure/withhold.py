"""What a publication leaves of a report: a function of the report and of the verdict about it.

The verdict knows which numbers nobody may be told, so that nobody can compute open answers of a few or small cells.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from operator import not_
from typing import Any

from mining.counts import Item
from mining.disclosure.places import without_cells
from mining.disclosure.plain_tables import Questions, counted_places, involved, plain_places
from mining.disclosure.small_cells import SmallCells
from mining.disclosure.study import withhold_study, withhold_weighted
from mining.document.codec import dump
from mining.document.comparisons import compare_classes, compare_groups
from mining.document.names import Names
from mining.document.numbers import NumberClasses, NumberEstimates, NumberNode, NumberShare
from mining.document.places import PlaceNode
from mining.document.report import Cell, Estimate, GroupRow, GroupTable, GroupTest, Items, Report, Weighted
from privacy.designs.design import UNDERSTOOD
from privacy.kinds.place.law import PlaceLaw
from privacy.kinds.place.mined import PlaceItemsSection


@dataclass(frozen=True)
class Verdict:
    """What may be told of a run beside all that was told before.

    `small`: the tables of the disguised records. Of the plain answers of people who chose no disguise nothing is told
    but those of `open_questions`. `margins`: the questions of the margins that shares are weighted to. `hidden_cells`:
    by place the cells that are withheld; nothing is told of a place that is not there.
    """

    naming: Names
    small: SmallCells
    open_questions: frozenset[int]
    margins: Questions = ()
    hidden_cells: Mapping[str, Collection[int]] = field(default_factory=dict)

    @cached_property
    def _plain(self) -> frozenset[int]:
        return frozenset(plain_places(self.naming.design))

    @cached_property
    def _cells(self) -> frozenset[int]:
        """The places some of whose cells lie outside."""
        return frozenset(counted_places(self.naming.design)) - self._plain

    def allows(self, names: Items) -> bool:
        """Whether numbers about these answers together may be published."""
        items = [self.naming.item(name) for name in names]
        plain = (item for item in items if item[0] in self._plain)
        return all(self.small.may_show(*item) for item in plain) and self._may_tell(items)

    def _may_tell(self, items: Collection[Item]) -> bool:
        places = [index for index, _code in items]
        outside = (item for item in items if item[0] in self._cells)
        return self.may_tell_of(places) and all(self.small.may_show(*item) for item in outside)

    def may_tell_of(self, places: Collection[int]) -> bool:
        """Whether numbers about these questions may be published, of the classes that are not withheld."""
        questions = involved(self.naming.design, places)
        return self.small.may_tell_shown(places) and self.small.is_safe(questions)

    def allows_tables_of(self, questions: Iterable[int]) -> bool:
        """Whether the table of these questions may be published with no class withheld: numbers that are made of all of
        its counts tell each of them."""
        table = involved(self.naming.design, questions)
        return not any(self.small.hidden.get(index) for index in table) and self.small.is_safe(table)

    def allows_comparison(self, item: str) -> bool:
        """Whether this answer of those who answered openly and of the others may be published."""
        index, _code = self.naming.item(item)
        is_told = index in self.open_questions or not self.naming.design.questions[index].withheld_if_open
        return is_told and self.allows((item,))

    def allows_number(self, question: str) -> bool:
        return self._may_tell([(self.naming.place(question), 0)])

    def told_classes(self, question: str, by: str) -> list[int]:
        """The classes of the plain question `by` in which numbers of this question may be published."""
        number, index = self.naming.place(question), self.naming.place(by)
        if not self._may_tell([(index, 0), (number, 0)]):
            return []
        codes = range(self.naming.design.questions[index].codes)
        return [code for code in codes if self.small.may_show(index, code)]

    def law(self, place: str) -> PlaceLaw:
        sections = (one for one in self.naming.design.sections if isinstance(one, PlaceItemsSection))
        return next(section.law for section in sections if section.questions[0].name == place)

    def counts_cells(self, name: str) -> bool:
        """Whether this is said of a place some of whose cells lie outside its regions."""
        return self.naming.item(name)[0] in self._cells

    def is_plain(self, name: str) -> bool:
        return self.naming.item(name)[0] in self._plain


def withhold(report: Report, verdict: Verdict) -> Report:
    """The itemsets and rules that are left keep their order; where one is missing is told by its place in the run."""
    itemsets = [verdict.allows(one.items) for one in report.itemsets]
    rules = [verdict.allows(rule.items) for rule in report.rules]
    kept = tuple(_itemset(one, whole=all(itemsets)) for one in compress(report.itemsets, itemsets))
    listed = {frozenset(one.items) for one in kept}
    shares = tuple(withhold_answer(one, verdict) for one in report.shares)
    return Report(
        about=report.about,
        shares=shares,
        compared=_compared(report.compared, verdict),
        groups=tuple(withhold_groups(table, verdict) for table in report.groups),
        itemsets=kept,
        pairs=tuple(pair for pair in report.pairs if frozenset(pair.items) in listed),
        rules=tuple(compress(report.rules, rules)),
        left_out=report.left_out,
        withheld_rules=tuple(rule.number - 1 for rule in compress(report.rules, map(not_, rules))),
        withheld_itemsets=tuple(_places(compress(report.itemsets, map(not_, itemsets)))),
        numbers=tuple(withhold_number(number, verdict) for number in report.numbers),
        places=tuple(withhold_place(place, verdict) for place in report.places),
        study=withhold_study(report.study, verdict),
        weighted=_weighted(report.weighted, shares, verdict),
    )


def withhold_answer(share: Estimate, verdict: Verdict) -> Estimate:
    """A single answer, without numbers where it has no estimate or too few people gave it.

    Received and estimated shares tell their base. So where a rule may hide the question, it is told with its base or
    not at all.
    """
    if share.support is not None and verdict.allows(share.items):
        return replace(share, place=None)
    return Estimate(share.items, disguised_only=share.disguised_only)


def _itemset(itemset: Estimate, *, whole: bool) -> Estimate:
    """Coherent supports fit the withheld itemsets, too."""
    return replace(itemset, place=None, coherent=itemset.coherent if whole else None)


def _places(itemsets: Iterable[Estimate]) -> Iterator[int]:
    return (one.place for one in itemsets if one.place is not None)


def _compared(tests: Iterable[GroupTest], verdict: Verdict) -> tuple[GroupTest, ...]:
    """p is Holm's over the answers that are told."""
    told = compare_groups(one for one in tests if verdict.allows_comparison(one.item))
    return tuple(replace(one, p_alone=None) for one in told)


def withhold_groups(table: GroupTable, verdict: Verdict) -> GroupTable:
    """Shares by group, without the numbers of small classes; p is of the shares that are told."""

    def told(row: GroupRow) -> GroupRow:
        cells = zip(table.classes, row.cells, strict=True)
        return replace(
            row,
            cells=tuple(
                cell
                if cell.share is not None and verdict.allows((class_item, row.item))
                else Cell(disguised_only=cell.disguised_only)
                for class_item, cell in cells
            ),
        )

    compared = compare_classes(replace(table, rows=tuple(map(told, table.rows))))
    return replace(compared, rows=tuple(map(_without_moments, compared.rows)))


def _without_moments(row: GroupRow) -> GroupRow:
    return replace(row, cells=tuple(replace(cell, second=None, slope=None) for cell in row.cells))


def withhold_number(number: NumberNode, verdict: Verdict) -> NumberNode:
    """Without the estimates where the base would tell too much: all of them are of those shown the number."""
    classes = {
        group.question: verdict.told_classes(number.question, group.question) for group in number.groups
    }
    return told_number(number, everybody=verdict.allows_number(number.question), classes=classes)


def told_number(node: NumberNode, *, everybody: bool, classes: Mapping[str, Collection[int]]) -> NumberNode:
    """`everybody`: whether the estimates of all may be told; `classes`: by plain question the classes whose may be."""
    of_all = _told(node.all_records) if everybody else node.all_records.withheld
    return replace(
        node,
        all_records=of_all,
        truth=None if of_all.n_asked is None else node.truth,
        groups=tuple(_told_classes(group, classes[group.question]) for group in node.groups),
    )


def _told_classes(group: NumberClasses, told: Collection[int]) -> NumberClasses:
    rows = enumerate(group.classes)
    return replace(group, classes=tuple(_told(one) if code in told else one.withheld for code, one in rows))


def _told(estimates: NumberEstimates) -> NumberEstimates:
    """Without the counts of what has no estimate."""
    if not estimates.is_known:
        return estimates.withheld
    return replace(estimates, shares=_estimated(estimates.shares), classes=_estimated(estimates.classes))


def _estimated(shares: tuple[NumberShare, ...]) -> tuple[NumberShare, ...]:
    return tuple(one if one.share is not None else replace(one, n_asked=None) for one in shares)


def withhold_place(place: PlaceNode, verdict: Verdict) -> PlaceNode:
    """Without the cells of withheld regions, and without small cells outside."""
    return without_cells(place, verdict.law(place.question), verdict.hidden_cells.get(place.question))


def _weighted(weighted: Weighted | None, told: Iterable[Estimate], verdict: Verdict) -> Weighted | None:
    if weighted is None or not verdict.margins:
        return None
    names = [share.items[0] for share in told if share.support is not None]
    return withhold_weighted(weighted, names, verdict.margins, verdict)


def told_tables(report: Report, verdict: Verdict) -> dict[str, Any]:
    """What a publication tells of plain answers, as the ledger stores it: the counts of all tables of the run, the
    classes that are withheld, and of which questions together numbers are told."""
    naming = verdict.naming
    told = {involved(naming.design, questions) for questions in _questions_told(report, verdict)}
    return as_told(verdict.small, told, verdict.open_questions)


def _questions_told(report: Report, verdict: Verdict) -> Iterator[list[int]]:
    naming = verdict.naming
    names: list[Items] = [one.items for one in (*report.shares, *report.itemsets) if one.support is not None]
    names += [rule.items for rule in report.rules]
    names += [
        (class_item, row.item)
        for table in report.groups
        for row in table.rows
        for class_item, cell in zip(table.classes, row.cells, strict=True)
        if cell.share is not None
    ]
    for items in names:
        yield [naming.item(name)[0] for name in items]
    for number in report.numbers:
        if number.all_records.n_asked is not None:
            yield [naming.place(number.question)]
        for group in number.groups:
            if any(estimates.n_asked is not None for estimates in group.classes):
                yield [naming.place(number.question), naming.place(group.question)]
    for place in report.places:
        yield [naming.place(place.question)]
    if check := report.study.understanding:
        for counts in check.counts:
            if counts.n is not None:
                yield [
                    naming.place(UNDERSTOOD),
                    *([naming.place(counts.question)] if counts.question else []),
                ]
        for difference in check.items:
            yield [naming.place(UNDERSTOOD), naming.item(difference.item)[0]]
    if report.weighted:
        for share in report.weighted.shares:
            yield [naming.item(share.item)[0], *verdict.margins]


def as_told(small: SmallCells, told: Iterable[Questions], of_open: Iterable[int] = ()) -> dict[str, Any]:
    """`Disclosure.tables`; the table of no question is the number of records."""
    return {
        "hidden": {str(index): sorted(states) for index, states in small.hidden.items()},
        "tables": [*map(dump, small.tables.values())],
        "told": sorted(map(list, {(), *told})),
        "open": sorted(of_open),
    }
