"""All rules that a run looks through, counted and not listed, and what is left of a p value among so many."""

from collections.abc import Iterable

import numpy as np

from mining.counts import Item
from mining.reconstruction.laws import Floats
from privacy.designs import Design, PlainSection


def family_size(design: Design, items: Iterable[Item], max_size: int) -> int:
    """The splits of every itemset of up to `max_size` of these items whose questions one device may ask."""
    by_question: dict[int, int] = {}
    for question, _ in set(items):
        by_question[question] = by_question.get(question, 0) + 1
    itemsets = [1]
    first = 0
    for section in design.sections:
        places = range(first, first + len(section.questions))
        first += len(section.questions)
        asked = len(section.questions) if isinstance(section, PlainSection) else section.asked
        inside = [1]
        for place in places:
            inside = _times(inside, [1, by_question.get(place, 0)], asked)
        itemsets = _times(itemsets, inside, max_size)
    return sum(many * (2 ** (size - 1) - 1) for size, many in enumerate(itemsets) if size > 1)


def q_values(p: Floats, family: int) -> Floats:
    """Benjamini and Hochberg's, where whatever of the family is not among these counts as p = 1.

    These are of the family, so it is never taken for smaller than they are many, nor q for less than p.
    """
    order = np.argsort(p)
    raw = p[order] * (max(family, len(p)) / np.arange(1, len(p) + 1))
    q = np.empty(len(p))
    q[order] = np.minimum.accumulate(raw[::-1])[::-1]
    return np.minimum(q, 1.0)


def _times(one: list[int], other: list[int], most: int) -> list[int]:
    """The product of two polynomials, up to this degree."""
    product = [0] * min(len(one) + len(other) - 1, most + 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            if i + j < len(product):
                product[i + j] += a * b
    return product
