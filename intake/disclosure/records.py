"""The only way from sealed batches to what is told of them (docs/mathematics.md, What leaves).

Before a survey is finished only the disguised records are handed out; afterwards the open ones that are kept, too.
Which are kept is chosen once, when the survey is finished, and stored in its ledger. A rehearsal has simulated people
alone, so it hands out all of its records at any time.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intake.batches import batches
from intake.batches.batches import DecodedBatch
from intake.disclosure.models import Disclosure, Door, Population
from mining.disclosure import open_tables
from mining.disclosure.plain_tables import LEAST
from mining.document.codec import dump
from privacy.records.columns import Columns, select_records
from surveys.models import Survey


def population_of(survey: Survey) -> Population:
    """Whose records of the survey are used now."""
    if survey.is_rehearsal or survey.state == Survey.State.FINISHED:
        return Population.USED
    return Population.DISGUISED


# --- the choice of open records


def choose_open_records(parts: Sequence[Columns]) -> dict[str, Any]:
    """The patterns that are kept, how many records of each group there are, and the plain tables of those kept."""
    disguised, sizes, open_parts = 0, Counter[str](), []
    for part in parts:
        is_open = ~is_disguised(part)
        disguised += part.n - int(is_open.sum())
        open_parts.append(select_records(part, is_open))
        sizes += open_tables.count_patterns(open_tables.record_patterns(open_parts[-1]))
    kept = open_tables.used_patterns(sizes)
    kept_parts, kept_patterns = [], []
    for part in open_parts:
        patterns = open_tables.record_patterns(part)
        is_kept = open_tables.has_used_pattern(patterns, kept)
        kept_parts.append(select_records(part, is_kept))
        kept_patterns.append(patterns[is_kept])
    tables = open_tables.open_tables(parts[0].design.mined, kept_parts, kept_patterns) if parts else []
    return {
        "patterns": sorted(kept),
        "disguised": disguised,
        "open": sum(sizes.values()),
        "kept": sum(sizes[pattern] for pattern in kept),
        "tables": [*map(dump, tables)],
    }


def finishing_row(survey: Survey) -> Disclosure:
    """The first row of a finished survey's ledger, with its choice of open records."""
    return Disclosure.objects.get(survey=survey, door=Door.FINISHING)


def left_out_of(survey: Survey) -> int:
    """The open records of a finished survey that are not used; 0 where they are fewer than ten, which is not told."""
    kept = finishing_row(survey).kept
    left_out = int(kept["open"] - kept["kept"])
    return left_out if left_out >= LEAST else 0


def is_disguised(part: Columns) -> NDArray[np.bool_]:
    """The mask of the records whose person chose disguise."""
    return np.unpackbits(part.disguised.view(np.uint8), count=part.n, bitorder="little").view(np.bool_)


@dataclass(frozen=True)
class UsedRecords:
    """Which records of a survey are handed out; `patterns`: of open ones those kept, None: all."""

    population: Population
    patterns: frozenset[str] | None

    @classmethod
    def of(cls, survey: Survey, population: Population) -> "UsedRecords":
        if population == Population.DISGUISED or survey.is_rehearsal:
            return cls(population, None)
        return cls(population, frozenset(finishing_row(survey).kept["patterns"]))

    def mask(self, part: Columns) -> NDArray[np.bool_]:
        if self.population == Population.DISGUISED:
            return is_disguised(part)
        if self.patterns is None:
            return np.ones(part.n, np.bool_)
        is_kept = open_tables.has_used_pattern(open_tables.record_patterns(part), self.patterns)
        return np.asarray(is_disguised(part) | is_kept)

    def columns(self, part: Columns) -> Columns:
        """Those of the part's records that are used."""
        return select_records(part, self.mask(part))

    def batch(self, decoded: DecodedBatch) -> DecodedBatch:
        return decoded._replace(columns=self.columns(decoded.columns))


# --- the readers


def used(survey: Survey, population: str) -> UsedRecords:
    """Which records the readers below hand out; asked once where a survey is read in pieces."""
    design = survey.design.content if survey.design else None
    if design is None or not design.has_group_open:
        return UsedRecords(Population.USED, None)
    return UsedRecords.of(survey, Population(population))


def sealed(survey: Survey, last_batch: int, after: int = 0, most: int | None = None) -> list[DecodedBatch]:
    """All sealed records of the batches after+1..last_batch, for callers that divide them before `used` selects."""
    return batches.read_all(survey, last_batch, after, most)


def read(survey: Survey, last_batch: int, population: str, after: int = 0) -> Iterator[DecodedBatch]:
    """The used records of the batches after+1..last_batch, one stored batch in memory at a time."""
    return map(used(survey, population).batch, batches.read(survey, last_batch, after))


def read_all(
    survey: Survey, last_batch: int, population: str, after: int = 0, most: int | None = None
) -> list[DecodedBatch]:
    """The same, all in memory at once; only of the first batches with `most` records, if that is given."""
    return list(map(used(survey, population).batch, sealed(survey, last_batch, after, most)))


def read_pieces(
    survey: Survey, last_batch: int, population: str, most: int, *, check: bool
) -> Iterator[list[Columns]]:
    """The same, about `most` records in memory at a time; `batches.Rearranged` where it must begin again."""
    chosen = used(survey, population)
    for piece in batches.read_pieces(survey, last_batch, most, check=check):
        yield [chosen.columns(part) for part in piece]
