"""Samarati's lattice of all generalisations of a table, which the document 001 draws for race and ZIP code."""

from collections import defaultdict
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privacy.grammar.input_error import InputError, mark_for_translation as _

if TYPE_CHECKING:
    import pandas as pd

MOST = 2_000
"""Most generalisations of a table that is drawn."""
WIDTH, HEIGHT, GAP = 140, 56, 22
"""Of the boxes of a drawing."""

Levels = tuple[int, ...]


@dataclass(frozen=True, repr=False)
class GeneralisationLattice:
    """All generalisations of a table, from its own values up to one class.

    `nodes`: a row each with the level of every quasi-identifier, the number of its `classes`, the size of the
    `smallest`, the records `below_k`, and whether it is `minimal`: it keeps the criteria of the specification, and none
    below it does.
    """

    columns: tuple[str, ...]
    nodes: "pd.DataFrame"

    def svg(self) -> str:
        """Draws the lattice, the table's own values at the bottom; minimal generalisations have a thick edge."""
        from privacy.anonymity.searches.lattice import nodes_above  # late for cost

        layers: dict[int, list[Levels]] = defaultdict(list)
        for levels in self.nodes[[*self.columns]].itertuples(index=False, name=None):
            layers[sum(levels)].append(levels)
        most, (top,) = max(map(len, layers.values())), layers[max(layers)]
        wide, high = most * (WIDTH + GAP) + GAP, (sum(top) + 1) * (HEIGHT + GAP) + GAP
        place = {
            levels: (
                (most - len(layer)) * (WIDTH + GAP) // 2 + at * (WIDTH + GAP) + GAP,
                (sum(top) - above) * (HEIGHT + GAP) + GAP,
            )
            for above, layer in layers.items()
            for at, levels in enumerate(layer)
        }
        lines = [
            f'<line x1="{place[one][0] + WIDTH // 2}" y1="{place[one][1]}" x2="{place[other][0] + WIDTH // 2}" '
            f'y2="{place[other][1] + HEIGHT}"/>'
            for one in place
            for other in nodes_above(one, top)
        ]
        boxes = [
            _box(*at, ", ".join(map(" ".join, zip(self.columns, map(str, levels), strict=True))), row)
            for (levels, at), row in zip(place.items(), self.nodes.itertuples(), strict=True)
        ]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
            'font-family="sans-serif" font-size="11" text-anchor="middle" fill="#fff" stroke="#333">\n'
            + "\n".join([*lines, *boxes, "</svg>\n"])
        )

    def __repr__(self) -> str:
        return f"{len(self.nodes)} generalisations, minimal:\n{self.nodes[self.nodes['minimal']]}"


def _box(left: int, top: int, name: str, node: Any) -> str:
    words = f"{node.classes} classes, {node.below_k} below k"
    texts = "".join(
        f'<text x="{left + WIDTH // 2}" y="{top + down}" fill="#333" stroke="none">{escape(text)}</text>'
        for down, text in ((23, name), (41, words))
    )
    edge = 3 if node.minimal else 1
    return f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" stroke-width="{edge}"/>{texts}'


def generalisation_lattice(table: Path | str, specification: Path | str) -> GeneralisationLattice:
    """Returns the lattice of a CSV file by the hierarchies, k, other criteria and suppression of a specification."""
    import numpy as np  # late for cost
    import pandas as pd  # late for cost

    from mining.table_file_anonymisation import read_table_and_specification  # late for cost
    from privacy.anonymity.searches.full_domain import minimal_generalisations  # late for cost
    from privacy.anonymity.searches.lattice import build_lattice  # late for cost

    read, said = read_table_and_specification(Path(table), Path(specification))
    lattice = build_lattice(read)
    if lattice.size > MOST:
        raise InputError(
            "quasi_identifiers",
            _("%(count)s generalisations, more than %(most)s: take fewer columns or levels"),
            count=lattice.size,
            most=MOST,
        )
    minimal = set(minimal_generalisations(lattice, read, said))
    columns = tuple(column.name for column in read.quasi)
    rows = []
    for levels in lattice.nodes:
        sizes = np.bincount(lattice.classes(levels))
        below = int(sizes[sizes < said.criteria.k].sum())
        rows.append((*levels, len(sizes), int(sizes.min()), below, levels in minimal))
    return GeneralisationLattice(
        columns, pd.DataFrame(rows, columns=[*columns, "classes", "smallest", "below_k", "minimal"])
    )
