"""Texts in files that a spreadsheet may open."""

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Also behind the full-width signs, which spreadsheets take for the others in some languages."""
MARK = "'"


def harmless(text: str) -> str:
    """As it is, unless a spreadsheet would take it for a formula: then behind an apostrophe.

    No two texts become the same one, so a reader can tell which was meant.
    """
    return f"{MARK}{text}" if text.lstrip(MARK).startswith(STARTS_A_FORMULA) else text
