"""The paper's three algorithms and ours, in the forms that are compared."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np

from papers.publishing.settings import TRIES
from privacy.anonymity.anonymised import AnonymisedTable, of_labels
from privacy.anonymity.bottom_up import merged_up_to_k
from privacy.anonymity.ilp import clustered_by_values
from privacy.anonymity.k_member import clusters_of_k
from privacy.anonymity.methods import METHODS
from privacy.anonymity.prepared import prepare
from privacy.anonymity.specification import Specification
from privacy.anonymity.table import Table
from privacy.grammar.node import PARTS

Anonymise = Callable[[Table, Specification, Path], AnonymisedTable]


class AlgorithmForm(StrEnum):
    """PAPER: classes of at least k records, whatever l. CHANGED: as many sensitive values as it takes are then changed.

    KEPT: what the product publishes, every criterion kept.
    """

    PAPER = "paper"
    CHANGED = "changed"
    KEPT = "kept"


@dataclass(frozen=True)
class Algorithm:
    """One method in one form."""

    method: str
    form: AlgorithmForm
    anonymised: Anonymise


def _bottom_up(table: Table, said: Specification, cache: Path) -> AnonymisedTable:
    alone = np.arange(table.records)
    return of_labels(table, merged_up_to_k(prepare(table, said), alone, cache))


def _kacluk(table: Table, said: Specification, cache: Path) -> AnonymisedTable:
    return of_labels(table, clusters_of_k(prepare(table, said), cache))


def _changed(table: Table, said: Specification, cache: Path) -> AnonymisedTable:
    return clustered_by_values(table, replace(said, falsification=PARTS), cache)


def _kept(method: str) -> Algorithm:
    def anonymised(table: Table, said: Specification, cache: Path) -> AnonymisedTable:
        return METHODS[method](table, said, cache, lambda tries, _loss: tries >= TRIES)

    return Algorithm(method, AlgorithmForm.KEPT, anonymised)


BOTTOM_UP, KACLUK, ILP, TREE = "bottom-up", "k-member", "ilp", "tree"
ALGORITHMS = (
    Algorithm(BOTTOM_UP, AlgorithmForm.PAPER, _bottom_up),
    Algorithm(KACLUK, AlgorithmForm.PAPER, _kacluk),
    Algorithm(ILP, AlgorithmForm.PAPER, clustered_by_values),
    Algorithm(ILP, AlgorithmForm.CHANGED, _changed),
    *map(_kept, (BOTTOM_UP, KACLUK, ILP, TREE)),
)
