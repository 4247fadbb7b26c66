"""The order in which files are handed to the processes of a run."""

from collections.abc import Sequence


def spread(waiting: Sequence[str], working: Sequence[str]) -> dict[str, float]:
    """The place of each: one that waits, its part of those that work, another one that waits, and so on."""
    places = {each: number / len(waiting) for number, each in enumerate(waiting)}
    return places | {each: (number + 0.5) / len(working) for number, each in enumerate(working)}
