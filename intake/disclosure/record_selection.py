"""Selects which sealed records results may use; every reader of records goes through here
(docs/mathematics.md, What leaves).

Before a survey is finished, results use the disguised records; afterwards also open records, which were
selected once, at finishing, and stored in the ledger. A rehearsal has only simulated people, so all of its
records are used.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intake.batches import sealed_batch_reader
from intake.batches.sealed_batch_reader import DecodedBatch
from intake.disclosure.models import Disclosure, DisclosureKind, Population
from mining.disclosure import open_record_tables
from mining.disclosure.plain_table_counts import LEAST
from mining.json_codec import node_to_json
from privacy.records.batch_bit_columns import Columns, filter_records, unpack_bits
from surveys.models import Survey


def current_population(survey: Survey) -> Population:
    """Returns which records results may use now: disguised ones or, once the survey is finished, selected
    open ones too."""
    if survey.is_rehearsal or survey.state == Survey.State.FINISHED:
        return Population.USED
    return Population.DISGUISED


# --- the choice of open records


def choose_open_record_patterns(parts: Sequence[Columns]) -> dict[str, Any]:
    """Selects the open records with a frequent enough answer pattern, for use in results.

    Returns the selected patterns, the numbers of disguised, open and selected records, and the tables of plain answers
    of the selected ones.
    """
    disguised, sizes, open_parts = 0, Counter[str](), []
    for part in parts:
        is_open = ~disguised_mask(part)
        disguised += part.n - int(is_open.sum())
        open_parts.append(filter_records(part, is_open))
        sizes += open_record_tables.count_condition_patterns(
            open_record_tables.condition_pattern_by_record(open_parts[-1])
        )
    kept = open_record_tables.patterns_safe_to_count(sizes)
    kept_parts, kept_patterns = [], []
    for part in open_parts:
        patterns = open_record_tables.condition_pattern_by_record(part)
        is_kept = open_record_tables.has_named_pattern(patterns, kept)
        kept_parts.append(filter_records(part, is_kept))
        kept_patterns.append(patterns[is_kept])
    tables = (
        open_record_tables.count_open_tables(parts[0].design.mined, kept_parts, kept_patterns)
        if parts
        else []
    )
    return {
        "patterns": sorted(kept),
        "disguised": disguised,
        "open": sum(sizes.values()),
        "kept": sum(sizes[pattern] for pattern in kept),
        "tables": [*map(node_to_json, tables)],
    }


def get_finishing_row(survey: Survey) -> Disclosure:
    """Returns the survey's ledger row about its finishing, with the selection of open records."""
    return Disclosure.objects.get(survey=survey, door=DisclosureKind.FINISHING)


def count_unused_open_unless_few(survey: Survey) -> int:
    """Returns how many open records of a finished survey no result uses; 0 if fewer than ten, since that must
    stay secret."""
    kept = get_finishing_row(survey).kept
    left_out = int(kept["open"] - kept["kept"])
    return left_out if left_out >= LEAST else 0


def disguised_mask(part: Columns) -> NDArray[np.bool_]:
    """Returns a mask that is True for the records sent with disguise."""
    return unpack_bits(part.disguised, part.n)


@dataclass(frozen=True)
class UsedRecords:
    """Filter for the records that results may use.

    `patterns`: answer patterns of the selected open records; None if all open records are selected.
    """

    population: Population
    patterns: frozenset[str] | None

    @classmethod
    def for_population(cls, survey: Survey, population: Population) -> "UsedRecords":
        if population == Population.DISGUISED or survey.is_rehearsal:
            return cls(population, None)
        return cls(population, frozenset(get_finishing_row(survey).kept["patterns"]))

    def mask(self, part: Columns) -> NDArray[np.bool_]:
        if self.population == Population.DISGUISED:
            return disguised_mask(part)
        if self.patterns is None:
            return np.ones(part.n, np.bool_)
        is_kept = open_record_tables.has_named_pattern(
            open_record_tables.condition_pattern_by_record(part), self.patterns
        )
        return np.asarray(disguised_mask(part) | is_kept)

    def select_columns(self, part: Columns) -> Columns:
        """Returns the columns reduced to the records that results may use."""
        return filter_records(part, self.mask(part))

    def select_batch(self, decoded: DecodedBatch) -> DecodedBatch:
        return decoded._replace(columns=self.select_columns(decoded.columns))


# --- the readers


def used_records_filter(survey: Survey, population: str) -> UsedRecords:
    """Returns the filter of used records, for callers that read a survey in several parts."""
    design = survey.design.content if survey.design else None
    if design is None or not design.has_group_open:
        return UsedRecords(Population.USED, None)
    return UsedRecords.for_population(survey, Population(population))


def read_sealed_batches(
    survey: Survey, last_batch: int, after: int = 0, most: int | None = None
) -> list[DecodedBatch]:
    """Returns all sealed records of the batches after+1..last_batch, unfiltered, for callers that filter them later."""
    return sealed_batch_reader.read_batches_until_most(survey, last_batch, after, most)


def read_used_batches(
    survey: Survey, last_batch: int, population: str, after: int = 0
) -> Iterator[DecodedBatch]:
    """Yields the used records of the batches after+1..last_batch, with one stored batch in memory at a time."""
    return map(
        used_records_filter(survey, population).select_batch,
        sealed_batch_reader.read_batches(survey, last_batch, after),
    )


def read_used_batches_until_most(
    survey: Survey, last_batch: int, population: str, after: int = 0, most: int | None = None
) -> list[DecodedBatch]:
    """Returns the used records of the batches after+1..last_batch; stops at the batch that completes `most` records."""
    return list(
        map(
            used_records_filter(survey, population).select_batch,
            read_sealed_batches(survey, last_batch, after, most),
        )
    )


def read_used_batch_pieces(
    survey: Survey, last_batch: int, population: str, most: int, *, verifies_checksums: bool
) -> Iterator[list[Columns]]:
    """Yields the used records in pieces of about `most` records; raises `batches.BatchesChanged` if the
    caller must begin again."""
    chosen = used_records_filter(survey, population)
    for piece in sealed_batch_reader.read_batch_pieces(
        survey, last_batch, most, verifies_checksums=verifies_checksums
    ):
        yield [chosen.select_columns(part) for part in piece]
