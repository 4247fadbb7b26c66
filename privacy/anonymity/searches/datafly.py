"""*datafly*: the column with the most distinct values goes up a level until few enough records are left out.

The simple baseline (Sweeney, 1998): what it finds need not be minimal.
"""

from privacy.anonymity.anonymised import AnonymisedTable, of_kept
from privacy.anonymity.searches.lattice import lattice_of
from privacy.anonymity.searches.suppression import Suppression, no_generalisation
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table


def datafly(table: Table, specification: Specification) -> AnonymisedTable:
    """Of columns with equally many values the first goes up."""
    lattice, suppression = lattice_of(table), Suppression(table, specification)
    levels = [0] * len(lattice.domains)
    while (kept := suppression.kept(lattice.classes(tuple(levels)))) is None:
        below = [column for column, top in enumerate(lattice.top) if levels[column] < top]
        if not below:
            raise no_generalisation()
        levels[max(below, key=lambda column: lattice.occurring(column, levels[column]))] += 1
    return of_kept(table, kept, lattice.partition(tuple(levels), kept))
