"""W of one's own table D under a design: true answers from a file, disguised again and again in memory, then forgotten.

W = |S - S'| of an itemset is how far its reconstructed support is from that in D (document 004, docs/references.md).
"""

from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mining import truth
from mining.counting.records import make_counter
from mining.counts import Numbering, Numbers, item_names, stack_tables
from mining.itemsets.candidates import Routing, next_candidates, single_items
from mining.parameters import MAX_SIZE
from mining.reconstruction import CachedCounter, estimate_supports
from privacy.designs import Design, InputError
from privacy.grammar.input_error import marked as _
from privacy.kinds.codes import Codes
from privacy.records import TrueRow, read_truth
from privacy.records.columns import open_columns, pack_batch
from privacy.simulation.disguise import disguise

REPETITIONS = 20
MOST_BYTES = 2_000_000
MOST_ROWS, MOST_ITEMSETS = 20_000, 2_000
WORST = 10
"""Itemsets that are named: those with the largest W."""


@dataclass(frozen=True, slots=True)
class SizeErrors:
    """Means over all itemsets of one size and all repetitions: W, and the expected W that the product states."""

    size: int
    itemsets: int
    w: float
    expected: float


@dataclass(frozen=True, slots=True)
class ItemsetErrors:
    """`answers` as question=choice; `true` in D, `estimate` and `w` as means over the repetitions."""

    answers: tuple[str, ...]
    true: float
    estimate: float
    w: float


@dataclass(frozen=True, slots=True)
class OwnErrors:
    records: int
    sizes: tuple[SizeErrors, ...]
    worst: tuple[ItemsetErrors, ...]


def errors_of_own_table(
    design: Design, content: bytes, name: str, rng: np.random.Generator, cache: Path
) -> OwnErrors:
    """W of the itemsets of up to three sensitive answers, of smaller ones alone where these would be too many.

    `content` is the file, `cache` the folder of the compiled counting loop.
    """
    rows = list(islice(read_truth(BytesIO(content), name, design), MOST_ROWS + 1))
    if not rows:
        raise InputError(name, _("there is no row of answers below the names of the columns"))
    if len(rows) > MOST_ROWS:
        raise InputError(name, _("at most %(most)s rows are read: take a sample"), most=f"{MOST_ROWS:,}")
    numbering = Numbering(design.mined)
    itemsets = sensitive_itemsets(design.mined, numbering)
    true = truth.FileTruth(truth.read_true_counter(design, BytesIO(content), name, len(rows), cache)).shares(
        itemsets
    )
    group, codes = _groups_and_codes(design, rows)
    estimates = np.empty((2, REPETITIONS, len(itemsets)))
    for repetition in range(REPETITIONS):
        sent = disguise(design, group, codes, rng)
        columns = open_columns(design, pack_batch(design, group, sent))
        supports = estimate_supports(
            CachedCounter(make_counter(design.mined, [columns], cache)), itemsets, "stratified"
        )
        estimates[:, repetition] = supports.support, supports.expected_w
    support, expected = estimates.mean(axis=1)
    w = np.abs(estimates[0] - true).mean(axis=0)
    known, names = np.isfinite(w), item_names(design.mined)
    if not known.any():
        raise InputError(name, _("too few rows: nothing can be estimated from them"))
    sizes = (itemsets >= 0).sum(axis=1)
    worst = [row for row in np.argsort(-np.where(known, w, -1), kind="stable")[:WORST].tolist() if known[row]]
    return OwnErrors(
        len(rows),
        tuple(
            SizeErrors(size, int(mine.sum()), float(w[mine].mean()), float(expected[mine].mean()))
            for size in range(1, MAX_SIZE + 1)
            if (mine := known & (sizes == size)).any()
        ),
        tuple(
            ItemsetErrors(
                tuple(names[number] for number in itemsets[row] if number >= 0),
                *map(float, (true[row], support[row], w[row])),
            )
            for row in worst
        ),
    )


def sensitive_itemsets(design: Design, numbering: Numbering) -> Numbers:
    """The itemsets of sensitive answers of a mined design, smaller ones first."""
    sensitive = np.array(
        [section.sensitive for section in design.sections for _question in section.questions]
    )
    singles = single_items(design, numbering, absences=False)
    levels = [singles[sensitive[numbering.question[singles[:, 0]]]]]
    if not len(levels[0]):
        raise InputError("design", _("this survey asks no sensitive question with itemsets"))
    routing = Routing(design, numbering)
    while len(levels) < MAX_SIZE and len(levels[-1]):
        larger = next_candidates(levels[-1], numbering, MOST_ITEMSETS, routing)
        if larger is None:
            break
        levels.append(larger)
    return stack_tables([level for level in levels if len(level)])


def _groups_and_codes(design: Design, rows: list[TrueRow]) -> tuple[NDArray[np.uint8], Codes]:
    codes = [
        [
            question.true_hidden if answer is None else answer
            for question, answer in zip(design.questions, row.answers, strict=True)
        ]
        for row in rows
    ]
    return np.array([row.group for row in rows], np.uint8), np.array(codes, np.uint32).T
