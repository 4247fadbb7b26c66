"""The linear attacker: finds which counts of people follow, by sums and differences, from all published
counts.

Each published count is a sum over kinds of records. A kind is a combination of plain answers, population,
span of batches, and classes in releases. Kinds that nobody has count as possible, since the attacker cannot
rule them out. A cell's count follows if its row of zeros and ones over kinds is a linear combination of the
published rows (docs/mathematics.md, What leaves).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, islice, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.plain_table_counts import LEAST, is_possible, questions_in_rules
from privacy.designs import Design

PRIMES = (2**31 - 1, 2**31 - 19)
"""Moduli of the linear algebra: a count that follows modulo the first is checked again modulo the second."""
MOST_ROWS, MOST_KINDS = 1_000, 6_000
"""Largest numbers of published counts and of kinds of records that are examined together; above, the tables of most
questions are left out, and named in the result."""
MOST_ANSWERS, MOST_TRIED = 3, 400
"""Largest number of plain answers of a tried cell; number of cells of ten or more that are tried for the smallest
count."""
DISGUISED, KEPT, UNUSED = range(3)
EVERYBODY = (DISGUISED, KEPT, UNUSED)
POPULATIONS = {"disguised": (DISGUISED,), "open": (KEPT, UNUSED), "kept": (KEPT,), "all": EVERYBODY}
"""Populations whose cells the attacker tries, by name.

`kept` is tried too, since readers may not know that there are no other open records.
"""

Integers = NDArray[np.int64]
Where = Mapping[int, frozenset[int]]
"""States that are counted together, by plain question; a question without an entry may have any state."""


@dataclass(frozen=True)
class PublishedCount:
    """A published count: the number of records of some `populations`, in batches 1..last_batch, with the answers
    `where`."""

    populations: tuple[int, ...]
    last_batch: int
    where: Where = field(default_factory=dict)


@dataclass(frozen=True)
class PublishedRelease:
    """A published table of anonymised microdata: for each record its equivalence class, or -1 if the table leaves it
    out; made from the disguised records of batches 1..last_batch."""

    last_batch: int
    classes: Integers


@dataclass(frozen=True)
class AttackedRecords:
    """The true records against which the attack is checked.

    `states` has, for each question of the mined `design`, the state in each record; the last state is *not
    applicable*. `population` and `batch` have each record's population and last batch.
    """

    design: Design
    states: Mapping[int, Integers]
    population: Integers
    batch: Integers


@dataclass(frozen=True)
class SmallestCount:
    """A count that readers can compute: the number of records of a population, in batches first_batch..last_batch, with
    the answers `cell`, or with those of `opposite` where that is not empty."""

    count: int
    population: str
    cell: tuple[tuple[int, int], ...]
    first_batch: int
    last_batch: int
    opposite: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class PublishedTotal:
    """Published bounds of the number of all records, open and disguised, in batches after+1..last_batch; `high` None:
    no upper bound."""

    after: int
    last_batch: int
    low: int
    high: int | None


@dataclass(frozen=True)
class OpenPeople:
    """Computed bounds of the number of people in the batches first..last who chose no disguise; `high` None: no upper
    bound."""

    first_batch: int
    last_batch: int
    low: int
    high: int | None

    def is_few(self, *, only_exact: bool) -> bool:
        """Returns True if readers can tell that between one and nine people at most chose no disguise.

        `only_exact`: only if readers can tell the exact number.
        """
        is_below = self.high is not None and 0 < self.high < LEAST
        return is_below and (self.low == self.high or not only_exact)


@dataclass(frozen=True)
class AttackResult:
    """The result of the linear attack on all published counts.

    `smallest`: the smallest count above 0 that readers can compute, None where there is none. `smallest_sum`: the
    smallest one below ten of two opposite combinations together, which is no reason to refuse. `left_out`: the
    questions of tables that were too large to try. `open_people`: bounds for each span of batches. `few_open`: a span
    in which readers can tell that too few people chose no disguise.
    """

    smallest: SmallestCount | None
    left_out: tuple[tuple[int, ...], ...] = ()
    open_people: tuple[OpenPeople, ...] = ()
    few_open: OpenPeople | None = None
    smallest_sum: SmallestCount | None = None

    @property
    def reveals_few(self) -> bool:
        return self.few_open is not None or (self.smallest is not None and self.smallest.count < LEAST)


def attack_published_counts(
    records: AttackedRecords, published: Sequence[PublishedCount], releases: Sequence[PublishedRelease] = ()
) -> AttackResult:
    """Finds the smallest counts that follow from all published counts and releases.

    Takes about 2 s for 1,000 published counts (`published`) and 6,000 kinds of records.
    """
    smallest_counts: list[SmallestCount] = []
    smallest_sums: list[SmallestCount] = []
    left_out: list[tuple[int, ...]] = []
    design = records.design
    for questions in group_connected_questions(
        [(*cell.where, *questions_in_rules(design, cell.where)) for cell in published]
    ):
        of_group = [cell for cell in published if set(cell.where) <= set(questions)]
        group = QuestionGroup(records, questions, of_group, releases)
        while not group.is_small_enough and (largest := max(map(len, map(tuple, group.tables)), default=0)):
            gone = [table for table in group.tables if len(table) == largest]
            left_out += gone
            kept = [cell for cell in group.told if tuple(sorted(cell.where)) not in gone]
            named = sorted({question for cell in kept for question in cell.where})
            group = QuestionGroup(records, tuple(named), kept, releases)
        if (smallest := group.find_smallest_count()) is not None:
            smallest_counts.append(smallest)
        if (smallest := group.find_smallest_opposite_sum()) is not None:
            smallest_sums.append(smallest)
    return AttackResult(
        min(smallest_counts, key=lambda one: (one.count, len(one.cell)), default=None),
        tuple(left_out),
        smallest_sum=min(smallest_sums, key=lambda one: one.count, default=None),
    )


def bound_open_people(disguised: Mapping[int, int], totals: Sequence[PublishedTotal]) -> list[OpenPeople]:
    """Returns, for each span of batches, the bounds that readers can compute of how many people chose no disguise.

    `disguised` has, by last batch, the number of disguised records in batches 1..last_batch, which is published
    exactly. Each of `totals` bounds a difference of two running counts of open people, and no count falls. Shortest
    paths over these bounds give the ends that follow from all of them, and these ends are attained
    (docs/mathematics.md, What leaves).
    """
    ends = [0, *sorted(disguised)]
    running = {0: 0, **disguised}
    # highest[i, j]: so many open records more has the end j than the end i, at most.
    highest = np.full((len(ends), len(ends)), np.inf)
    highest[np.tril_indices(len(ends))] = 0
    for total in totals:
        i, j = ends.index(total.after), ends.index(total.last_batch)
        many = running[total.last_batch] - running[total.after]
        highest[j, i] = min(highest[j, i], many - total.low)
        if total.high is not None:
            highest[i, j] = min(highest[i, j], total.high - many)
    for k in range(len(ends)):
        highest = np.minimum(highest, highest[:, k, None] + highest[k])
    return [
        OpenPeople(
            ends[i] + 1,
            ends[j],
            -int(highest[j, i]),
            int(highest[i, j]) if np.isfinite(highest[i, j]) else None,
        )
        for i, j in combinations(range(len(ends)), 2)
    ]


def group_connected_questions(tables: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Returns groups of questions that one of `tables` (published tables and show-if rules) connects, directly or over
    other tables; one empty group if there is no table."""
    groups: list[set[int]] = []
    for table in filter(None, map(set, tables)):
        joined = [group for group in groups if group & table]
        groups = [group for group in groups if not group & table] + [table.union(*joined)]
    return [tuple(sorted(group)) for group in groups] or [()]


