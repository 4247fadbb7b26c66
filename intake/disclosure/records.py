"""The only way from sealed batches to what is told of them (docs/mathematics.md, What leaves).

Before a survey is finished only the disguised records are handed out; afterwards the open ones that are kept, too. A
rehearsal has simulated people alone, so it hands out all of its records at any time.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intake.batches import batches
from intake.batches.batches import DecodedBatch
from intake.disclosure.models import Disclosure, Door, Population
from mining.disclosure import open_tables
from mining.disclosure.plain_tables import LEAST
from privacy.records.columns import Columns, selected
from surveys.models import Survey


def population_of(survey: Survey) -> Population:
    """Whose records are used of the survey as it is now."""
    if survey.is_rehearsal or survey.state == Survey.State.FINISHED:
        return Population.USED
    return Population.DISGUISED


@dataclass(frozen=True)
class UsedRecords:
    """Which records of a survey are handed out; `patterns`: of open ones those kept, None: all."""

    population: Population
    patterns: frozenset[str] | None

    @classmethod
    def of(cls, survey: Survey, population: Population) -> "UsedRecords":
        if population == Population.DISGUISED or survey.is_rehearsal:
            return cls(population, None)
        return cls(population, frozenset(finishing_of(survey).kept["patterns"]))

    def mask(self, part: Columns) -> NDArray[np.bool_]:
        chosen = np.unpackbits(part.disguised.view(np.uint8), count=part.n, bitorder="little").view(np.bool_)
        if self.population == Population.DISGUISED:
            return chosen
        if self.patterns is None:
            return np.ones(part.n, np.bool_)
        return np.asarray(chosen | open_tables.is_kept(open_tables.patterns(part), self.patterns))

    def columns(self, part: Columns) -> Columns:
        """Those of the part's records that are used."""
        return selected(part, self.mask(part))

    def batch(self, decoded: DecodedBatch) -> DecodedBatch:
        return decoded._replace(columns=self.columns(decoded.columns))


def finishing_of(survey: Survey) -> Disclosure:
    """The first row of a finished survey's ledger, with its choice of open records."""
    return Disclosure.objects.get(survey=survey, door=Door.FINISHING)


def left_out_of(survey: Survey) -> int:
    """The open records of a finished survey that are not used; 0 where they are fewer than ten, which is not told."""
    kept = finishing_of(survey).kept
    left_out = int(kept["open"] - kept["kept"])
    return left_out if left_out >= LEAST else 0


def used(survey: Survey, population: str) -> UsedRecords:
    """What the readers below hand out; asked once where a survey is read in pieces."""
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
