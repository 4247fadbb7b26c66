"""Minimal required suppression: which records a generalisation leaves out so that the others keep the criteria."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.criteria import views_of, violating
from privacy.anonymity.tables.specification import Criteria, Diversity, DiversityKind, Specification
from privacy.anonymity.tables.table import Table
from privacy.grammar.input_error import InputError, marked as _
from privacy.grammar.node import PARTS

Integers = NDArray[np.int64]


class Suppression:
    """Leaves out the classes that violate a criterion, as long as the specification allows it.

    First those that violate a criterion of the class alone. t-closeness and breaches compare with the shares of the
    records that are published, so they are asked of what remains, round by round until no class violates them.
    """

    def __init__(self, table: Table, specification: Specification) -> None:
        self.most = specification.suppression * table.records // PARTS
        self._criteria = specification.criteria
        self._alone = replace(self._criteria, closeness=None, breach=None)
        self._views = views_of(table, specification)

    def kept(self, classes: Integers) -> Integers | None:
        """The places of the records that are published, given the class of each; None where too many are left out."""
        least, sizes = len(classes) - self.most, np.bincount(classes)
        if int(sizes[sizes >= self._criteria.k].sum()) < least:
            return None
        kept, labels = self._round(np.arange(len(classes)), classes, self._alone)
        while self._alone != self._criteria and len(kept) >= least:
            before = len(kept)
            kept, labels = self._round(kept, labels, self._criteria)
            if len(kept) == before:
                break
        return kept if len(kept) >= least else None

    def _round(self, kept: Integers, labels: Integers, criteria: Criteria) -> tuple[Integers, Integers]:
        """The records in classes that violate nothing, and their classes, numbered again."""
        views = [view._replace(codes=view.codes[kept], group=view.group[kept]) for view in self._views]
        keeps = np.ones(int(labels.max()) + 1, bool)
        for violated in violating(views, criteria, labels).values():
            keeps[violated] = False
        stays = keeps[labels]
        return kept[stays], (np.cumsum(keeps) - 1)[labels[stays]]


def upward(specification: Specification) -> Specification:
    """With those criteria alone for which a generalisation leaves out no more records than any below it.

    Whatever is joined to a class that keeps k, or distinct l-diversity, it still keeps them. All other criteria are
    kept by the union of two classes that keep them, but not always where one of the two does not: they count only
    where nothing may be left out.
    """
    if not specification.suppression:
        return specification
    criteria = specification.criteria
    return replace(
        specification, criteria=Criteria(criteria.k, _distinct(criteria.diversity), max_frequency=None)
    )


def _distinct(diversity: Diversity | None) -> Diversity | None:
    if diversity is None or diversity.joint or diversity.kind is not DiversityKind.DISTINCT:
        return None
    return diversity


def no_generalisation() -> InputError:
    return InputError(
        "suppression",
        _("no generalisation meets the criteria: allow more suppression, a smaller k, or weaker criteria"),
    )
