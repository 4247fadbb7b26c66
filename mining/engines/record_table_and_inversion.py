"""The disguised records as a table with one column a record, and the inversion computed literally by its formulas."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from mining.counting.mined_records import MinedRecords
from mining.queries_and_counters import Item, Numbering
from mining.reconstruction import CachedCounter, Estimator
from privacy.designs import Design
from privacy.records import DISGUISED, OPEN
from privacy.records.batch_bit_columns import Columns, unpack_columns
from privacy.records.mined_code_conversion import mined_codes

Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]
Itemset = tuple[Item, ...]


@dataclass(frozen=True)
class RecordTable:
    """The disguised records, one column each; `has_item` has a row per item, `asked` and `applies` one per question."""

    design: Design
    disguised: Bits
    has_item: Bits
    asked: Bits
    applies: Bits

    @classmethod
    def from_records(cls, records: MinedRecords, counter: CachedCounter | None = None) -> "RecordTable":
        """Makes the table of the records.

        If the `counter` ignores plain answers of open records, the table leaves them out too.
        """
        complete = [
            _empty_arrays(records.design),
            *(_unpack_part(part, withheld=False) for part in records.complete),
        ]
        without_plain = [_unpack_part(part, withheld=True) for part in records.without_plain]
        columns = zip(*complete, *without_plain, strict=True)
        disguised, has_item, asked, applies = (np.concatenate(parts, axis=-1) for parts in columns)
        if counter is not None and counter.withheld.any():
            lacking = counter.withheld[:, None] & ~disguised
            asked, applies = asked & ~lacking, applies & ~lacking
            has_item &= ~lacking[counter.numbering.question]
        # Records of the direct arm are compared with the others, and not mined.
        mined = disguised | (not records.design.has_arms)
        return cls(
            records.design,
            disguised[mined],
            # Rows in one piece, which sums and products over records read three times as fast.
            *(np.ascontiguousarray(rows[:, mined]) for rows in (has_item, asked, applies)),
        )

    @cached_property
    def numbering(self) -> Numbering:
        return Numbering(self.design)

    @cached_property
    def section_by_question(self) -> list[int]:
        """The index of each question's section."""
        return [index for index, section in enumerate(self.design.sections) for _ in section.questions]

    def has_items(self, itemset: Sequence[Item]) -> Bits:
        return _all_rows_true(self.has_item[[self.numbering.number(item) for item in itemset]])

    def applies_to_all(self, itemset: Sequence[Item]) -> Bits:
        return _all_rows_true(self.applies[[question for question, _ in itemset]])

    def records_asked(self, itemset: Sequence[Item]) -> Bits:
        """Returns True for each record whose device drew all questions of the itemset; for disguised records alone if
        it has both plain and sensitive items."""
        drew = _all_rows_true(self.asked[[question for question, _ in itemset]])
        kinds = {self.is_sensitive(item) for item in itemset}
        return drew & self.disguised if len(kinds) == 2 else drew

    def is_sensitive(self, item: Item) -> bool:
        return self.design.sections[self.section_by_question[item[0]]].sensitive

    def split_by_section(self, itemset: Itemset) -> list[Itemset]:
        places = sorted({self.section_by_question[question] for question, _ in itemset})
        return [
            tuple(item for item in itemset if self.section_by_question[item[0]] == index) for index in places
        ]

    def keep_probability(self, part: Itemset) -> float:
        return self._keep_and_noise_chance(part)[0]

    def chance_by_noise_alone(self, part: Itemset) -> float:
        """Returns c = (1-p) q, the probability that a record has these items of one section by noise alone."""
        return self._keep_and_noise_chance(part)[1]

    def _keep_and_noise_chance(self, part: Itemset) -> tuple[float, float]:
        if part not in self._law_cache:
            index = self.section_by_question[part[0][0]]
            law = self.design.sections[index].itemset_law
            first = self.section_by_question.index(index)
            q = law.noise_probability((question - first, code) for question, code in part) if law else 0
            self._law_cache[part] = (float(law.keep), float((1 - law.keep) * q)) if law else (1.0, 0.0)
        return self._law_cache[part]

    @cached_property
    def _law_cache(self) -> dict[Itemset, tuple[float, float]]:
        return {}

    def scores(self, itemset: Itemset) -> Floats:
        """Returns, for every record, the score z of this itemset, whose mean estimates the support without bias."""
        disguised = np.ones(self.disguised.shape)
        for part in self.split_by_section(itemset):
            disguised *= (self.has_items(part) - self.chance_by_noise_alone(part)) / self.keep_probability(
                part
            )
        scores = np.where(self.disguised, disguised, self.has_items(itemset))
        return np.where(self.applies_to_all(itemset), scores, 0.0)


