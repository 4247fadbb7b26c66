"""Withholding: what a publication leaves out, so that nobody can compute open answers of a few or small cells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from operator import not_
from typing import Any

from mining.counts import Item
from mining.disclosure.plain_tables import counted_places, involved, plain_places
from mining.disclosure.small_cells import EarlierPublication, SmallCells
from mining.numbers.finding import NumberClasses, NumberEstimates, NumberFinding
from privacy.designs import Design
from privacy.kinds.place.mined import PlaceItemsSection
from reports.content import Cell, Content, Estimate, GroupComparison, Groups, Items, ReportedRule
from reports.models import Publication
from reports.naming import Naming
from reports.places.reported import ReportedPlace, places_asked
from reports.places.withheld import MapWithholding, without_cells
from reports.plain_counts import tables_of
from runs.models import Run

NOT_SHOWN: dict[str, Any] = {"shown": None, "share_shown": None, "low_shown": None, "high_shown": None}
NOTHING: dict[str, Any] = {
    **NOT_SHOWN,
    **dict.fromkeys(("base", "opened", "observed", "support", "se", "low", "high", "pooled", "expected_w")),
    **dict.fromkeys(("forged_low", "forged_high", "truth")),
}
NO_CELL = Cell(base=None, share=None, low=None, high=None)
UNMINED = "number"
"""The form of a number in the mined design that has no items there."""
NO_NUMBERS = NumberEstimates(base=None, opened=None)


@dataclass(frozen=True)
class Withholding:
    """Decides what of a run may be published after the `earlier` publications of the survey."""

    run: Run
    earlier: Sequence[Publication]
    naming: Naming

    @property
    def design(self) -> Design:
        return self.naming.design

    @cached_property
    def everybody(self) -> SmallCells:
        return self._small(disguised=False)

    @cached_property
    def disguised(self) -> SmallCells:
        return self._small(disguised=True)

    @cached_property
    def _plain(self) -> frozenset[int]:
        return frozenset(plain_places(self.design))

    def _small(self, *, disguised: bool) -> SmallCells:
        universe = UNIVERSES[disguised]
        earlier = [
            EarlierPublication(
                tables_of(one.run),
                {int(place): frozenset(states) for place, states in hidden_by(one).get(universe, {}).items()},
                same=one.run.through == self.run.through,
            )
            for one in self.earlier
        ]
        return SmallCells(self.design, tables_of(self.run), earlier, disguised)

    @cached_property
    def _counted(self) -> frozenset[int]:
        """The plain questions, and the places some of whose cells lie outside."""
        return frozenset(counted_places(self.design))

    def allows(self, names: Items) -> bool:
        """Whether numbers about these answers together may be published."""
        items = [self.naming.item(name) for name in names]
        plain = [(place, code) for place, code in items if place in self._plain]
        small = self._of(bool(plain), len(plain) < len(items))
        if not all(small.may_show(*item) for item in plain):
            return False
        return self._may_tell(small, items) and self._places_may_tell(small, items)

    def allows_disguised(self, names: Items) -> bool:
        """Whether numbers about these plain answers may be published of the disguised records alone."""
        items = [self.naming.item(name) for name in names]
        return all(self.disguised.may_show(*item) for item in items) and self._may_tell(self.disguised, items)

    def is_plain(self, name: str) -> bool:
        return self.naming.item(name)[0] in self._plain

    def counts_cells(self, name: str) -> bool:
        """Whether this is said of a place some of whose cells lie outside its regions."""
        return self.naming.item(name)[0] in self._counted - self._plain

    def _places_may_tell(self, small: SmallCells, items: Sequence[Item]) -> bool:
        """Whether what these answers say of places may be published: both of everybody and of the disguised.

        Estimates weigh the open records otherwise than the disguised ones, so that both can be computed.
        """
        places = [item for item in items if item[0] in self._counted - self._plain]
        if not places:
            return True
        of = involved(self.design, [place for place, _code in items])
        return all(
            one.is_safe(of) and all(one.may_show(*item) for item in places)
            for one in {id(one): one for one in (small, self.disguised)}.values()
        )

    def _may_tell(self, small: SmallCells, items: Sequence[tuple[int, int]]) -> bool:
        places = [place for place, _code in items]
        tells = small.may_tell_shown(places) and small.is_safe(involved(self.design, places))
        if not small.disguised and any(map(self._is_hidden_number, places)):
            # The base is those shown the number. How many of them answered openly is published too, and follows from
            # the observed share, the estimates and their errors; so the disguised ones among them are known.
            return tells and self._may_tell(self.disguised, items)
        return tells

    def _is_hidden_number(self, place: int) -> bool:
        """Or a place."""
        question = self.design.questions[place]
        return self._is_routed(place) and (question.asked_if_shown or question.form == UNMINED)

    def _of(self, has_plain: bool, has_sensitive: bool) -> SmallCells:
        """The cells of the records that estimates of such answers use."""
        alone = has_plain or self.run.findings["alone"]
        return self.disguised if has_sensitive and alone else self.everybody

    def answer(self, share: Estimate) -> Estimate:
        """A single answer, without numbers where it has no estimate or too few people gave it."""
        place, code = self.naming.item(share.items[0])
        if share.support is None or (place in self._plain and not self.everybody.may_show(place, code)):
            return replace(share, **NOTHING)
        small = self._of(has_plain=False, has_sensitive=place not in self._plain)
        if self._is_routed(place) and not self._may_tell(small, [(place, code)]):
            # The thresholds of a hidden number are not asked, so the base tells how many were shown it.
            return replace(share, **(NOTHING if self.naming.is_asked_if_shown(share.items[0]) else NOT_SHOWN))
        return share if self._places_may_tell(small, [(place, code)]) else replace(share, **NOTHING)

    def compared(self, found: GroupComparison) -> bool:
        """Whether this answer of those who answered openly and of the others may be published."""
        item = self.naming.item(found.item)
        return item[0] not in self._counted or self._places_may_tell(self.everybody, [item])

    def table(self, table: Groups) -> Groups:
        """Shares by group, which use the disguised records alone, without the numbers of small classes."""
        rows = tuple(
            replace(
                row,
                cells=tuple(
                    self._cell(of, row.item, cell) for of, cell in zip(table.classes, row.cells, strict=True)
                ),
            )
            for row in table.rows
        )
        return replace(table, rows=rows)

    def _cell(self, of: str, item: str, cell: Cell) -> Cell:
        if cell.share is None or not self.disguised.may_show(*self.naming.item(of)):
            return NO_CELL
        asked = self.naming.item(item)
        if self._is_routed(asked[0]) and not self._may_tell(self.disguised, [self.naming.item(of), asked]):
            return NO_CELL if self.naming.is_asked_if_shown(item) else replace(cell, **NOT_SHOWN)
        return cell if self._places_may_tell(self.disguised, [self.naming.item(of), asked]) else NO_CELL

    def number(self, found: NumberFinding) -> NumberFinding:
        """Without the estimates where the base would tell too much: all of them are of those shown the number."""
        place = self.naming.place(found.question)
        small = self._of(has_plain=False, has_sensitive=True)
        may_tell = not self._is_routed(place) or self._may_tell(small, [(place, 0)])
        everybody = estimated(found.everybody) if may_tell else NO_NUMBERS
        return replace(
            found,
            everybody=everybody,
            truth=None if everybody == NO_NUMBERS else found.truth,
            groups=tuple(replace(of, classes=tuple(self._classes(of, place))) for of in found.groups),
        )

    def _classes(self, of: NumberClasses, number: int) -> Iterator[NumberEstimates]:
        """Of the disguised records alone, as shares by group."""
        question = self.naming.place(of.question)
        may_tell = not self._is_routed(number) or self._may_tell(self.disguised, [(question, 0), (number, 0)])
        for code, found in enumerate(of.classes):
            may_show = may_tell and self.disguised.may_show(question, code)
            yield estimated(found) if may_show else NO_NUMBERS

    def place(self, found: ReportedPlace) -> ReportedPlace:
        """Without the cells of withheld regions, and without small cells outside."""
        place = self.naming.place(found.question)
        small = self._of(has_plain=False, has_sensitive=True)
        if self._is_routed(place) and not self._may_tell(small, [(place, 0)]):
            return without_cells(found)
        universes = (small, self.disguised)
        if place in self._counted and not all(
            one.is_safe(involved(self.design, [place])) for one in universes
        ):
            return without_cells(found)
        regions = frozenset[int]().union(*(one.hidden.get(place, frozenset()) for one in universes))
        law = self._sections[found.question].law
        return MapWithholding(self.run, self.earlier, law, place).allowed(found, regions)

    @cached_property
    def _sections(self) -> dict[str, PlaceItemsSection]:
        return places_asked(self.design)

    def _is_routed(self, place: int) -> bool:
        return bool(self.design.questions[place].show_if)

    def content(self, found: Content, itemset_places: Sequence[int]) -> Content:
        """`itemset_places` are those of the content's itemsets, in order."""
        itemsets = [self.allows(one.items) for one in found.itemsets]
        rules = [self.allows_rule(rule) for rule in found.rules]
        allowed = {frozenset(one.items) for one in compress(found.itemsets, itemsets)}
        return replace(
            found,
            shares=tuple(map(self.answer, found.shares)),
            compared=tuple(filter(self.compared, found.compared)),
            groups=tuple(map(self.table, found.groups)),
            itemsets=tuple(compress(found.itemsets, itemsets)),
            pairs=tuple(pair for pair in found.pairs if frozenset(pair.items) in allowed),
            rules=tuple(compress(found.rules, rules)),
            numbers=tuple(map(self.number, found.numbers)),
            places=tuple(map(self.place, found.places)),
            hidden_classes={
                UNIVERSES[small.disguised]: {
                    str(place): sorted(states) for place, states in small.hidden.items()
                }
                for small in (self.everybody, self.disguised)
            },
            withheld_rules=tuple(rule.number - 1 for rule in compress(found.rules, map(not_, rules))),
            withheld_itemsets=tuple(
                place for place, is_allowed in zip(itemset_places, itemsets, strict=True) if not is_allowed
            ),
        )

    def allows_rule(self, rule: ReportedRule) -> bool:
        return self.allows(rule.items)


def estimated(found: NumberEstimates) -> NumberEstimates:
    """Without the counts of what has no estimate."""
    shares = tuple(one if one.share is not None else replace(one, base=None) for one in found.shares)
    return replace(found, shares=shares) if is_known(found) else NO_NUMBERS


def is_known(found: NumberEstimates) -> bool:
    """Whether anything is estimated."""
    return bool(found.mean or found.distribution or any(one.share is not None for one in found.shares))


UNIVERSES = {False: "everybody", True: "disguised"}


def hidden_by(publication: Publication) -> dict[str, dict[str, list[int]]]:
    """The plain classes that a publication withheld, by universe."""
    found: dict[str, dict[str, list[int]]] = publication.content["hidden_classes"]
    return found
