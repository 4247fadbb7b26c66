"""The nodes of a run without the numbers that may not be told.

Each node loses its own numbers alone: what joins several, a test of many answers or the list of rules, is computed of
what may be told from the start.
"""

from collections.abc import Collection
from dataclasses import replace

from mining.disclosure.places import without_cells
from mining.disclosure.verdict import Verdict
from mining.document.comparisons import compare_classes
from mining.document.names import Names
from mining.document.numbers import NumberClasses, NumberEstimates, NumberNode, NumberShare
from mining.document.places import PlaceNode
from mining.document.report import Cell, Estimate, GroupRow, GroupTable
from privacy.kinds.place.law import PlaceLaw
from privacy.kinds.place.mined import PlaceItemsSection


def withhold_answer(share: Estimate, names: Names, verdict: Verdict) -> Estimate:
    """A single answer, without numbers where it has no estimate or too few people gave it.

    Received and estimated shares tell their base. So where a rule may hide the question, it is told with its base or
    not at all.
    """
    if share.support is not None and verdict.allows(map(names.item, share.items)):
        return share
    return Estimate(share.items, disguised_only=share.disguised_only)


def withhold_groups(table: GroupTable, names: Names, verdict: Verdict) -> GroupTable:
    """Shares by group that are not compared yet, without the numbers of small classes; compares those that are told."""

    def told(row: GroupRow) -> GroupRow:
        cells = zip(table.classes, row.cells, strict=True)
        return replace(
            row,
            cells=tuple(
                cell
                if cell.share is not None and verdict.allows(map(names.item, (class_item, row.item)))
                else Cell(disguised_only=cell.disguised_only)
                for class_item, cell in cells
            ),
        )

    compared = compare_classes(replace(table, rows=tuple(map(told, table.rows))))
    return replace(compared, rows=tuple(map(_without_moments, compared.rows)), part=None)


def _without_moments(row: GroupRow) -> GroupRow:
    cells = tuple(replace(cell, second=None, slope=None, received=()) for cell in row.cells)
    return replace(row, cells=cells)


def withhold_node(node: NumberNode | PlaceNode, names: Names, verdict: Verdict) -> NumberNode | PlaceNode:
    """A number or a place."""
    withhold = withhold_number if isinstance(node, NumberNode) else withhold_place
    return withhold(node, names, verdict)  # type: ignore[arg-type]


def withhold_number(node: NumberNode, names: Names, verdict: Verdict) -> NumberNode:
    """Without the estimates where the base would tell too much: all of them are of those shown the number."""
    number = names.place(node.question)

    def told_classes(classes: NumberClasses) -> NumberClasses:
        by = names.place(classes.question)
        is_told = verdict.may_tell([by, number])
        rows = enumerate(classes.classes)
        return replace(
            classes,
            classes=tuple(
                _estimated(one) if is_told and verdict.may_show((by, code)) else one.withheld
                for code, one in rows
            ),
        )

    of_all = node.all_records
    return replace(
        node,
        all_records=_estimated(of_all) if verdict.may_tell([number]) else of_all.withheld,
        groups=tuple(map(told_classes, node.groups)),
    )


def _estimated(estimates: NumberEstimates) -> NumberEstimates:
    """Without the counts of what has no estimate."""
    if not estimates.is_known:
        return estimates.withheld
    return replace(
        estimates, shares=_estimated_shares(estimates.shares), classes=_estimated_shares(estimates.classes)
    )


def _estimated_shares(shares: tuple[NumberShare, ...]) -> tuple[NumberShare, ...]:
    return tuple(one if one.share is not None else replace(one, n_asked=None) for one in shares)


def withhold_place(node: PlaceNode, names: Names, verdict: Verdict) -> PlaceNode:
    """Without the cells of withheld regions, and without small cells outside."""
    place = names.place(node.question)
    law = place_law(names, node.question)
    return without_cells(node, law, _hidden_cells(law, place, verdict))


def _hidden_cells(law: PlaceLaw, place: int, verdict: Verdict) -> Collection[int] | None:
    """By number; None where nothing is told of the place."""
    if not verdict.may_tell([place]):
        return None
    regions = verdict.hidden.get(place, frozenset())
    hidden = {cell for region, cells in enumerate(law.regions) if region in regions for cell in cells}
    if len(law.regions) in regions:
        return hidden | {*law.outside}
    if place in verdict.cells:
        hidden |= {
            cell
            for cell, is_hidden in zip(law.outside, verdict.cells[place].hidden, strict=True)
            if is_hidden
        }
    return hidden


def place_law(names: Names, question: str) -> PlaceLaw:
    sections = (one for one in names.design.sections if isinstance(one, PlaceItemsSection))
    return next(section.law for section in sections if section.questions[0].name == question)