def _all_rows_true(rows: Bits) -> Bits:
    return np.asarray(rows.all(axis=0), np.bool_)


def _empty_arrays(design: Design) -> tuple[Bits, Bits, Bits, Bits]:
    """Returns the four arrays of a table (disguised, has_item, asked, applies) without any record."""
    heights = (len(Numbering(design)), len(design.questions), len(design.questions))
    has_item, asked, applies = (np.zeros((height, 0), np.bool_) for height in heights)
    return np.zeros(0, np.bool_), has_item, asked, applies


def _unpack_part(columns: Columns, *, withheld: bool) -> tuple[Bits, Bits, Bits, Bits]:
    group, codes = unpack_columns(columns)
    design, codes = columns.design.mined, mined_codes(columns.design, codes)
    questions = design.questions
    told = np.array([not question.withheld_if_open for question in questions])
    is_known = told[:, None] | (not withheld)
    not_asked = np.array([question.not_asked for question in questions])[:, None]
    asked = is_known & (codes != not_asked)
    applies = is_known & (codes < not_asked)
    sizes = Numbering(design).sizes.tolist()
    has_item = [
        # Nobody has an item of scores: records add a score to it.
        row & (code_row == code) & (not question.scored)
        for question, row, code_row, size in zip(questions, applies, codes, sizes, strict=True)
        for code in range(size)
    ]
    return group == DISGUISED, np.array(has_item, np.bool_).reshape(len(has_item), len(group)), asked, applies


def estimate_support(table: RecordTable, itemset: Itemset, base: Bits, estimator: Estimator) -> float:
    """Estimates the support P(S) among the records of `base`."""
    if estimator == "pooled":
        return pooled_support(table, itemset, base)
    scores = table.scores(itemset)
    stratified = float(scores[base].mean())
    if estimator == "stratified":
        return stratified
    return _combined_support(table, itemset, base, scores, stratified)


def _combined_support(
    table: RecordTable, itemset: Itemset, base: Bits, scores: Floats, start: float
) -> float:
    """Returns the mean of both groups' mean scores, weighted by the inverse of their variances at the common
    support."""
    groups = [base & (table.disguised == group) for group in (OPEN, DISGUISED)]
    slopes = [
        1.0,
        prod(
            (1 - 2 * table.chance_by_noise_alone(part)) / table.keep_probability(part)
            for part in table.split_by_section(itemset)
        ),
    ]
    common = start
    for _ in range(3):
        above = below = 0.0
        for group, slope in zip(groups, slopes, strict=True):
            if n := int(group.sum()):
                mean, second = float(scores[group].mean()), float((scores[group] ** 2).mean())
                # Noise may push an estimate out of [0, 1]; then the variance is taken half a record inside.
                at = min(max(common, 0.5 / base.sum()), 1 - 0.5 / base.sum())
                variance = (max(second - slope * mean + slope * at, at) - at**2) / n
                above, below = above + mean / variance, below + 1 / variance
        common = above / below
    return common


def pooled_support(table: RecordTable, itemset: Itemset, base: Bits) -> float:
    """Returns the support by the paper's recursive inversion, among records to which all of the itemset applies, times
    the share of those records."""
    applying = base & table.applies_to_all(itemset)
    if not applying.any():
        return 0.0
    share = float(applying.sum() / base.sum())
    return share * _invert_parts(table, table.split_by_section(itemset), applying)


def _invert_parts(table: RecordTable, parts: Sequence[Itemset], records: Bits) -> float:
    if not parts:
        return 1.0
    k = 1 - table.disguised[records].mean()
    whole = tuple(chain.from_iterable(parts))
    observed = table.has_items(whole)[records].mean()
    noise = 0.0
    for size in range(len(parts)):
        for true_parts in combinations(parts, size):
            factor = prod(
                table.keep_probability(part) if part in true_parts else table.chance_by_noise_alone(part)
                for part in parts
            )
            if factor:
                noise += factor * _invert_parts(table, true_parts, records)
    all_true = prod(table.keep_probability(part) for part in parts)
    return float((observed - (1 - k) * noise) / (k + (1 - k) * all_true))
