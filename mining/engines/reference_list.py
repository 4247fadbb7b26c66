"""The reference list: every itemset that a run should list, found apart from its search.

Shares with the search the reading of records, the design and the stored verdict. Each itemset of items that may be told
is inverted, whether or not its parts are frequent; where these are too many, itemsets of frequent parts alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.verdict import Verdict
from mining.engines.record_means import Floats, RecordBits, count_means, rows_by_shape
from mining.engines.row_comparison import ROUNDING, Itemset
from mining.parameters import Parameters
from mining.queries_and_counters import Numbers

MOST_CANDIDATES = 200_000
"""Most itemsets of all sizes that are inverted whether or not their parts are frequent."""
NO, YES, REFUSED = "no", "yes", "prefer-not-to-say"
SLACK = 1e-3
"""Share of a standard error by which two computations of it may differ."""


@dataclass(frozen=True)
class Inverted:
    """Itemsets of one shape with their supports and standard errors; `enough`: with the records that Floors ask for,
    `should_stand`: a run should list them."""

    itemsets: Numbers
    support: Floats
    se: Floats
    enough: NDArray[np.bool_]
    should_stand: NDArray[np.bool_]

    def supports(self) -> Iterator[tuple[Itemset, float]]:
        """Yields the itemsets that a run should list, with their supports."""
        rows = self.itemsets[self.should_stand].tolist()
        yield from zip(map(frozenset, rows), self.support[self.should_stand].tolist(), strict=True)


@dataclass(frozen=True)
class Reference:
    """`listed`: the supports of all itemsets that a run should list. `inverted`: all itemsets that were. `untold`: so
    many itemsets were left out because they may not be told. `is_whole`: no itemset was left out for its parts."""

    listed: Mapping[Itemset, float]
    inverted: Sequence[Inverted]
    untold: int
    is_whole: bool

    @cached_property
    def by_itemset(self) -> dict[Itemset, tuple[float, float, bool]]:
        """Support, standard error and whether there are enough records, by itemset."""
        columns = ((of.itemsets, of.support, of.se, of.enough) for of in self.inverted)
        rows = (zip(*(column.tolist() for column in each), strict=True) for each in columns)
        return {frozenset(row): (support, se, enough) for each in rows for row, support, se, enough in each}


@dataclass(frozen=True)
class MissingItemsets:
    """The itemsets of a reference that a list lacks, by cause. `pruned`: a part is below the threshold by more than the
    margin of the search. `unexplained`: there is no cause, so the search is wrong."""

    too_few: int
    too_large: int
    pruned: int
    unexplained: tuple[tuple[Itemset, float], ...]


def find_reference(bits: RecordBits, parameters: Parameters, verdict: Verdict) -> Reference:
    """Returns the reference list of these records; its cost grows with the number of items to the power of the size."""
    listed: dict[Itemset, float] = {}
    inverted: list[Inverted] = []
    items = _starting_items(verdict, bits, absences=parameters.absences)
    rows = np.empty((1, 0), np.int32)
    untold, is_whole = 0, True
    for _size in range(parameters.max_size):
        many = sum(len(of.itemsets) for of in inverted) + _count_longer(rows, items)
        is_whole = is_whole and many <= MOST_CANDIDATES
        if not is_whole:
            rows = np.array([row for row in rows.tolist() if frozenset(row) in listed], np.int32).reshape(
                -1, rows.shape[1]
            )
        longer = _longer(rows, items, bits.laws.numbering.question)
        if not is_whole:
            longer = _with_listed_parts(longer, listed)
        rows, withheld = _tellable(longer, verdict, bits)
        untold += withheld
        if not len(rows):
            break
        inverted += _invert(rows, bits, parameters)
        listed.update(
            one for of in inverted for one in of.supports() if of.itemsets.shape[1] == rows.shape[1]
        )
    return Reference(listed, inverted, untold, is_whole)


def explain_missing(
    reference: Reference, listed: set[Itemset], parameters: Parameters, stopped_size: int | None
) -> MissingItemsets:
    """Says why a list lacks itemsets of the reference; `stopped_size`: at which its search stopped."""
    least = parameters.min_support - ROUNDING
    few = sum(int((~of.enough & (of.support >= least)).sum()) for of in reference.inverted)
    large = pruned = 0
    unexplained: list[tuple[Itemset, float]] = []
    for itemset, support in reference.listed.items():
        if itemset in listed:
            continue
        parts = [reference.by_itemset[part] for part in _proper_parts(itemset)]
        if stopped_size is not None and len(itemset) >= stopped_size:
            large += 1
        elif not all(enough for _support, _se, enough in parts):
            few += 1
        elif not parameters.exact and any(
            part + parameters.errors * (1 - SLACK) * se < parameters.min_support
            for part, se, _enough in parts
        ):
            pruned += 1
        else:
            unexplained.append((itemset, support))
    return MissingItemsets(few, large, pruned, tuple(sorted(unexplained, key=_size_and_items)))


def _size_and_items(row: tuple[Itemset, float]) -> tuple[int, list[int]]:
    return len(row[0]), sorted(row[0])


def _proper_parts(itemset: Itemset) -> Iterator[Itemset]:
    for size in range(1, len(itemset)):
        yield from map(frozenset, combinations(itemset, size))


# --- which itemsets


def _starting_items(verdict: Verdict, bits: RecordBits, *, absences: bool) -> NDArray[np.int32]:
    """The items of docs/mathematics.md, Items, without items of scores."""
    numbers = []
    for index, question in enumerate(verdict.design.questions):
        names = [choice.name for choice in question.choices]
        for code, name in enumerate(names):
            is_absent = name == REFUSED or (name == NO and YES in names) or code not in question.listed_codes
            if not question.scored and (absences or not is_absent):
                numbers.append(bits.laws.numbering.number((index, code)))
    return np.array(numbers, np.int32)


def _count_longer(rows: Numbers, items: NDArray[np.int32]) -> int:
    """At most so many itemsets have one item more than these."""
    last = rows.max(axis=1, initial=-1)
    return int((len(items) - np.searchsorted(items, last, "right")).sum())


def _longer(rows: Numbers, items: NDArray[np.int32], question: NDArray[np.int32]) -> Numbers:
    """The itemsets of these and one later item of another question."""
    last = rows.max(axis=1, initial=-1)
    is_later = items > last[:, None]
    for column in rows.T:
        is_later &= question[items] != question[column, None]
    before, more = np.nonzero(is_later)
    return np.concatenate([rows[before], items[more, None]], axis=1)


def _with_listed_parts(rows: Numbers, listed: Mapping[Itemset, float]) -> Numbers:
    size = rows.shape[1] - 1
    keep = [all(frozenset(part) in listed for part in combinations(row, size)) for row in rows.tolist()]
    return rows[np.array(keep, np.bool_)] if size else rows


def _tellable(rows: Numbers, verdict: Verdict, bits: RecordBits) -> tuple[Numbers, int]:
    """The itemsets that may be told and that the rules of the questionnaire neither imply nor rule out; and how many
    may not be told."""
    numbering = bits.laws.numbering
    shown = np.array([verdict.may_publish_count_of(numbering.item(one)) for one in range(len(numbering))])
    questions, place = np.unique(numbering.question[rows], axis=0, return_inverse=True)
    told = np.array([verdict.may_tell(chosen) for chosen in questions.tolist()], np.bool_)
    may = shown[rows].all(axis=1) & told[place.ravel()]
    rows, untold = rows[may], int((~may).sum())
    if any(question.show_if for question in verdict.design.questions):
        settled = [_is_settled(verdict, [*map(numbering.item, row)]) for row in rows.tolist()]
        rows = rows[~np.array(settled, np.bool_)]
    return rows, untold


def _is_settled(verdict: Verdict, items: list[tuple[int, int]]) -> bool:
    """True if show-if rules imply an item of the others, or rule it out (What the questionnaire implies)."""
    questions = verdict.design.questions
    for question, code in items:
        waiting = [other for other, _code in items if other != question]
        seen, choices = set(waiting), set(range(len(questions[question].choices)))
        while waiting:
            for rule in questions[waiting.pop()].show_if:
                if rule.place == question:
                    choices &= set(rule.codes)
                if rule.place not in seen:
                    seen.add(rule.place)
                    waiting.append(rule.place)
        if code not in choices or (choices == {code} and len(questions[question].choices) > 1):
            return True
    return False


# --- their supports


def _invert(rows: Numbers, bits: RecordBits, parameters: Parameters) -> Iterator[Inverted]:
    for shape, places in rows_by_shape(bits.laws, rows):
        means = count_means(bits, rows[places], shape)
        support, se = means.support_and_error(parameters.estimator)
        reaches = support >= parameters.min_support - ROUNDING
        yield Inverted(rows[places], support, se, means.enough, means.enough & means.has_some & reaches)
