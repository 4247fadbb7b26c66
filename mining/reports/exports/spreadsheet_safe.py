"""Cells of files that a spreadsheet may open."""

from typing import Any

from privacy.designs import spreadsheet_cells


def harmless(value: Any) -> Any:
    """A text that is no formula, a number as it is, nothing for None."""
    if isinstance(value, str):
        return spreadsheet_cells.harmless(value)
    return "" if value is None else value
