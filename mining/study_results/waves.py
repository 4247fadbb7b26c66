"""Two waves of a survey, or two versions of a question, compared (docs/mathematics.md, Waves)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mining.counts import Item
from mining.reconstruction import CachedCounter
from mining.studies.waves import (
    WaveDifferences,
    WaveShares,
    comparable_questions,
    compare_waves,
    wave_shares,
)
from mining.study_results.answers import AnswerCounts, read_study, rows

NUMBERS = ("earlier", "later", "difference", "low", "high", "p", "holm")


def shares_of(known: CachedCounter, items: Sequence[Item]) -> WaveShares:
    """The shares of one wave; NaN where too few are."""
    return _shares(known, AnswerCounts.of(known.counter, items), alone=False)


def version_shares(known: CachedCounter, item: Item, version: Item) -> WaveShares:
    """The share of an answer among the disguised whose device drew this version."""
    return _shares(known, AnswerCounts.of(known.counter, [item], [version]), alone=True)


def _shares(known: CachedCounter, of: AnswerCounts, *, alone: bool) -> WaveShares:
    records, having = of.records.copy(), of.having.copy()
    plain = ~known.laws.sensitive[[place for place, _code in of.items]]
    for counts in (records, having):
        if alone:
            counts[0] = 0
        # A plain answer is not disguised in either group: its groups are one.
        counts[0, plain], counts[1, plain] = counts[:, plain].sum(axis=0), 0
    with np.errstate(divide="ignore", invalid="ignore"):
        return wave_shares(records, having, of.law)


def waves_found(earlier: CachedCounter, later: CachedCounter) -> dict[str, Any]:
    """As JSON: the number of records of each wave, and each answer to a question that both asked in the same words."""
    pairs = [
        ((before, code), (after, code))
        for before, after in comparable_questions(earlier.design, later.design)
        for code in later.design.questions[after].listed
        if not later.design.questions[after].share_parts
    ]
    found = differences(
        shares_of(earlier, [before for before, _after in pairs]),
        shares_of(later, [after for _before, after in pairs]),
    )
    columns = {name: getattr(found, name) for name in NUMBERS}
    items = rows(later.design, [after for _before, after in pairs], columns)
    return {"earlier": sum(earlier.n), "later": sum(later.n), "items": list(items)}


def differences(earlier: WaveShares, later: WaveShares) -> WaveDifferences:
    with np.errstate(divide="ignore", invalid="ignore"):
        return compare_waves(earlier, later)


def waves_files(earlier: tuple[Path, Path], later: tuple[Path, Path], cache: Path) -> dict[str, Any]:
    """Each wave is a design and its records; `cache` is the folder of the compiled counting loop."""
    first, second = (CachedCounter(read_study(*files).counter(cache)) for files in (earlier, later))
    return waves_found(first, second)
