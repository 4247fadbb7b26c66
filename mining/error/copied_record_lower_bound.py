"""Tests for copied records: counts how many more disguised records are identical than the disguise allows.

People may have the same true answers, so identical records alone prove nothing. But each device draws its own coins:
whatever the true answers, a disguised record has the sensitive part y with probability at most

    m(y) = prod_b ( p_b + (1-p_b) q_b(y_b) ) / C(N_b, s_b)

over the sensitive sections b, with q_b over the questions of b that were drawn and apply (see the law in
`privacy.kinds.grouped.law`; sections of kinds without a bound here are left out of y). A number by thresholds is its
section of yes/no questions; where a rule hides it none is drawn, for certain, and 1 stands for C(N_b, s_b). It has one
of the parts of a set A with probability at most u(A), `bounds_of_first_parts` below.

**The test.** Let n records be independent, A a set of k parts that all occur, and c of the records have one of them:

    p(A) = C(n, k) / (c - k + 1) * P( Bin(n-k, u(A)) >= c - k )

Then P(some A of k parts has p(A) <= a) <= a, for any truths and however A is chosen. Proof: p falls as c grows; let
t(A) be the least c with p <= a. Where A has c >= t records there are at least c - k + 1 ways to choose one record of
each of its parts, since a product of k counts with sum c is smallest if all but one are 1. So the number of such A is
at most the sum over all k-subsets W of records of 1[c(A_W) >= t(A_W)] / (t(A_W) - k + 1), A_W being the parts of W.
Given W, each of the other n-k records has a part in A_W with probability at most u(A_W), independently; so their number
is stochastically at most Bin(n-k, u), and the expected sum at most C(n, k) max_A P(Bin >= t-k)/(t-k+1) <= a. (Markov.)

For k = 1 this is a union over the records, not over all possible parts, of which there may be millions.

**Plain answers** are sent as they are, so nothing bounds how many records agree in them, and they are no part of y. But
the coins do not depend on them: given everybody's plain answers the same holds within each class of records that agree
in them, with Bin(n_class - 1, m) and C(n, 1) = n of all classes together. A copy of a whole record has its plain
answers too, and among the few others with the same ones it is found sooner. Half of the level goes to the classes of
ten records or more; smaller ones are not tested.

**The excess** is a lower bound for the number of forged records. With probability 1 - level the honest ones among the
n are within what is allowed of all sets at once. As there are at most n - f honest ones where f are forged, c less what
is allowed of n - f records is a bound again, and so on until it stays. (Parts of A that only forged records have do
not matter: what is allowed of fewer parts is no more.) It counts copies only: forged records that were disguised, or
that differ from each other, are not found.
See docs/mathematics.md, Forged records.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.plain_table_counts import plain_question_indexes
from privacy.designs import Design
from privacy.kinds.answer_code_array_type import Codes
from privacy.records import DISGUISED
from privacy.records.mined_code_conversion import mined_codes_of_question

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_PARTS = 16
"""Largest number of parts in a set that is tested."""

SMALL_CLASS = 10

MOST_SECTIONS = 8
"""Largest number of sensitive sections for the formula of u(A), which has a term for each subset of them.

