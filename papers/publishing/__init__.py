"""The system of the publishing papers: linkage, weights, lattice, and experiments on Adult.

All is computed; seeds are fixed, and only seconds differ from run to run.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from papers.drawing import svg
from papers.publishing.algorithms import ALGORITHMS
from papers.publishing.figures import figures
from papers.publishing.lattice_figure import lattice_figures
from papers.publishing.results import results
from papers.publishing.settings import KS
from papers.publishing.text import text
from papers.tables import rounded
from privacy.anonymity.table import Table


def reproduce(
    folder: Path, table: Table, cache: Path, say: Callable[[str], object] = print, ks: Sequence[int] = KS
) -> None:
    """Write a text, the figures as SVG, and all numbers as CSV and JSON; several minutes for all of Adult.

    `cache`: the folder of the compiled kernels; `say`: told of every step.
    """
    folder.mkdir(parents=True, exist_ok=True)
    say(
        f"{len(ALGORITHMS)} algorithms at {len(ks)} k on {table.records:,} records; some minutes for all of Adult."
    )
    found = results(table, cache, say, ks)
    written = {
        "publishing.md": text(found),
        "publishing.json": json.dumps(rounded(found.as_json()), indent=1) + "\n",
    }
    written |= {f"{name}.csv": content for name, content in found.tables().items()}
    written |= {f"{name}.svg": svg(figure) for name, figure in figures(found.experiments)}
    written |= {f"{name}.svg": drawn for name, drawn in lattice_figures(found.nodes)}
    for name, content in written.items():
        (folder / name).write_text(content, encoding="utf-8", newline="")