@dataclass(frozen=True)
class QuestionGroup:
    """A group of questions that published tables connect, with the counts published about them: one system of linear
    equations."""

    records: AttackedRecords
    questions: tuple[int, ...]
    told: Sequence[PublishedCount]
    releases: Sequence[PublishedRelease]

    @cached_property
    def tables(self) -> list[tuple[int, ...]]:
        return sorted({tuple(sorted(cell.where)) for cell in self.told if cell.where})

    @cached_property
    def last_batch_by_span(self) -> list[int]:
        """Last batch of each span, a range of batches between two publications."""
        ends = {cell.last_batch for cell in self.told} | {one.last_batch for one in self.releases}
        return sorted(ends | {int(self.records.batch.max(initial=1))})

    @cached_property
    def state_counts(self) -> list[int]:
        questions = self.records.design.questions
        return [questions[question].codes + bool(questions[question].show_if) for question in self.questions]

    @property
    def is_small_enough(self) -> bool:
        possible = prod(self.state_counts) * len(EVERYBODY) * len(self.last_batch_by_span)
        return possible <= MOST_KINDS and len(self.told) <= MOST_ROWS

    # --- kinds ----------------------------------------------------------------------------------------------

    @cached_property
    def span_by_record(self) -> Integers:
        """For each record, the index of its span of batches."""
        return np.searchsorted(self.last_batch_by_span, self.records.batch)

    @cached_property
    def record_kinds(self) -> Integers:
        """Table with a row for each kind of records: states of the questions, population, span of batches, class in
        each release.

        A kind is a row if it is possible or some record has it.
        """
        possible = [
            (*cell, population, span, *([-1] * len(self.releases)))
            for cell in product(*map(range, self.state_counts))
            if is_possible(self.records.design, dict(zip(self.questions, cell, strict=True)))
            for population in EVERYBODY
            for span in range(len(self.last_batch_by_span))
        ]
        table = np.array(possible, np.int64)
        if not self.releases:
            return table
        wide = len(self.questions)
        for release in self.releases:
            # Of those a release is made of nobody is absent, unless it left somebody out.
            inside = self.records.batch <= release.last_batch
            inside &= self.records.population == DISGUISED
            if not (release.classes[inside] < 0).any():
                end = self.last_batch_by_span.index(release.last_batch)
                table = table[(table[:, wide] != DISGUISED) | (table[:, wide + 1] > end)]
        return np.unique(np.concatenate([table, self._kind_of_record]), axis=0)

    @cached_property
    def _kind_of_record(self) -> Integers:
        records = self.records
        columns = [records.states[question] for question in self.questions]
        classes = [release.classes for release in self.releases]
        return np.stack([*columns, records.population, self.span_by_record, *classes], axis=1).astype(
            np.int64
        )

    def _published_count_rows(self, table: Integers) -> Iterator[NDArray[np.bool_]]:
        """Yields each published count as a row of zeros and ones over the kinds in `table`."""
        wide = len(self.questions)
        population, span = table[:, wide], table[:, wide + 1]
        for cell in self.told:
            chosen = np.isin(population, cell.populations) & (
                span <= self.last_batch_by_span.index(cell.last_batch)
            )
            yield chosen & self._kinds_in_cell(table, cell.where)
        for number, release in enumerate(self.releases):
            classes = table[:, wide + 2 + number]
            for label in np.unique(release.classes[release.classes >= 0]).tolist():
                yield classes == label

    def _kinds_in_cell(self, table: Integers, where: Where) -> NDArray[np.bool_]:
        met = np.ones(len(table), np.bool_)
        for column, question in enumerate(self.questions):
            if question in where:
                met &= np.isin(table[:, column], sorted(where[question]))
        return met

    # --- what follows ---------------------------------------------------------------------------------------

    def find_smallest_count(self) -> SmallestCount | None:
        """Returns the smallest count above 0 that follows from the published counts; None if none follows."""
        wanted = sorted(self._candidates, key=lambda one: (one.count, len(one.cell)))
        few = sum(target.count < LEAST for target in wanted)
        return self._first_that_follows(wanted[: few + MOST_TRIED])

    def find_smallest_opposite_sum(self) -> SmallestCount | None:
        """Returns the smallest count below ten that follows of two combinations of three answers together, which differ
        in each answer; None if none follows.

        Where all pairs of three yes/no questions are published, each such sum follows.
        """
        few: dict[tuple[object, ...], list[SmallestCount]] = {}
        for one in self._candidates:
            if len(one.cell) == MOST_ANSWERS and one.count < LEAST:
                asked = [question for question, _state in one.cell]
                few.setdefault((*asked, one.population, one.first_batch, one.last_batch), []).append(one)
        sums = (
            replace(one, count=one.count + other.count, opposite=other.cell)
            for cells in few.values()
            for one, other in combinations(cells, 2)
            if one.count + other.count < LEAST and not set(one.cell) & set(other.cell)
        )
        return self._first_that_follows(sorted(islice(sums, MOST_TRIED), key=lambda one: one.count))

    @cached_property
    def _equations(self) -> tuple[Integers, int, list["EchelonRows"]]:
        """For each kind the number of its distinct column, how many distinct ones there are, and the published counts
        over these in echelon form."""
        rows = np.array(list(self._published_count_rows(self.record_kinds)), np.int64).reshape(
            -1, len(self.record_kinds)
        )
        first, of_kind = distinct_column_positions(rows)
        return of_kind, len(first), [EchelonRows.reduce_rows(rows[:, first], prime) for prime in PRIMES]

    def _first_that_follows(self, wanted: Sequence[SmallestCount]) -> SmallestCount | None:
        of_kind, columns, known = self._equations
        for start in range(0, len(wanted), MOST_TRIED):
            some = wanted[start : start + MOST_TRIED]
            targets = np.array(
                [self._row_over_merged_kinds(self._cell_row(target), of_kind, columns) for target in some]
            )
            follows = (targets[:, 0] >= 0) & np.all([one.spans(targets) for one in known], axis=0)
            if follows.any():
                return some[int(follows.argmax())]
        return None

    def _row_over_merged_kinds(self, row: NDArray[np.bool_], of_kind: Integers, columns: int) -> Integers:
        """Returns a row over kinds as a row over sets of kinds, whose members no published count tells apart.

        The first entry is -1 where the row would divide such a set.
        """
        sizes = np.bincount(of_kind, minlength=columns)
        inside = np.bincount(of_kind, weights=row, minlength=columns).astype(np.int64)
        merged: Integers = (inside == sizes).astype(np.int64)
        if ((inside > 0) & (inside < sizes)).any():
            merged[0] = -1
        return merged

    @cached_property
    def _candidates(self) -> list[SmallestCount]:
        return list(self._candidate_cells())

    def _candidate_cells(self) -> Iterator[SmallestCount]:
        """Yields each cell with its count, if that is not 0: a combination of up to three answers, a population and a
        range of batches."""
        wide, ends = len(self.questions), [0, *self.last_batch_by_span]
        for size in range(min(MOST_ANSWERS, wide) + 1):
            for columns in combinations(range(wide), size):
                shape = [
                    *(self.state_counts[column] for column in columns),
                    len(EVERYBODY),
                    len(self.last_batch_by_span),
                ]
                cells = self._kind_of_record[:, [*columns, wide, wide + 1]]
                counts = np.bincount(np.ravel_multi_index(tuple(cells.T), shape), minlength=prod(shape))
                for cell in product(*(range(self.state_counts[column]) for column in columns)):
                    answers = tuple(
                        (self.questions[column], state) for column, state in zip(columns, cell, strict=True)
                    )
                    for name, populations in POPULATIONS.items():
                        by_span = counts.reshape(shape)[cell][list(populations)].sum(axis=0)
                        until = [0, *by_span.cumsum().tolist()]
                        for low, high in combinations(range(len(ends)), 2):
                            if count := until[high] - until[low]:
                                yield SmallestCount(count, name, answers, ends[low] + 1, ends[high])

    def _cell_row(self, target: SmallestCount) -> NDArray[np.bool_]:
        """Returns the cell `target` as a mask over kinds of records: True for each kind in the cell."""
        table, wide = self.record_kinds, len(self.questions)
        span, ends = table[:, wide + 1], [0, *self.last_batch_by_span]
        inside = (span >= ends.index(target.first_batch - 1)) & (span < ends.index(target.last_batch))
        answered = np.zeros(len(table), np.bool_)
        for cell in (target.cell, target.opposite) if target.opposite else (target.cell,):
            answered |= self._kinds_in_cell(table, {place: frozenset({state}) for place, state in cell})
        chosen = inside & np.isin(table[:, wide], POPULATIONS[target.population]) & answered
        return np.asarray(chosen, np.bool_)


