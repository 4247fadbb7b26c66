"""Reads single cells."""

from surveys.questionnaire import normal_values


def probability(written: str) -> str | None:
    """With four places; written with up to four, the first 0 left out or not. None for what is none."""
    return normal_values.probability(f"0{written}" if written.startswith(".") else written)
