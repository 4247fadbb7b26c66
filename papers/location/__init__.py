"""The system of the paper on sensitive places: the square mechanism, its utility-optimised form, and their errors.

All is computed; people and regions are drawn with a fixed seed, and some errors are simulated as well.
"""

import json
from pathlib import Path

from papers.drawing import svg
from papers.location.figures import figures
from papers.location.results import results
from papers.location.text import text
from papers.tables import rounded


def reproduce(folder: Path) -> None:
    """Write a text, the figures as SVG, and all numbers as CSV and JSON; some ten seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    found = results()
    written = {
        "location.md": text(found),
        "location.json": json.dumps(rounded(found.as_json()), indent=1) + "\n",
    }
    written |= {f"{name}.csv": table for name, table in found.tables().items()}
    written |= {f"{name}.svg": svg(figure) for name, figure in figures(found)}
    for name, content in written.items():
        (folder / name).write_text(content, encoding="utf-8", newline="")
