"""Full-domain generalisation: each column as a whole is published at one level of its hierarchy.

*samarati* finds all k-minimal generalisations with minimal required suppression, and chooses one. A
generalisation is k-minimal if it keeps the criteria, leaves out no more records than the
specification allows, and no generalisation below it does so (docs/references.md: samarati-2001;
docs/mathematics.md, Anonymised tables).

*datafly* is the simple baseline (Sweeney, 1998): the column with the most distinct values goes up a level
until few enough records are left out; its result need not be minimal.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.anonymisation_result import AnonymisedTable, outcome_of_kept_records
from privacy.anonymity.criteria_check import views_of_sensitive_columns, violations_in_views
from privacy.anonymity.information_loss import certainty_penalties_by_class
from privacy.anonymity.searches.lattice import Lattice, Levels, build_lattice
from privacy.anonymity.tables.specification import Criteria, DiversityKind, Specification
from privacy.anonymity.tables.table import Table
from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.grammar.json_node import PARTS

Integers = NDArray[np.int64]
Nodes = NDArray[np.bool_]
"""Set of nodes of the generalisation lattice: a Boolean array, an axis per column, an index per level."""
Holds = Callable[[Levels], bool]
MOST_NODES = 100_000


def anonymize_by_samarati(table: Table, specification: Specification) -> AnonymisedTable:
    """Returns the table anonymised by the method *samarati*: generalised as little as the criteria allow.

    Of all k-minimal generalisations it takes that of least loss, then of fewest records left out, then of the first
    level vector.
    """
    lattice = build_lattice(table)
    minimal = minimal_generalisations(lattice, table, specification)
    if not minimal:
        raise no_generalisation()
    suppression = Suppression(table, specification)
    return min(
        (_outcome_at_node(table, lattice, suppression, levels) for levels in minimal),
        key=_loss_and_left_out_count,
    )


def _outcome_at_node(
    table: Table, lattice: Lattice, suppression: "Suppression", levels: Levels
) -> AnonymisedTable:
    """Returns the table anonymised by the generalisation `levels`, without the records left out there."""
    kept = suppression.publishable_records(lattice.classes(levels))
    assert kept is not None
    return outcome_of_kept_records(table, kept, lattice.partition(levels, kept))


def _loss_and_left_out_count(outcome: AnonymisedTable) -> tuple[float, int]:
    """Returns the mean information loss (NCP) of the records, and the number of records left out.

    A record left out has the loss 1.
    """
    by_class = certainty_penalties_by_class(outcome.table, outcome.partition).mean(axis=1)
    shown = float(by_class[outcome.partition.labels].sum())
    return round(
        (shown + outcome.left_out_record_count) / outcome.source.records, 12
    ), outcome.left_out_record_count


def minimal_generalisations(lattice: Lattice, table: Table, specification: Specification) -> list[Levels]:
    """Returns the levels by quasi-identifier of all k-minimal generalisations of a table, in their order."""
    if lattice.size > MOST_NODES:
        raise InputError(
            "quasi_identifiers",
            _(
                "%(count)s generalisations, more than %(most)s: take fewer columns or levels, or another method"
            ),
            count=lattice.size,
            most=MOST_NODES,
        )
    bound, suppression = (
        Suppression(table, monotone_specification(specification)),
        Suppression(table, specification),
    )
    shape = tuple(len(levels) for levels in lattice.domains)
    candidates = find_satisfying_nodes(
        shape, lambda levels: bound.publishable_records(lattice.classes(levels)) is not None
    )
    above, minimal = np.zeros(shape, bool), []
    for levels in sorted(map(tuple, np.argwhere(candidates).tolist()), key=sum):
        kept = None if above[levels] else suppression.publishable_records(lattice.classes(levels))
        if kept is not None:
            minimal.append(levels)
            above[_nodes_above(levels)] = True
    return sorted(minimal)


def find_satisfying_nodes(shape: Levels, holds: Holds) -> Nodes:
    """Finds all nodes of a lattice that satisfy a condition; if a node does, all nodes above it do too.

    `shape`: number of levels of each column. Binary search over the height, along one path after another
    through the undecided nodes.
    """
    satisfied, undecided = np.zeros(shape, bool), np.ones(shape, bool)
    while undecided.any():
        path = _undecided_path(undecided)
        low, high = 0, len(path)  # the paper's search: it holds nowhere below `low`, and from `high` on
        while low < high:
            middle = (low + high) // 2
            if holds(path[middle]):
                high = middle
                satisfied[_nodes_above(path[middle])] = True
                undecided[_nodes_above(path[middle])] = False
            else:
                low = middle + 1
                undecided[_nodes_below(path[middle])] = False
    return satisfied


def _undecided_path(undecided: Nodes) -> list[Levels]:
    """Returns a path upwards through lattice nodes whose condition is not known yet."""
    levels = [int(index) for index in np.unravel_index(np.argmax(undecided), undecided.shape)]
    path, stuck, column = [tuple(levels)], 0, 0
    while stuck < len(levels):
        levels[column] += 1
        if levels[column] < undecided.shape[column] and undecided[tuple(levels)]:
            path.append(tuple(levels))
            stuck = 0
        else:
            levels[column] -= 1
            stuck += 1
        column = (column + 1) % len(levels)
    return path


def _nodes_above(levels: Levels) -> tuple[slice, ...]:
    """Returns slices of the lattice that select a node and all nodes above it."""
    return tuple(slice(level, None) for level in levels)


def _nodes_below(levels: Levels) -> tuple[slice, ...]:
    """Returns slices of the lattice that select a node and all nodes below it."""
    return tuple(slice(level + 1) for level in levels)


def anonymize_by_datafly(table: Table, specification: Specification) -> AnonymisedTable:
    """Anonymises by the method *datafly*: generalises the column with most distinct values, again and again.

    It ends when the criteria are kept. Among columns with equally many values the first one goes up a level.
    """
    lattice, suppression = build_lattice(table), Suppression(table, specification)
    levels = [0] * len(lattice.domains)
    while (kept := suppression.publishable_records(lattice.classes(tuple(levels)))) is None:
        below = [column for column, top in enumerate(lattice.top) if levels[column] < top]
        if not below:
            raise no_generalisation()
        levels[max(below, key=lambda column: lattice.count_shown_nodes(column, levels[column]))] += 1
    return outcome_of_kept_records(table, kept, lattice.partition(tuple(levels), kept))


# --- minimal required suppression
# The records that a generalisation leaves out so that the others keep the criteria.


class Suppression:
    """Leaves out the records of classes that violate a criterion, as far as the specification allows it.

    It begins with the classes that violate a criterion of the class alone. t-closeness and breaches compare with the
    shares of the published records, so they are checked on the rest, round by round until no class violates them.
    """

    def __init__(self, table: Table, specification: Specification) -> None:
        self.most = specification.suppression * table.records // PARTS
        self._criteria = specification.criteria
        self._alone = replace(self._criteria, closeness=None, breach=None)
        self._views = views_of_sensitive_columns(table, specification)

    def publishable_records(self, classes: Integers) -> Integers | None:
        """Returns the indexes of the records that can be published; None if too many would be left out.

        `classes`: the class of each record.
        """
        least, sizes = len(classes) - self.most, np.bincount(classes)
        if int(sizes[sizes >= self._criteria.k].sum()) < least:
            return None
        kept, labels = self._leave_out_violating_classes(np.arange(len(classes)), classes, self._alone)
        while self._alone != self._criteria and len(kept) >= least:
            before = len(kept)
            kept, labels = self._leave_out_violating_classes(kept, labels, self._criteria)
            if len(kept) == before:
                break
        return kept if len(kept) >= least else None

    def _leave_out_violating_classes(
        self, kept: Integers, labels: Integers, criteria: Criteria
    ) -> tuple[Integers, Integers]:
        """Returns the records of `kept` whose classes keep all `criteria`, and their renumbered classes."""
        views = [view._replace(codes=view.codes[kept], group=view.group[kept]) for view in self._views]
        keeps = np.ones(int(labels.max()) + 1, bool)
        for violated in violations_in_views(views, criteria, labels).values():
            keeps[violated] = False
        stays = keeps[labels]
        return kept[stays], (np.cumsum(keeps) - 1)[labels[stays]]


def monotone_specification(specification: Specification) -> Specification:
    """Returns the specification with only the monotone criteria, which stay kept when records join a class.

    These are k and distinct l-diversity: more generalisation never leaves out more records. The other criteria are kept
    by the union of two classes that keep them, but not always if one of the two does not: so they count only if no
    record may be left out.
    """
    if not specification.suppression:
        return specification
    k, diversity = specification.criteria.k, specification.criteria.diversity
    if diversity and (diversity.joint or diversity.kind is not DiversityKind.DISTINCT):
        diversity = None
    return replace(specification, criteria=Criteria(k, diversity, max_frequency=None))


def no_generalisation() -> InputError:
    """Returns the error for a table that no generalisation anonymises as specified."""
    return InputError(
        "suppression",
        _("no generalisation meets the criteria: allow more suppression, a smaller k, or weaker criteria"),
    )
