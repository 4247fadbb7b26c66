"""Computes intervals of the itemsets that a search reported, corrected for all itemsets that it looked at."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.plain_table_counts import revealed_questions
from mining.disclosure.verdict import Verdict
from mining.inference.selection_correction import HEADS, critical_z_by_rank
from mining.parameters import Parameters
from mining.queries_and_counters import NONE, Item
from mining.reconstruction import CachedCounter, Supports
from mining.reconstruction.supports import interval_columns, support_intervals

# --- family
# The size of a family of tests: how many itemsets, or splits, can be made of certain items, without listing
# them.


def count_itemsets_by_size(verdict: Verdict, items: Iterable[Item], max_size: int) -> list[int]:
    """Returns the numbers of possible itemsets with 0, 1, .. `max_size` of these items; sizes without any at the end
    are left out.

    An itemset is possible if one device may be asked all its questions and the `verdict` lets it be published.
    """
    sections = verdict.design.sections
    section_of = [number for number, section in enumerate(sections) for _question in section.questions]
    by_question: dict[int, int] = {}
    for question, _code in {item for item in items if verdict.may_publish_count_of(item)}:
        by_question[question] = by_question.get(question, 0) + 1
    told, plain = sorted(by_question), list[int]()
    if not verdict.publishes_everything:
        told = [question for question in told if verdict.may_tell([question])]
        # Only these need be asked about; all others join every set.
        plain = [question for question in told if revealed_questions(verdict.design, [question])]
    others: list[list[int]] = [[] for _section in sections]
    for question in set(told).difference(plain):
        others[section_of[question]].append(by_question[question])

    @cache
    def count_in_section(section: int, taken: int) -> tuple[int, ...]:
        """Returns, by size, the numbers of itemsets of a section's other questions, if `taken` of its questions are
        used already."""
        return _count_choices_by_size(others[section], min(sections[section].asked, max_size) - taken)

    @cache
    def count_other_itemsets(taken: tuple[int, ...]) -> tuple[int, ...]:
        """Returns, by size, the numbers of itemsets of other questions that can join a set of plain questions.

        `taken` has the section of each question in that set.
        """
        itemsets: tuple[int, ...] = (1,)
        for section in range(len(sections)):
            many = taken.count(section)
            if many > min(sections[section].asked, max_size):
                return ()
            itemsets = _multiply_polynomials(itemsets, count_in_section(section, many), max_size - len(taken))
        return itemsets

    total = [0] * (max_size + 1)
    for chosen in _publishable_sets(verdict, plain, max_size):
        ways = prod(by_question[question] for question in chosen)
        for size, many in enumerate(count_other_itemsets(tuple(section_of[question] for question in chosen))):
            total[len(chosen) + size] += ways * many
    while len(total) > 1 and not total[-1]:
        total.pop()
    return total


def _publishable_sets(verdict: Verdict, questions: list[int], max_size: int) -> Iterator[tuple[int, ...]]:
    """Yields the sets of up to `max_size` of these questions about which numbers may be published."""
    level: list[tuple[int, ...]] = [()]
    for _size in range(max_size + 1):
        yield from level
        level = [
            (*chosen, question)
            for chosen in level
            for question in questions
            if (not chosen or question > chosen[-1]) and verdict.may_tell((*chosen, question))
        ]


def count_splits(itemsets_by_size: list[int]) -> int:
    """Returns the number of splits (unordered pairs of sides) of all itemsets; `itemsets_by_size` has the number of
    itemsets by size."""
    return sum(many * (2 ** (size - 1) - 1) for size, many in enumerate(itemsets_by_size) if size > 1)


def _count_choices_by_size(numbers: list[int], most: int) -> tuple[int, ...]:
    product: tuple[int, ...] = (1,)
    for many in numbers:
        product = _multiply_polynomials(product, (1, many), most)
    return product


def _multiply_polynomials(first: tuple[int, ...], second: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Returns the product of two polynomials, up to degree `most`."""
    product = [0] * min(len(first) + len(second) - 1, most + 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            if i + j < len(product):
                product[i + j] += a * b
    return tuple(product)


# --- search evidence

DIGITS = 9
"""Decimals of estimates in the order of a list: estimates that differ by rounding alone count as equal."""


def add_intervals(
    counter: CachedCounter,
    supports: Supports,
    parameters: Parameters,
    singles: int,
    verdict: Verdict,
    *,
    heads: bool,
) -> Supports:
    """Returns the supports with intervals: for each itemset alone, for its rank in the list by support and, with
    `heads`, for shorter lists.

    The family of the correction has every single item that was counted (`singles` of them), frequent or not, and every
    larger itemset that may be published, of items that are frequent alone or in a reported itemset.
    """
    family = singles + sum(
        count_itemsets_by_size(verdict, distinct_items(counter, supports), parameters.max_size)[2:]
    )
    critical_zs = critical_z_by_rank(rank_by_support(supports), family, heads=heads)
    ends, shown = support_intervals(counter, supports, parameters.estimator, critical_zs)
    return replace(
        supports,
        **interval_columns(("low", "high", "low_listed", "high_listed"), ends),
        **interval_columns(("low_shown", "high_shown"), shown),
        heads=ends[:, HEADS:],
    )


def rank_by_support(supports: Supports) -> NDArray[np.int64]:
    """Returns the rank of each itemset in the list by estimated support, from 1."""
    order = np.lexsort((np.arange(len(supports)), -supports.support.round(DIGITS)))
    places = np.empty(len(supports), np.int64)
    places[order] = np.arange(1, len(supports) + 1)
    return places


def distinct_items(counter: CachedCounter, supports: Supports) -> list[Item]:
    """Returns the items that occur in these itemsets."""
    numbers = np.unique(supports.itemsets[supports.itemsets != NONE])
    return [counter.numbering.item(number) for number in numbers.tolist()]
