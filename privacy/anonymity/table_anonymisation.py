"""Anonymises a table by any of the methods; the criteria are checked before and after the search."""

from collections.abc import Callable
from os import urandom

import numpy as np
from numpy.typing import NDArray

from privacy import machine_code_cache
from privacy.anonymity.anonymisation_result import (
    AnonymisedTable,
    join_classes_with_equal_cells,
    outcome_from_labels,
    outcome_with_suppressed_cells,
)
from privacy.anonymity.criteria_check import violations
from privacy.anonymity.disguised_columns import disguise_columns
from privacy.anonymity.tables.specification import Specification, refuse_unreachable_criteria
from privacy.anonymity.tables.table import Table
from privacy.grammar.input_error import InputError, mark_for_translation as _

Enough = Callable[[int, float], bool]
"""Callback that ends a search by returning True; called with the tries and the loss so far."""
Flag = NDArray[np.int64]
"""One-element array; another thread sets it to 1 to end the search. Only *tree* has a result then."""
Method = Callable[[Table, Specification, Enough, Flag], AnonymisedTable]


def _run_tree(table: Table, specification: Specification, enough: Enough, stop: Flag) -> AnonymisedTable:
    from privacy.anonymity.searches.kernel_arrays import prepare_kernel_arrays  # late for cost
    from privacy.anonymity.searches.tree import TreeSearch  # late for cost

    search = TreeSearch(prepare_kernel_arrays(table, specification, stop), specification.seed)
    # A search that was stopped before its first result cannot be repeated by a number of tries.
    tries = None if stop[0] else search.improve(enough, specification.tries)
    if not specification.cell_suppression:
        return outcome_from_labels(table, search.labels, tries)
    from privacy.anonymity.searches.local_suppression import suppress_cells  # late for cost

    suppression = suppress_cells(table, specification, search.labels, stop)
    # If somebody stops it, the same number of tries would not give the same classes.
    tries = tries if suppression.whole else None
    return outcome_with_suppressed_cells(table, suppression.labels, suppression.column, tries)


def _run_bottom_up(
    table: Table, specification: Specification, _enough: Enough, stop: Flag
) -> AnonymisedTable:
    from privacy.anonymity.searches.bottom_up_and_k_member import cluster_bottom_up  # late for cost
    from privacy.anonymity.searches.kernel_arrays import prepare_kernel_arrays  # late for cost

    return outcome_from_labels(table, cluster_bottom_up(prepare_kernel_arrays(table, specification, stop)))


def _run_samarati(
    table: Table, specification: Specification, _enough: Enough, _stop: Flag
) -> AnonymisedTable:
    from privacy.anonymity.searches.full_domain import anonymize_by_samarati  # late for cost

    return anonymize_by_samarati(table, specification)


def _run_datafly(table: Table, specification: Specification, _enough: Enough, _stop: Flag) -> AnonymisedTable:
    from privacy.anonymity.searches.full_domain import anonymize_by_datafly  # late for cost

    return anonymize_by_datafly(table, specification)


def _run_k_member(table: Table, specification: Specification, _enough: Enough, stop: Flag) -> AnonymisedTable:
    from privacy.anonymity.searches.bottom_up_and_k_member import cluster_k_member  # late for cost
    from privacy.anonymity.searches.kernel_arrays import prepare_kernel_arrays  # late for cost

    return outcome_from_labels(table, cluster_k_member(prepare_kernel_arrays(table, specification, stop)))


def _run_ilp(table: Table, specification: Specification, _enough: Enough, _stop: Flag) -> AnonymisedTable:
    from privacy.anonymity.searches.sensitive_value_clustering import (  # late for cost
        anonymize_by_value_clusters,
    )

    return anonymize_by_value_clusters(table, specification)


def _run_kacluk(table: Table, specification: Specification, _enough: Enough, _stop: Flag) -> AnonymisedTable:
    from privacy.anonymity.searches.kacluk import anonymize_by_kacluk  # late for cost

    return anonymize_by_kacluk(table, specification)


DEFAULT_KERNELS = "tree"


def load_default_kernels() -> None:
    """Loads the compiled functions of the default method *tree*, so that no search waits for them.

    If they are not compiled yet, it compiles them first, for a minute.
    """
    from privacy.anonymity.searches import tree  # late for cost

    with machine_code_cache.compile_once(DEFAULT_KERNELS):
        tree.load_tree_kernels()


METHODS: dict[str, Method] = {
    "bottom-up": _run_bottom_up,
    "datafly": _run_datafly,
    "ilp": _run_ilp,
    "k-member": _run_k_member,
    "kacluk": _run_kacluk,
    "samarati": _run_samarati,
    "tree": _run_tree,
}
UNCHANGING = frozenset({"bottom-up", "k-member", "kacluk", "tree"})
"""Methods that publish every record unchanged, whatever the specification allows."""


def anonymize(
    table: Table,
    specification: Specification,
    enough: Enough,
    where: str = "table",
    stop: Flag | None = None,
) -> AnonymisedTable:
    """Anonymises a table by the method of its specification; the classes of the result keep every criterion.

    Raises InputError if no classes keep the criteria; `where`: the place that its message names. `enough`: callback
    that ends the search. `stop`: see `Flag`.
    """
    occurring = {column.name: column.distinct_values for column in table.sensitive}
    refuse_unreachable_criteria(specification, table.records, occurring, where)
    whole = _("the whole table as one class does not keep %(criterion)s")
    changing = specification.method not in UNCHANGING
    if not (changing and (specification.suppression or specification.falsification)):
        # Joining classes never violates a criterion that each of them keeps: what one class cannot keep, none can.
        together = np.zeros(table.records, np.int64)
        refuse_violations(table, specification, together, where, whole)
    flag = np.zeros(1, np.int64) if stop is None else stop
    outcome = join_classes_with_equal_cells(METHODS[specification.method](table, specification, enough, flag))
    violation = _("the checker finds classes that do not keep %(criterion)s")
    refusal = whole if outcome.partition.class_count == 1 else violation
    refuse_violations(outcome.table, specification, outcome.partition.labels, where, refusal)
    return disguise_columns(outcome, specification.disguised, urandom)


def refuse_violations(
    table: Table, specification: Specification, labels: NDArray[np.int64], where: str, template: str
) -> None:
    """Raises InputError for the first anonymity criterion that some class violates.

    `labels`: the class of each record; `where`: the place that the message names; `template`: the message.
    """
    for criterion, classes in violations(table, specification, labels).items():
        if classes:
            raise InputError(where, template, criterion=criterion)
