"""Withholding: what a publication leaves out, so that nobody can compute open answers of a few or small cells."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from operator import not_
from typing import Any

from intake.disclosure import ledger, open_choice
from intake.disclosure.canonical import hidden_in
from intake.disclosure.models import Disclosure, Door, Population
from intake.disclosure.records import finishing_of, is_ledgered
from mining.counts import Item
from mining.disclosure.open_tables import told_questions
from mining.disclosure.plain_tables import PlainTable, Questions, counted_places, involved, plain_places
from mining.disclosure.small_cells import EarlierPublication, SmallCells, Tables
from mining.document.weighted import Weighted
from mining.kinds.number.finding import NumberClasses, NumberEstimates, NumberFinding
from mining.studies.weights import margin_questions
from privacy.designs import Design
from privacy.kinds.place.mined import PlaceItemsSection
from reports.build_content import compared, compared_in
from reports.content import Cell, Content, Estimate, GroupComparison, Groups, Items, ReportedRule
from reports.kinds.place.reported import ReportedPlace, places_asked
from reports.kinds.place.withheld import MapWithholding, without_cells
from reports.naming import Naming
from reports.plain_counts import tables_of
from runs.models import Run
from runs.weighting import margins_of

NOT_SHOWN: dict[str, Any] = {"shown": None, "share_shown": None, "low_shown": None, "high_shown": None}
NOTHING: dict[str, Any] = {
    **NOT_SHOWN,
    **dict.fromkeys(("base", "opened", "observed", "support", "se", "low", "high", "pooled", "expected_w")),
    **dict.fromkeys(("forged_low", "forged_high", "truth")),
}
NO_CELL = Cell(base=None, share=None, low=None, high=None)
NO_NUMBERS = NumberEstimates(base=None, opened=None)


@dataclass(frozen=True)
class Withholding:
    """Decides what of a run may be published after the `earlier` reports and models of the survey."""

    run: Run
    earlier: Sequence[Disclosure]
    naming: Naming
    more: Mapping[int, PlainTable] = field(default_factory=dict)
    """By last batch a table that runs have not stored."""

    @property
    def design(self) -> Design:
        return self.naming.design

    @cached_property
    def small(self) -> SmallCells:
        """The tables of the disguised records: nothing is told of the plain answers of others but `open_questions`."""
        last = self.run.through
        earlier = [
            EarlierPublication(
                self._with_more(tables_told(one), one.last_batch), hidden_in(one), same=one.last_batch == last
            )
            for one in self.earlier
        ]
        return SmallCells(self.design, self._with_more(tables_of(self.run), last), earlier)

    def _with_more(self, tables: Tables, last_batch: int) -> Tables:
        table = self.more.get(last_batch)
        return {**tables, table.questions: table} if table else tables

    @cached_property
    def _plain(self) -> frozenset[int]:
        return frozenset(plain_places(self.design))

    @cached_property
    def _counted(self) -> frozenset[int]:
        """The plain questions, and the places some of whose cells lie outside."""
        return frozenset(counted_places(self.design))

    @cached_property
    def open_questions(self) -> frozenset[int]:
        """The plain questions that may be told of people who chose no disguise."""
        if not is_ledgered(self.run.survey):
            return self._plain
        if self.run.population != Population.USED or not self.run.content.has_group_open:
            return frozenset()
        tables = open_choice.tables_of(finishing_of(self.run.survey).kept)
        return told_questions(self.design, tables, self.small.hidden)

    def allows(self, names: Items) -> bool:
        """Whether numbers about these answers together may be published."""
        items = [self.naming.item(name) for name in names]
        plain = [(place, code) for place, code in items if place in self._plain]
        if not all(self.small.may_show(*item) for item in plain):
            return False
        return self._may_tell(items)

    def allows_tables_of(self, questions: Iterable[int]) -> bool:
        """Whether the table of these questions may be published with no class withheld: numbers that are made of all of
        its counts tell each of them."""
        of = involved(self.design, questions)
        return not any(self.small.hidden.get(place) for place in of) and self.small.is_safe(of)

    def counts_cells(self, name: str) -> bool:
        """Whether this is said of a place some of whose cells lie outside its regions."""
        return self.naming.item(name)[0] in self._counted - self._plain

    def is_plain(self, name: str) -> bool:
        return self.naming.item(name)[0] in self._plain

    def _may_tell(self, items: Sequence[Item]) -> bool:
        places = [place for place, _code in items]
        of = involved(self.design, places)
        outside = (item for item in items if item[0] in self._counted - self._plain)
        return (
            self.small.may_tell_shown(places)
            and self.small.is_safe(of)
            and all(self.small.may_show(*item) for item in outside)
        )

    def answer(self, share: Estimate) -> Estimate:
        """A single answer, without numbers where it has no estimate or too few people gave it.

        Received and estimated shares tell their base. So where a rule may hide the question, it is told with its base
        or not at all.
        """
        return share if share.support is not None and self.allows(share.items) else replace(share, **NOTHING)

    def compares(self, found: GroupComparison) -> bool:
        """Whether this answer of those who answered openly and of the others may be published."""
        place, _code = self.naming.item(found.item)
        is_told = place in self.open_questions or not self.design.questions[place].withheld_if_open
        return is_told and self.allows((found.item,))

    def table(self, table: Groups) -> Groups:
        """Shares by group, without the numbers of small classes; p is of the shares that are told."""
        rows = tuple(
            replace(
                row,
                cells=tuple(
                    self._cell(of, row.item, cell) for of, cell in zip(table.classes, row.cells, strict=True)
                ),
            )
            for row in table.rows
        )
        question = self.naming.place(table.question)
        found = next(of for of in self.run.findings["groups"] if of["question"] == question)
        return compared_in(replace(table, rows=rows), found)

    def _cell(self, of: str, item: str, cell: Cell) -> Cell:
        return cell if cell.share is not None and self.allows((of, item)) else NO_CELL

    def number(self, found: NumberFinding) -> NumberFinding:
        """Without the estimates where the base would tell too much: all of them are of those shown the number."""
        place = self.naming.place(found.question)
        everybody = estimated(found.everybody) if self._may_tell([(place, 0)]) else NO_NUMBERS
        return replace(
            found,
            everybody=everybody,
            truth=None if everybody == NO_NUMBERS else found.truth,
            groups=tuple(replace(of, classes=tuple(self._classes(of, place))) for of in found.groups),
        )

    def _classes(self, of: NumberClasses, number: int) -> Iterator[NumberEstimates]:
        """Of the disguised records alone, as shares by group."""
        question = self.naming.place(of.question)
        may_tell = self._may_tell([(question, 0), (number, 0)])
        for code, found in enumerate(of.classes):
            may_show = may_tell and self.small.may_show(question, code)
            yield estimated(found) if may_show else NO_NUMBERS

    def place(self, found: ReportedPlace) -> ReportedPlace:
        """Without the cells of withheld regions, and without small cells outside."""
        place = self.naming.place(found.question)
        if not (self.small.may_tell_shown([place]) and self.small.is_safe(involved(self.design, [place]))):
            return without_cells(found)
        law = self._sections[found.question].law
        hidden = self.small.hidden.get(place, frozenset())
        return MapWithholding(self.run, law, place).allowed(found, hidden)

    @cached_property
    def _sections(self) -> dict[str, PlaceItemsSection]:
        return places_asked(self.design)

    def weighted(self, found: Weighted | None, told: Sequence[Estimate]) -> Weighted | None:
        """Exact weighted shares tell each count of the margins' table."""
        if found is None or not self.run.margins:
            return None
        questions = margin_questions(margins_of(self.run.margins, self.design))
        names = [one.items[0] for one in told if one.support is not None]
        allowed = [name for name in names if self.allows_tables_of([self.naming.item(name)[0], *questions])]
        shares = tuple(one for one in found.shares if one.item in allowed)
        return replace(found, shares=shares) if allowed else None

    def content(self, found: Content, itemset_places: Sequence[int]) -> Content:
        """`itemset_places` are those of the content's itemsets, in order."""
        itemsets = [self.allows(one.items) for one in found.itemsets]
        rules = [self.allows_rule(rule) for rule in found.rules]
        allowed = list(compress(found.itemsets, itemsets))
        if not all(itemsets):
            # Coherent supports fit the withheld itemsets, too.
            allowed = [replace(one, coherent=None) for one in allowed]
        names = {frozenset(one.items) for one in allowed}
        shares = tuple(map(self.answer, found.shares))
        return replace(
            found,
            shares=shares,
            compared=tuple(compared(self.run, self.naming, self.compares)),
            groups=tuple(map(self.table, found.groups)),
            itemsets=tuple(allowed),
            pairs=tuple(pair for pair in found.pairs if frozenset(pair.items) in names),
            rules=tuple(compress(found.rules, rules)),
            numbers=tuple(map(self.number, found.numbers)),
            places=tuple(map(self.place, found.places)),
            weighted=self.weighted(found.weighted, shares),
            withheld_rules=tuple(rule.number - 1 for rule in compress(found.rules, map(not_, rules))),
            withheld_itemsets=tuple(
                place for place, is_allowed in zip(itemset_places, itemsets, strict=True) if not is_allowed
            ),
        )

    def allows_rule(self, rule: ReportedRule) -> bool:
        return self.allows(rule.items)


