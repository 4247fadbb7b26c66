"""Computes true shares from a simulation or a file, and how far mined results are from them.

See docs/mathematics.md, Errors.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from mining.counting.mined_records import make_counter, pack_columns
from mining.counting.queries_to_column_paths import sort_distinct_within_rows
from mining.disclosure.verdict import Verdict
from mining.itemsets.candidates import ShowIfRouting, next_candidates, single_items
from mining.itemsets.frequent import ROUNDING
from mining.parameters import Parameters
from mining.queries_and_counters import NONE, Counter, Item, Numbering, Numbers, Queries, stack_tables
from privacy.designs import Design, InputError
from privacy.grammar.input_error import mark_for_translation as _
from privacy.records import read_truth
from privacy.records.batch_bit_columns import Columns

AMONG = "of people who chose disguise"
"""Words beside estimates from disguised records alone, in surveys that also have open records."""

Floats = NDArray[np.float64]
Itemset = tuple[Item, ...]


class TrueShares(Protocol):
    """Interface: the true share of each itemset among the people from whom it is estimated; NaN for itemsets of more
    than `max_itemset_size` items."""

    @property
    def design(self) -> Design: ...

    @property
    def max_itemset_size(self) -> int | None: ...

    def shares(self, itemsets: Numbers) -> Floats: ...


@dataclass(frozen=True)
class FileTruth:
    """True shares counted from a file of true answers; hidden answers are in no itemset.

    Itemsets with a number or place that a rule may hide have the share among people to whom it applies. Itemsets with
    both plain and sensitive items have the share among people who chose disguise, as their estimates do. With
    `withheld` (open records lack plain answers and places) the same holds for every itemset with a plain answer or a
    place.
    """

    counter: Counter
    withheld: bool = False

    @property
    def design(self) -> Design:
        return self.counter.design

    @property
    def max_itemset_size(self) -> None:
        return None

    def shares(self, itemsets: Numbers) -> Floats:
        none = np.empty((len(itemsets), 0), np.int32)
        counts = Numbering(self.design).scale_sums(
            itemsets, self.counter.count(Queries(itemsets, none, none))
        )
        among = self.counter.count(
            Queries(none, none, number_and_place_question_indexes(self.design, itemsets))
        ).astype(np.float64)
        of_disguised = is_estimated_from_disguised_alone(self.design, itemsets, withheld=self.withheld)
        above, below = (
            np.where(of_disguised, having[:, 1], having.sum(axis=1)) for having in (counts, among)
        )
        return np.asarray(above / np.maximum(below, 1))


@dataclass(frozen=True)
class PopulationTruth:
    """True shares in a population of `n` simulated respondents, from the counts of itemsets up to some size."""

    design: Design
    n: int
    counts: Mapping[Itemset, int]

    def share(self, itemset: Itemset, given: Itemset = (), *, shown: bool = False) -> float:
        """Returns the true share of people with the whole itemset among people with its subset `given`; NaN if it is
        not known.

        `shown`: only people to whom every question of the itemset applies; for numbers and places this holds always.
        """
        left = {question for question, _code in itemset} - {question for question, _code in given}
        always = {index for index in left if self.design.questions[index].asked_if_shown}
        below = self._count_shown(given, left if shown else always)
        return self._count_with(itemset) / below if below else np.nan

    def share_where_both_apply(self, item: Item, other: Item) -> float:
        """Returns the true share of people with `item` among people to whom both the question of `item` and that of
        `other` apply; NaN if it is not known."""
        below = self._count_shown((), {item[0], other[0]})
        return self._count_shown((item,), {other[0]}) / below if below else np.nan

    def count_with_item_and_applicable(self, item: Item, given: Itemset) -> tuple[float, float]:
        """Returns two counts of the people with itemset `given`: those who have the item, and those to whom the item's
        question applies."""
        return self._count_with((*given, item)), self._count_shown(given, {item[0]})

    def _count_shown(self, given: Itemset, shown: set[int]) -> float:
        """Returns the number of people who have all items `given` and gave an answer to each of the `shown`
        questions."""
        questions = self.design.questions
        codes = [
            [(index, code) for code in questions[index].partition]
            for index in sorted(shown)
            if questions[index].show_if
        ]
        return sum(self._count_with((*given, *answers)) for answers in product(*codes))

    def _count_with(self, itemset: Itemset) -> float:
        return self.counts.get(tuple(sorted(itemset)), np.nan) if itemset else self.n


@dataclass(frozen=True)
class RehearsalTruth:
    """True shares of a rehearsal's simulated respondents, for each population that estimates are about.

    `everybody` are the people whose records a run counts, `disguised` those who chose disguise; plain answers and
    places are counted among the latter alone. `direct` has single items of people asked directly; `everybody` is
    then the disguised arm.
    """

    everybody: PopulationTruth
    disguised: PopulationTruth
    direct: PopulationTruth | None = None

    @property
    def design(self) -> Design:
        return self.everybody.design

    @cached_property
    def max_itemset_size(self) -> int:
        return max(map(len, self.everybody.counts), default=0)

    def for_population(self, *, disguised_only: bool) -> PopulationTruth:
        """Returns the true shares among the people that an estimate is about: the disguised alone, or everybody."""
        return self.disguised if disguised_only else self.everybody

    def shares(self, itemsets: Numbers) -> Floats:
        numbering = Numbering(self.design)
        of_disguised = is_estimated_from_disguised_alone(self.design, itemsets, withheld=True)
        return np.array(
            [
                self.for_population(disguised_only=bool(only)).share(tuple(map(numbering.item, numbers)))
                for numbers, only in zip(_itemset_tuples(itemsets), of_disguised, strict=True)
            ],
            np.float64,
        )


def truly_frequent_itemsets(
    truth: TrueShares, parameters: Parameters, verdict: Verdict | None = None
) -> Numbers:
    """Returns the itemsets whose true support reaches the run's threshold, up to the largest size that the run searches
    and the truth covers.

    Itemsets that the `verdict` (what may be published) keeps a run from searching are left out.
    """
    numbering = Numbering(truth.design)
    largest = (
        parameters.max_size
        if truth.max_itemset_size is None
        else min(truth.max_itemset_size, parameters.max_size)
    )
    routing = ShowIfRouting(truth.design, numbering)
    levels = [single_items(truth.design, numbering, absences=parameters.absences, verdict=verdict)]
    while True:
        levels[-1] = levels[-1][truth.shares(levels[-1]) >= parameters.min_support - ROUNDING]
        if len(levels) >= largest or not len(levels[-1]):
            return stack_tables(levels)
        larger = next_candidates(levels[-1], numbering, parameters.most, routing, verdict)
        if larger is None:
            return stack_tables(levels)
        levels.append(larger)


def is_estimated_from_disguised_alone(
    design: Design, itemsets: Numbers, *, withheld: bool
) -> NDArray[np.bool_]:
    """Returns, for each itemset, whether it is estimated from disguised records alone, as itemsets with both plain and
    sensitive items are.

    `withheld`: also itemsets with an item that open records lack.
    """
    sensitive = np.array([section.sensitive for section in design.sections for _ in section.questions])
    questions = Numbering(design).question_indexes(itemsets)
    is_item = questions != NONE
    has_sensitive = (is_item & sensitive[questions]).any(axis=1)
    has_plain = (is_item & ~sensitive[questions]).any(axis=1)
    of_withheld = np.array([question.withheld_if_open for question in design.questions])
    lacking = withheld & (is_item & of_withheld[questions]).any(axis=1)
    return np.asarray(has_plain & has_sensitive | lacking, np.bool_)


def leaves_out_open_records(
    design: Design, itemsets: Numbers, n_open: int, *, withheld: bool
) -> NDArray[np.bool_]:
    """Returns, for each itemset, whether people could choose no disguise, but its estimate uses the disguised records
    alone; `n_open`: number of open records."""
    has_open = n_open > 0 and not design.has_arms
    return is_estimated_from_disguised_alone(design, itemsets, withheld=withheld) & has_open


def number_and_place_question_indexes(design: Design, itemsets: Numbers) -> Numbers:
    """Returns a table with a row per itemset: the ascending indexes of its number and place questions, filled up with
    NONE.

    Estimates of such itemsets are among people who were shown these questions.
    """
    is_one = np.array([question.asked_if_shown for question in design.questions])
    questions = Numbering(design).question_indexes(itemsets)
    return sort_distinct_within_rows(np.where((questions != NONE) & is_one[questions], questions, NONE))


@dataclass(frozen=True)
class SizeComparison:
    """Comparison of mined and true itemsets of one size: how many are reported, wrongly reported and missed, and the
    mean error W.

    `rho` is the mean of |S - S'|/S in percent over those both reported and truly frequent. A mean over no itemset is
    None.
    """

    size: int
    reported: int
    w: float | None
    false_positives: int
    false_negatives: int
    rho: float | None


@dataclass(frozen=True)
class TruthComparison:
    """The distance of a run's results from the truth.

    `w` is |S - S'| of each reported itemset, NaN if the truth is not known. `sizes`: counts by size of those with
    a known truth.
    """

    w: Floats
    sizes: tuple[SizeComparison, ...]

    @property
    def false_positives(self) -> int:
        return sum(size.false_positives for size in self.sizes)

    @property
    def false_negatives(self) -> int:
        return sum(size.false_negatives for size in self.sizes)


def compare_with_truth(
    itemsets: Numbers,
    support: Floats,
    truth: TrueShares,
    parameters: Parameters,
    verdict: Verdict | None = None,
) -> TruthComparison:
    """Compares the itemsets that a run reported with the truly frequent ones, among those that the `verdict` (what may
    be published) let the run search."""
    shares = truth.shares(itemsets)
    w = np.abs(support - shares)
    is_known = ~np.isnan(shares)
    right = shares >= parameters.min_support - ROUNDING
    size_of = (itemsets != NONE).sum(axis=1)
    reported = set(_itemset_tuples(itemsets))
    missed = [
        len(itemset)
        for itemset in _itemset_tuples(truly_frequent_itemsets(truth, parameters, verdict))
        if itemset not in reported
    ]
    largest = (
        parameters.max_size
        if truth.max_itemset_size is None
        else min(truth.max_itemset_size, parameters.max_size)
    )
    sizes = []
    for size in range(1, largest + 1):
        mine = size_of == size
        both = right & mine
        error = mean_or_none(100 * w[both] / shares[both])
        wrong = int((mine & is_known & ~right).sum())
        sizes.append(
            SizeComparison(
                size, int(mine.sum()), mean_or_none(w[mine & is_known]), wrong, missed.count(size), error
            )
        )
    return TruthComparison(w, tuple(sizes))


def mean_or_none(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def _itemset_tuples(itemsets: Numbers) -> Sequence[tuple[int, ...]]:
    return [tuple(number for number in row if number != NONE) for row in itemsets.tolist()]


AT_ONCE = 1 << 13
"""Number of people packed at once, a multiple of 64: each fills whole words of a column."""


def read_true_counter(design: Design, file: BinaryIO, name: str, respondents: int) -> Counter:
    """Reads a file of true answers into a counter; it has one row for each of the `respondents`, in any order."""
    columns = list[Columns]()

    def mined_codes(answers: Sequence[int | None]) -> list[int]:
        _check_drawn_answers_given(design, answers, name)
        return [
            question.mined_code(answer) for question, answer in zip(design.questions, answers, strict=True)
        ]

    people = ((row.group, mined_codes(row.answers)) for row in read_truth(file, name, design))
    while some := list(islice(people, AT_ONCE)):
        group, codes = zip(*some, strict=True)
        columns.append(pack_columns(design.mined, np.array(group, np.uint8), np.array(codes, np.uint16).T))
    rows = sum(part.n for part in columns)
    if rows != respondents:
        raise InputError(
            name, _("%(rows)s respondents, but %(records)s records"), rows=rows, records=respondents
        )
    return make_counter(design.mined, columns, all_drawn=True)


def _check_drawn_answers_given(design: Design, answers: Sequence[int | None], name: str) -> None:
    """Raises `InputError` if a true answer to a drawn question is missing, since its version would be unknown."""
    for question, answer in zip(design.questions, answers, strict=True):
        if question.share_parts and answer is None:
            raise InputError(
                f"{name}: {question.name}",
                _("fill in what each device drew, to compare with the true values"),
            )
