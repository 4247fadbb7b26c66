"""Cells that are safe to open in a spreadsheet."""

from typing import Any

from privacy.designs import spreadsheet_cells


def harmless(value: Any) -> Any:
    """A text, escaped so that it is no formula; a number as it is; an empty text for None."""
    if isinstance(value, str):
        return spreadsheet_cells.harmless(value)
    return "" if value is None else value
