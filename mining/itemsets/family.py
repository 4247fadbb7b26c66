"""The size of a family of tests: how many itemsets, or splits, can be made of certain items, without listing them."""

from collections.abc import Iterable, Iterator
from functools import cache
from math import prod

from mining.counts import Item
from mining.disclosure.plain_tables import involved
from mining.disclosure.verdict import Verdict


def itemsets_by_size(verdict: Verdict, items: Iterable[Item], max_size: int) -> list[int]:
    """The numbers of itemsets of 0, 1, .. `max_size` of these items whose questions one device may draw, and that may
    be told."""
    sections = verdict.design.sections
    section_of = [number for number, section in enumerate(sections) for _question in section.questions]
    by_question: dict[int, int] = {}
    for question, _code in {item for item in items if verdict.may_show(item)}:
        by_question[question] = by_question.get(question, 0) + 1
    told = [question for question in sorted(by_question) if verdict.may_tell([question])]
    # Only these need be asked about; all others join every set.
    plain = [] if verdict.tells_everything else [one for one in told if involved(verdict.design, [one])]
    others: list[list[int]] = [[] for _section in sections]
    for question in set(told).difference(plain):
        others[section_of[question]].append(by_question[question])

    @cache
    def inside(section: int, taken: int) -> tuple[int, ...]:
        """Of the other questions of a section of which so many are drawn already."""
        return _polynomial(others[section], min(sections[section].asked, max_size) - taken)

    @cache
    def beside(taken: tuple[int, ...]) -> tuple[int, ...]:
        """By section how many of its questions are in the set already; the numbers of itemsets beside them."""
        itemsets: tuple[int, ...] = (1,)
        for section in range(len(sections)):
            many = taken.count(section)
            if many > min(sections[section].asked, max_size):
                return ()
            itemsets = _times(itemsets, inside(section, many), max_size - len(taken))
        return itemsets

    total = [0] * (max_size + 1)
    for chosen in _told_sets(verdict, plain, max_size):
        ways = prod(by_question[question] for question in chosen)
        for size, many in enumerate(beside(tuple(section_of[question] for question in chosen))):
            total[len(chosen) + size] += ways * many
    while len(total) > 1 and not total[-1]:
        total.pop()
    return total


def _told_sets(verdict: Verdict, questions: list[int], max_size: int) -> Iterator[tuple[int, ...]]:
    """The sets of these questions that may be told; a larger one has no part that may not."""
    level: list[tuple[int, ...]] = [()]
    for _size in range(max_size + 1):
        yield from level
        level = [
            (*chosen, question)
            for chosen in level
            for question in questions
            if (not chosen or question > chosen[-1]) and verdict.may_tell((*chosen, question))
        ]


def splits_of(itemsets: list[int]) -> int:
    """The number of splits, unordered pairs of sides, of so many itemsets of each size."""
    return sum(many * (2 ** (size - 1) - 1) for size, many in enumerate(itemsets) if size > 1)


def _polynomial(numbers: list[int], most: int) -> tuple[int, ...]:
    product: tuple[int, ...] = (1,)
    for many in numbers:
        product = _times(product, (1, many), most)
    return product


def _times(one: tuple[int, ...], other: tuple[int, ...], most: int) -> tuple[int, ...]:
    """The product of two polynomials, up to this degree."""
    product = [0] * min(len(one) + len(other) - 1, most + 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            if i + j < len(product):
                product[i + j] += a * b
    return tuple(product)
