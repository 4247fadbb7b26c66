"""Scales whose answers are numbers, such as 0 to 10."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from privacy.kinds.number.classes.section import MOST_LIMITS

FEWEST_STEPS = 3
WHOLE = re.compile(r"-?[0-9]{1,9}", re.ASCII)


def scale_values(question: Mapping[str, Any]) -> list[int]:
    """The numbers that the choices of a scale are, from low to high; none where it is no scale of numbers.

    One of a battery stays a question with choices, and so does one with a choice that is no number.
    """
    labels = [
        {*choice.get("label", {}).values()} or {choice["name"]} for choice in question.get("choices", ())
    ]
    words = [next(iter(label)) if len(label) == 1 else "" for label in labels]
    if question.get("form") != "scale" or question.get("of") or not all(map(WHOLE.fullmatch, words)):
        return []
    values = list(map(int, words))
    is_rising = all(below < above for below, above in pairwise(values))
    return values if is_rising and FEWEST_STEPS <= len(values) <= MOST_LIMITS + 1 else []


def is_even(values: Sequence[int]) -> bool:
    """Whether any two neighbours are as far apart as the others."""
    return len({above - below for below, above in pairwise(values)}) == 1
