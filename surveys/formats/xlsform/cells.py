"""What a single cell says."""

from surveys.builder import shape


class Wrong(ValueError):
    """Why a row is not taken, in the reader's language."""


def probability(written: str) -> str | None:
    """With four places; written with up to four, the first 0 left out or not. None for what is none."""
    return shape.probability(f"0{written}" if written.startswith(".") else written)
