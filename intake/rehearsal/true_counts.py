"""Stores the true answers of simulated respondents as counts of itemsets, never as rows, so that estimates
can be compared with them.

An item is the index of a question in the design that mining sees (`Design.mined`) and the code of one of its
choices. The itemsets of a design have up to `size` items of different questions, and a fixed order, so that
their counts are an array of integers. For numbers, sums and, with the law `window`, the count of each number
are stored too.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations
from math import comb
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from intake.rehearsal.models import Truth
from mining.json_codec import node_from_json, node_to_json
from privacy.designs import Design, Question, Section
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.score_table_by_law import find_score_table
from privacy.kinds.simulation import TrueNumber
from privacy.records import DISGUISED
from privacy.simulation.simulation_registry import find_simulation
from surveys.models import Design as DesignRow, Survey

LARGEST = 3
MOST = 250_000
"""Highest number of itemsets that are counted; a design with more counts smaller itemsets only."""

Item = tuple[int, int]
Itemset = tuple[Item, ...]


class CountedTruth(NamedTuple):
    """Counts of simulated respondents: for each itemset, how many of the `n` truly have all its answers;
    `numbers`: sums and counts of numbers by question name."""

    n: int
    counts: dict[Itemset, int]
    numbers: Mapping[str, TrueNumber] = MappingProxyType({})


class StoredTruth(NamedTuple):
    """The true counts of all simulated respondents, and of those who chose disguise."""

    everybody: CountedTruth
    disguised: CountedTruth


def mined_items(design: Design) -> list[Item]:
    """Returns all items of the design that mining sees, each as the index of a question and the code of a choice."""
    return [
        (index, code)
        for index, question in enumerate(design.questions)
        for code in range(question.item_count)
    ]


def ordered_itemsets(design: Design, size: int) -> tuple[Itemset, ...]:
    return _build_itemsets(tuple(mined_items(design)), size)


@lru_cache(1)
def _build_itemsets(all_items: tuple[Item, ...], size: int) -> tuple[Itemset, ...]:
    return tuple(
        itemset
        for k in range(1, size + 1)
        for itemset in combinations(all_items, k)
        if len({index for index, _ in itemset}) == k
    )


def largest_itemset_size(design: Design) -> int:
    """Returns the largest itemset size, at most three, with which at most MOST itemsets are counted."""
    n = len(mined_items(design))
    return max(k for k in range(1, LARGEST + 1) if k == 1 or sum(comb(n, j) for j in range(1, k + 1)) <= MOST)


def count_itemsets(design: Design, truth: Codes, size: int) -> NDArray[np.int64]:
    """Returns how many respondents have each itemset of up to `size` items, in the fixed order.

    `truth`: their true codes, questions x respondents.
    """
    all_items = mined_items(design)
    indices = np.array([index for index, _ in all_items])
    has_item = np.array(
        [item_mask(design.questions[index], code, truth[index]) for index, code in all_items], np.float32
    )

    def upper_triangle_pairs(together: NDArray[np.float32], indexes: NDArray[np.intp]) -> NDArray[np.float32]:
        """Returns the entries of the matrix above its diagonal blocks: pairs of items of two different questions."""
        return together[indexes[:, None] < indexes[None, :]]

    counts = [has_item.sum(axis=1)]
    if size >= 2:
        counts.append(upper_triangle_pairs(has_item @ has_item.T, indices))
    if size >= 3:
        for first in range(len(all_items)):
            is_later = indices > indices[first]
            later = has_item[is_later]
            counts.append(upper_triangle_pairs((later * has_item[first]) @ later.T, indices[is_later]))
    return np.concatenate(counts).astype(np.int64)


def item_mask(question: Question, code: int, row: Codes) -> NDArray[np.bool_]:
    """Returns a mask of the respondents whose true answer is this choice; for a question with scores, of those in one
    of the choice's classes."""
    if not question.scored:
        return np.asarray(row == code)
    # Behind the classes are those to whom the question does not apply.
    return np.append(find_score_table(question).items[code], False)[np.minimum(row, len(question.partition))]


def applies_mask(question: Question, row: Codes) -> NDArray[np.bool_]:
    """Returns a mask of the respondents to whom the question applies: their true answer is a choice or, for a question
    with scores, a class."""
    return np.asarray(row < len(question.partition))


