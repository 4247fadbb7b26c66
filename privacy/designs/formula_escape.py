"""Escapes texts that a spreadsheet would take for formulas."""

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""First characters of formulas, including the full-width signs that some spreadsheets accept."""
MARK = "'"


def escape_formula(text: str) -> str:
    """Puts an apostrophe before a text that a spreadsheet would run as a formula.

    Different texts stay different, so a reader can remove it.
    """
    return f"{MARK}{text}" if text.lstrip(MARK).startswith(STARTS_A_FORMULA) else text


def unescape_formula(cell: str) -> str:
    """Removes the apostrophe that `escape_formula` puts before a formula."""
    return cell[1:] if cell.startswith(MARK) and escape_formula(cell[1:]) == cell else cell