def distinct_column_positions(rows: Integers) -> tuple[Integers, Integers]:
    """Returns the index at which each distinct column first occurs, and for every column the number of the distinct
    column that equals it."""
    packed = np.ascontiguousarray(np.packbits(rows.astype(np.bool_), axis=0).T)
    if not packed.shape[1]:
        return np.zeros(min(1, rows.shape[1]), np.int64), np.zeros(rows.shape[1], np.int64)
    _columns, first, positions = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    return first, positions.ravel()


@dataclass(frozen=True)
class EchelonRows:
    """Rows in reduced row echelon form modulo a prime; `pivots`: the column of each row's first entry."""

    rows: Integers
    pivots: list[int]
    prime: int

    @classmethod
    def reduce_rows(cls, rows: Integers, prime: int) -> "EchelonRows":
        rows, pivots = rows % prime, list[int]()
        for column in range(rows.shape[1]):
            done = len(pivots)
            candidates = np.flatnonzero(rows[done:, column])
            if not len(candidates):
                continue
            rows[[done, done + candidates[0]]] = rows[[done + candidates[0], done]]
            rows[done] = rows[done] * pow(int(rows[done, column]), -1, prime) % prime
            others = np.flatnonzero(rows[:, column])
            others = others[others != done]
            rows[others] = (rows[others] - rows[others, column, None] * rows[done]) % prime
            pivots.append(column)
            if len(pivots) == len(rows):
                break
        return cls(rows[: len(pivots)], pivots, prime)

    def spans(self, targets: Integers) -> NDArray[np.bool_]:
        """Returns True for each target that is a linear combination of the rows."""
        left = targets % self.prime
        for row, pivot in zip(self.rows, self.pivots, strict=True):
            some = np.flatnonzero(left[:, pivot])
            left[some] = (left[some] - left[some, pivot, None] * row) % self.prime
        return np.asarray(~left.any(axis=1))