With more sections the sum of m bounds u(A).
"""


@dataclass(frozen=True)
class CopyCount:
    """Result of the copy test: with probability 1 - level, at least `excess` of the `disguised` records are copies."""

    disguised: int
    excess: int


@dataclass(frozen=True)
class SectionParts:
    """Answers of records to one sensitive section (parts), questions by parts: which questions are drawn, their
    answers, and the noise probability q of each part.

    `drawing` is the probability that the questions of a part are drawn, for people who can send it.
    """

    keep: float
    drawing: Floats
    drawn: NDArray[np.bool_]
    answers: Codes
    q: Floats

    def take(self, parts: Ints | list[int]) -> "SectionParts":
        return SectionParts(
            self.keep, self.drawing[parts], self.drawn[:, parts], self.answers[:, parts], self.q[parts]
        )


@dataclass(frozen=True)
class IdenticalSets:
    """Sets of identical records.

    `count`: the number of records in each set; `chance`: the largest probability (u or m) of one of them;
    `of`: the class of plain answers that the set belongs to.
    """

    count: Ints
    chance: Floats
    of: Ints


def count_excess_copies(
    design: Design, group: NDArray[np.uint8], codes_of: Callable[[int], Codes], level: float
) -> CopyCount:
    """Returns how many disguised records of a batch are proved to be copies, by a test.

    `codes_of` returns the codes of all records for the question with an index; `level` is the probability of a false
    alarm.
    """
    disguised, asked = np.flatnonzero(group == DISGUISED), design.mined
    n = len(disguised)
    tested, plain = copy_test_questions(asked), plain_question_indexes(asked)
    if not tested or n < 2:
        return CopyCount(n, 0)
    width = max(question.not_applicable for question in asked.questions).bit_length()

    def pack_questions(indexes: Sequence[int]) -> Words:
        rows = (mined_codes_of_question(design.questions[index], codes_of(index)) for index in indexes)
        return pack_codes((row[disguised] for row in rows), width)

    words = pack_questions(tested)
    repeated = find_repeated_records(words)
    first, part, counts = group_identical_records(words[:, repeated])
    codes = np.zeros((len(asked.questions), len(first)), np.min_scalar_type((1 << width) - 1))
    for index, row in zip(tested, unpack_codes(words[:, repeated[first]], width), strict=False):
        codes[index] = row
    del words
    sections = distinct_section_parts(asked, codes)
    chance = np.prod([one.drawing * (one.keep + (1 - one.keep) * one.q) for one in sections], axis=0)
    everybody = IdenticalSets(counts, chance, np.zeros(len(counts), np.int64))
    class_of, sizes = np.zeros(n, np.int64), np.array([n])
    if plain:
        _, class_of, sizes = group_identical_records(pack_questions(plain))
    limits = [max_excess_of_sets(everybody, sections, n, level if len(sizes) == 1 else level / 2)]
    if len(sizes) > 1:
        cells = class_of[repeated] * len(counts) + part
        _, cell_first, cell_counts = np.unique(cells, return_index=True, return_counts=True)
        classes = class_of[repeated[cell_first]]
        large = sizes[classes] >= SMALL_CLASS
        within = IdenticalSets(cell_counts[large], chance[part[cell_first]][large], classes[large])
        limits.append(count_excess_records(within, sizes, level / 2))
    return CopyCount(n, max(limits))


def max_excess_of_sets(parts: IdenticalSets, sections: Sequence[SectionParts], n: int, level: float) -> int:
    """Returns the largest number of excess copies that a test proves, of one test for each number k of distinct parts;
    each k gets 1/(k(k+1)) of the level.

    For each k, the k parts whose counts are most above their expectation are tested.
    """
    sizes = np.array([n])
    excesses = [count_excess_records(parts, sizes, level / 2)]
    order = np.argsort(n * parts.chance - parts.count, kind="stable")
    order = order[parts.count[order] > 1][:MOST_PARTS]
    count, k = np.cumsum(parts.count[order]), np.arange(1, len(order) + 1)
    u = np.array(bounds_of_first_parts([section.take(order) for section in sections]))
    levels = level / (k * (k + 1))
    # Few sets are over, and all are tested at once.
    for index in np.flatnonzero((_p_value(count, sizes, u, n, k) <= levels) & (k > 1)).tolist():
        one = IdenticalSets(count[[index]], u[[index]], np.zeros(1, np.int64))
        excesses.append(count_excess_records(one, sizes, float(levels[index]), index + 1))
    return max(excesses)


# --- the law --------------------------------------------------------------------------------------------


def copy_test_questions(design: Design) -> list[int]:
    """Returns the indexes of the questions that the copy test uses: in their sections the probability of a record is
    bounded."""
    rows, start = list[int](), 0
    for section in design.sections:
        if section.itemset_law:
            rows += range(start, start + len(section.questions))
        start += len(section.questions)
    return rows


def distinct_section_parts(design: Design, codes: Codes) -> list[SectionParts]:
    """Returns, for each sensitive section that the copy test uses, the answers of these records and their
    probabilities; `codes` is questions by records."""
    parts, start = list[SectionParts](), 0
    for section in design.sections:
        rows = codes[start : start + len(section.questions)]
        start += len(section.questions)
        law = section.itemset_law
        if law is None:
            continue
        drawn, q = np.empty(rows.shape, np.bool_), np.ones(rows.shape[1])
        for index, question in enumerate(section.questions):
            drawn[index] = rows[index] != question.not_asked
            # A question that was not asked, or does not apply, has no noise.
            noise = np.ones(question.not_applicable + 1)
            noise[: question.codes] = [float(share) for share in law.noise[index]]
            q *= noise[rows[index]]
        drawing = np.where(drawn.any(axis=0), 1 / comb(len(section.questions), law.asked), 1.0)
        parts.append(SectionParts(float(law.keep), drawing, drawn, rows, q))
    return parts


def bounds_of_first_parts(sections: Sequence[SectionParts]) -> list[float]:
    """Returns for each k a bound u(A) of the probability that a record holds A, the first k parts of these sections,
    whatever its truth.

    u(A) = SUM_T prod_{b in T} p_b prod_{b not in T} (1-p_b) SUM_D max_v SUM_y prod_b 1/C(N_b, s_b) prod_{b not in T}
    q_b(y) >= max_x P(Y in A | x), T being the sections that send their true answers, D the questions drawn of these,
    and y the parts of A that say v to them: of what can be said to the same questions a person's truth is one.
    """
    drawing = np.prod([section.drawing for section in sections], axis=0)
    if len(sections) > MOST_SECTIONS:
        each = np.prod([section.keep + (1 - section.keep) * section.q for section in sections], axis=0)
        return list(np.minimum(1.0, np.cumsum(drawing * each)).tolist())
    total = np.zeros(len(drawing))
    for kept in product((False, True), repeat=len(sections)):
        weight, q = 1.0, drawing
        for section, is_kept in zip(sections, kept, strict=True):
            weight *= section.keep if is_kept else 1 - section.keep
            q = q if is_kept else q * section.q
        true = [section for section, is_kept in zip(sections, kept, strict=True) if is_kept]
        total += weight * np.array(_bounds_if_sent_truly(true, q))
    return list(np.minimum(1.0, total).tolist())


def _bounds_if_sent_truly(true: Sequence[SectionParts], q: Floats) -> list[float]:
    """Returns, for each k, a bound of the probability of the first k parts y if each section in `true` sends the true
    answer: SUM_D max_v SUM_y q(y)."""
    chances: dict[tuple[tuple[bytes, ...], tuple[bytes, ...]], float] = {}
    highest: dict[tuple[bytes, ...], float] = {}
    sums = []
    for index, chance in enumerate(q.tolist()):
        drawn = tuple(section.drawn[:, index].tobytes() for section in true)
        said = drawn, tuple(section.answers[:, index].tobytes() for section in true)
        chances[said] = chances.get(said, 0.0) + chance
        highest[drawn] = max(highest.get(drawn, 0.0), chances[said])
        sums.append(sum(highest.values()))
    return sums


# --- the test -------------------------------------------------------------------------------------------


def count_excess_records(cells: IdenticalSets, sizes: Ints, level: float, k: int = 1) -> int:
    """Returns how many records in all sets are above the number that the test allows; `sizes` are the sizes of the
    classes of plain answers."""
    forged = np.zeros(len(cells.count), np.int64)
    while True:
        within = sizes - np.bincount(cells.of, forged, len(sizes)).astype(np.int64)
        allowed = allowed_counts(cells, within[cells.of], int(within.sum()), level, k)
        over = np.maximum(cells.count - allowed, 0)
        if over.sum() == forged.sum():
            return int(over.sum())
        forged = over


def allowed_counts(cells: IdenticalSets, within: Ints, n: int, level: float, k: int) -> Ints:
    """Returns, for each set, the largest number of records with a p-value above the level; at most the set's own
    count."""
    allowed = cells.count.copy()
    over = np.flatnonzero(_p_value(cells.count, within, cells.chance, n, k) <= level)
    low, high = np.minimum(k, cells.count[over]), cells.count[over]
    # p is above the level at `low`, and not at `high`.
    while (high - low > 1).any():
        middle = (low + high) // 2
        is_over = _p_value(middle, within[over], cells.chance[over], n, k) <= level
        low, high = np.where(is_over, low, middle), np.where(is_over, middle, high)
    allowed[over] = low
    return allowed


def _p_value(count: Ints, within: Ints, chance: Floats, n: int, k: int | Ints) -> Floats:
    """Returns the p-value p(A) of each set of records (formula at the top of the file); for classes of plain answers k
    = 1, and `within` is the size of the class."""
    from scipy.special import betainc, gammaln  # late for cost

    # With few records left, C(n, k) is largest for fewer parts: some parts of A may be forged copies alone.
    parts = np.minimum(k, n // 2)
    ways = gammaln(n + 1) - gammaln(parts + 1) - gammaln(n - parts + 1)
    more, others = np.maximum(count - k, 0), np.maximum(within - k, 0)
    # P(Bin(N, u) >= j) = I_u(j, N - j + 1)
    tail = betainc(np.maximum(more, 1), np.maximum(others - more + 1, 1), chance)
    tail = np.where(more == 0, 1.0, np.where(more > others, 0.0, tail))
    with np.errstate(divide="ignore"):
        logarithm = ways - np.log(np.maximum(count - k + 1, 1)) + np.log(tail)
    p: Floats = np.exp(np.minimum(logarithm, 0.0))
    return p


Words = NDArray[np.uint64]
"""The codes of records in words of 64 bits, word x record; of the first question in the highest bits: words sort as
codes do."""


def pack_codes(rows: Iterable[Codes], width: int) -> Words:
    """Returns the codes of records as words, `width` bits a code; `rows` has those of all records for each question."""
    words = list[Words]()
    for index, row in enumerate(rows):
        place = index % (64 // width)
        if place == 0:
            words.append(np.zeros(len(row), np.uint64))
        words[-1] |= np.left_shift(row, np.uint64(64 - width * (place + 1)), dtype=np.uint64)
    return np.array(words)


def unpack_codes(words: Words, width: int) -> Iterator[Words]:
    """Yields the codes of records for each question, and 0 for the questions that the last word has room for."""
    for word in words:
        for place in range(64 // width):
            yield word >> np.uint64(64 - width * (place + 1)) & np.uint64((1 << width) - 1)


def find_repeated_records(words: Words) -> Ints:
    """Returns the indexes of records with a 64-bit hash that another record has too: all that are identical to another,
    and rarely others. A record without a copy adds nothing to what is tested."""
    odd = np.random.default_rng(1).integers(0, 2**63, len(words), np.uint64) * 2 + 1
    hashes = odd @ words
    order = np.argsort(hashes)
    is_same = np.diff(hashes[order]) == 0
    repeated: Ints = order[np.append(is_same, False) | np.append(False, is_same)]
    return repeated


def group_identical_records(words: Words) -> tuple[Ints, Ints, Ints]:
    """Groups identical records; the groups are sorted by their codes.

    Returns a record of each group, the group of each record, and the number of records in each group.
    """
    order = np.lexsort(words[::-1])
    ordered = words[:, order]
    is_first = np.append(True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0))[: len(order)]
    groups = np.empty(len(order), np.int64)
    groups[order] = np.cumsum(is_first) - 1
    return order[is_first], groups, np.bincount(groups)
