"""Cells of files that a spreadsheet may open."""

from typing import Any

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless(value: Any) -> Any:
    """A text as it is, unless a spreadsheet would take it for a formula; nothing for None."""
    if isinstance(value, str) and value.startswith(STARTS_A_FORMULA):
        return f"'{value}"
    return "" if value is None else value