def convert_true_codes_to_mined(design: Design, truth: Codes) -> Codes:
    """Converts true codes to those of the design that mining sees, `design.mined`: numbers and places become
    classes."""
    if design.mined is design:
        return truth
    return np.concatenate(
        [
            find_simulation(section).true_item_codes(section, rows)
            for section, rows in _sections_with_truth(design, truth)
        ]
    )


def true_sums_and_counts(design: Design, truth: Codes) -> dict[str, TrueNumber]:
    """Returns the true sum and counts of each number or place question, by its name."""
    numbers = {}
    for section, rows in _sections_with_truth(design, truth):
        question = section.questions[0]
        true = find_simulation(section).sum_true_numbers(
            section, rows[0][rows[0] != question.true_hidden_code]
        )
        if true:
            numbers[question.name] = true
    return numbers


def _sections_with_truth(design: Design, truth: Codes) -> Iterator[tuple[Section, Codes]]:
    first = 0
    for section in design.sections:
        rows = slice(first, first + len(section.questions))
        first = rows.stop
        yield section, truth[rows]


# --- what is stored


def respondent_count(survey: Survey) -> int:
    """Returns how many simulated respondents have answered so far."""
    return Truth.objects.filter(survey=survey).values_list("n", flat=True).first() or 0


def add_to_true_counts(survey: Survey, design: Design, group: NDArray[np.uint8], true: Codes) -> None:
    """Adds these respondents to the stored counts, in the transaction that stores their records."""
    mined, size = design.mined, largest_itemset_size(design.mined)
    answers, is_disguised = convert_true_codes_to_mined(design, true), group == DISGUISED
    row = Truth.objects.select_for_update().filter(survey=survey).first()
    if row is None:
        nothing = np.zeros_like(count_itemsets(mined, answers[:, :0], size)).tobytes()
        row = Truth(survey=survey, n=0, size=size, counts=nothing, disguised=0, disguised_counts=nothing)
    row.n += len(group)
    row.counts = (np.frombuffer(row.counts, np.int64) + count_itemsets(mined, answers, size)).tobytes()
    row.disguised += int(is_disguised.sum())
    more = count_itemsets(mined, answers[:, is_disguised], size)
    row.disguised_counts = (np.frombuffer(row.disguised_counts, np.int64) + more).tobytes()
    if numbers := true_sums_and_counts(design, true):
        row.numbers = {
            "all": _add_true_numbers(row.numbers, "all", numbers),
            "disguised": _add_true_numbers(
                row.numbers, "disguised", true_sums_and_counts(design, true[:, is_disguised])
            ),
        }
    row.save()


def _add_true_numbers(
    stored: Mapping[str, Any] | None, population: str, more: Mapping[str, TrueNumber]
) -> dict[str, Any]:
    before = parse_true_numbers(stored, population)
    return {
        name: node_to_json(before[name] + number if name in before else number)
        for name, number in more.items()
    }


def read_true_counts(survey: Survey) -> StoredTruth | None:
    """Returns the true counts of a rehearsal; None if nobody was simulated."""
    row = Truth.objects.filter(survey=survey).first()
    if row is None or survey.design_id is None:
        return None
    all_itemsets = ordered_itemsets(DesignRow.load_parsed(survey.design_id).mined, row.size)

    def population_truth(n: int, counts: bytes | memoryview, population: str) -> CountedTruth:
        by_itemset = dict(zip(all_itemsets, np.frombuffer(counts, np.int64).tolist(), strict=True))
        return CountedTruth(n, by_itemset, parse_true_numbers(row.numbers, population))

    return StoredTruth(
        population_truth(row.n, row.counts, "all"),
        population_truth(row.disguised, row.disguised_counts, "disguised"),
    )


def read_true_sums_and_counts(survey: Survey, *, disguised: bool) -> dict[str, TrueNumber]:
    """Returns the true sums and counts of numbers, by question name: of all respondents, or of those who
    chose disguise."""
    stored = Truth.objects.filter(survey=survey).values_list("numbers", flat=True).first()
    return parse_true_numbers(stored, "disguised" if disguised else "all")


def parse_true_numbers(stored: Mapping[str, Any] | None, population: str) -> dict[str, TrueNumber]:
    return {
        name: node_from_json(TrueNumber, data) for name, data in (stored or {}).get(population, {}).items()
    }


def delete_true_counts(survey: int, **kwargs: Any) -> None:
    """Deletes the true counts; called when all records of the survey are deleted."""
    Truth.objects.filter(survey=survey).delete()
