"""The size of a family of tests: how many itemsets, or splits, can be made of certain items, without listing them."""

from collections.abc import Iterable

from mining.counts import Item
from privacy.designs import Design


def itemsets_by_size(design: Design, items: Iterable[Item], max_size: int) -> list[int]:
    """The numbers of itemsets of 0, 1, .. `max_size` of these items whose questions one device may draw."""
    by_question: dict[int, int] = {}
    for question, _ in set(items):
        by_question[question] = by_question.get(question, 0) + 1
    itemsets = [1]
    first = 0
    for section in design.sections:
        places = range(first, first + len(section.questions))
        first += len(section.questions)
        inside = [1]
        for index in places:
            inside = _times(inside, [1, by_question.get(index, 0)], min(section.asked, max_size))
        itemsets = _times(itemsets, inside, max_size)
    return itemsets


def splits_of(itemsets: list[int]) -> int:
    """The number of splits, unordered pairs of sides, of so many itemsets of each size."""
    return sum(many * (2 ** (size - 1) - 1) for size, many in enumerate(itemsets) if size > 1)


def _times(one: list[int], other: list[int], most: int) -> list[int]:
    """The product of two polynomials, up to this degree."""
    product = [0] * min(len(one) + len(other) - 1, most + 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            if i + j < len(product):
                product[i + j] += a * b
    return product
