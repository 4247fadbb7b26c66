"""Escapes texts that a spreadsheet would take for formulas."""

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Also the full-width signs, which spreadsheets in some languages take for the others."""
MARK = "'"


def escape_formula(text: str) -> str:
    """Puts an apostrophe before a text that a spreadsheet would take for a formula.

    Different texts stay different, so a reader can undo it.
    """
    return f"{MARK}{text}" if text.lstrip(MARK).startswith(STARTS_A_FORMULA) else text