def estimated(found: NumberEstimates) -> NumberEstimates:
    """Without the counts of what has no estimate."""
    shares, classes = (
        tuple(one if one.share is not None else replace(one, base=None) for one in of)
        for of in (found.shares, found.classes)
    )
    return replace(found, shares=shares, classes=classes) if is_known(found) else NO_NUMBERS


def is_known(found: NumberEstimates) -> bool:
    """Whether anything is estimated."""
    return bool(found.mean or found.distribution or any(one.share is not None for one in found.shares))


def told_tables(found: Content, withholding: Withholding) -> dict[str, Any]:
    """What a publication tells of plain answers, as the ledger stores it: the counts of all tables of the run, the
    classes that are withheld, and of which questions together numbers are told."""
    naming, design = withholding.naming, withholding.design
    names: list[Items] = [one.items for one in (*found.shares, *found.itemsets) if one.support is not None]
    names += [rule.items for rule in found.rules]
    names += [
        (of, row.item)
        for table in found.groups
        for row in table.rows
        for of, cell in zip(table.classes, row.cells, strict=True)
        if cell.share is not None
    ]
    questions = [[naming.item(name)[0] for name in items] for items in names]
    numbers = [one for one in found.numbers if one.everybody != NO_NUMBERS]
    questions += [[naming.place(one.question)] for one in numbers]
    questions += [[naming.place(one.question)] for one in found.places]
    questions += [
        [naming.place(one.question), naming.place(of.question)]
        for one in found.numbers
        for of in one.groups
        if any(estimates != NO_NUMBERS for estimates in of.classes)
    ]
    if found.weighted and withholding.run.margins:
        margins = margin_questions(margins_of(withholding.run.margins, design))
        questions += [[naming.item(one.item)[0], *margins] for one in found.weighted.shares]
    told = {involved(design, of) for of in questions}
    return as_told(withholding.small, told, withholding.open_questions)


def as_told(small: SmallCells, told: Iterable[Questions], of_open: Iterable[int] = ()) -> dict[str, Any]:
    """`Disclosure.tables`; the table of no question is the number of records."""
    return {
        "hidden": {str(place): sorted(states) for place, states in small.hidden.items()},
        "tables": [table.as_json() for table in small.tables.values()],
        "told": sorted(map(list, {(), *told})),
        "open": sorted(of_open),
    }


def tables_told(disclosure: Disclosure) -> Tables:
    tables = map(PlainTable.from_json, disclosure.tables["tables"])
    return {table.questions: table for table in tables}


def earlier_disclosures(run: Run) -> list[Disclosure]:
    """The reports and models that were told before the report of this run, also of withdrawn ones."""
    told = ledger.told(run.survey, Door.REPORT, Door.MODEL)
    return [one for one in told if one.key != f"run {run.pk}"]
