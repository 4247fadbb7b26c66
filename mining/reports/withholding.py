"""Withholding: what a publication leaves out, so that nobody can compute open answers of a few or small cells."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from operator import not_
from typing import Any

from mining.disclosure.plain_tables import PlainTable, involved, plain_places
from mining.disclosure.small_cells import EarlierPublication, SmallCells, Tables
from mining.models import Run
from mining.reports.content import Cell, Content, Estimate, Groups, Items, ReportedRule
from mining.reports.models import Publication
from mining.reports.naming import Naming
from privacy.designs import Design

NOT_SHOWN: dict[str, Any] = {"shown": None, "share_shown": None, "low_shown": None, "high_shown": None}
NOTHING: dict[str, Any] = {
    **NOT_SHOWN,
    **dict.fromkeys(("base", "opened", "observed", "support", "se", "low", "high", "pooled", "expected_w")),
    **dict.fromkeys(("forged_low", "forged_high", "truth")),
}


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

    def allows(self, names: Items) -> bool:
        """Whether numbers about these answers together may be published."""
        items = [self.naming.item(name) for name in names]
        plain = [(place, code) for place, code in items if place in self._plain]
        small = self._of(bool(plain), len(plain) < len(items))
        if not all(small.may_show(*item) for item in plain):
            return False
        return self._may_tell(small, items)

    def _may_tell(self, small: SmallCells, items: Sequence[tuple[int, int]]) -> bool:
        places = [place for place, _code in items]
        return small.may_tell_shown(places) and small.is_safe(involved(self.design, places))

    def _of(self, has_plain: bool, has_sensitive: bool) -> SmallCells:
        """The cells of the records that estimates of such answers use."""
        alone = has_plain or bool(self.run.findings.get("alone"))
        return self.disguised if has_sensitive and alone else self.everybody

    def answer(self, share: Estimate) -> Estimate:
        """A single answer, without numbers where it has no estimate or too few people gave it."""
        place, code = self.naming.item(share.items[0])
        if share.support is None or (place in self._plain and not self.everybody.may_show(place, code)):
            return replace(share, **NOTHING)
        small = self._of(has_plain=False, has_sensitive=place not in self._plain)
        is_routed = bool(self.design.questions[place].show_if)
        if is_routed and not self._may_tell(small, [(place, code)]):
            return replace(share, **NOT_SHOWN)
        return share

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
            return Cell(base=None, share=None, low=None, high=None)
        asked = self.naming.item(item)
        is_routed = bool(self.design.questions[asked[0]].show_if)
        if is_routed and not self._may_tell(self.disguised, [self.naming.item(of), asked]):
            return replace(cell, **NOT_SHOWN)
        return cell

    def content(self, found: Content, itemset_places: Sequence[int]) -> Content:
        """`itemset_places` are those of the content's itemsets, in order."""
        itemsets = [self.allows(one.items) for one in found.itemsets]
        rules = [self.allows_rule(rule) for rule in found.rules]
        allowed = {frozenset(one.items) for one in compress(found.itemsets, itemsets)}
        return replace(
            found,
            shares=tuple(map(self.answer, found.shares)),
            groups=tuple(map(self.table, found.groups)),
            itemsets=tuple(compress(found.itemsets, itemsets)),
            pairs=tuple(pair for pair in found.pairs if frozenset(pair.items) in allowed),
            rules=tuple(compress(found.rules, rules)),
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


UNIVERSES = {False: "everybody", True: "disguised"}


def hidden_by(publication: Publication) -> dict[str, dict[str, list[int]]]:
    """The plain classes that a publication withheld, by universe; empty before mining 5."""
    found: dict[str, dict[str, list[int]]] = publication.content.get("hidden_classes") or {}
    return found


def tables_of(run: Run) -> Tables:
    """The plain tables of a run, by their questions; empty before mining 5."""
    tables = map(PlainTable.from_json, run.findings.get("plain_tables") or [])
    return {table.questions: table for table in tables}
