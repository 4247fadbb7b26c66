"""pycanon's k and l of a published file, held against ours: every file that a test publishes is asked."""

import gzip
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import BinaryIO

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from pandas.errors import Pandas4Warning
from pycanon import anonymity

from jobs.progress_messages import Progress
from mining import anonymized_table_file
from privacy.anonymity import published_file
from privacy.anonymity.anonymisation_result import AnonymisedTable
from privacy.anonymity.published_file import measure_published_file
from privacy.anonymity.tables.specification import Criteria, Diversity, DiversityKind, Specification
from privacy.designs.formula_escape import escape_formula
from privacy.records.dictionary_encoding import Tick, ignore_tick
from releases.lifecycle import making_job

DISTINCT = Diversity(DiversityKind.DISTINCT, 1)


def agrees(file: bytes, said: Specification) -> None:
    """pycanon, which has nothing but the file and the names of its columns, finds the k and l that we find.

    Every file can be read: cells are texts to it. It knows no missing value, so that an empty cell is one text.
    """
    frame = pd.read_csv(io.BytesIO(file), dtype=str, keep_default_na=False)
    quasi, sensitive = (
        [escape_formula(column.name) for column in columns]
        for columns in (said.quasi_identifiers, said.sensitive)
    )
    criteria = Criteria(said.criteria.k, DISTINCT if sensitive else None, max_frequency=None)
    found = measure_published_file(io.BytesIO(file), "published", replace(said, criteria=criteria))[
        "criteria"
    ]
    with warnings.catch_warnings():
        # pycanon groups by a list of names, of which pandas warns where it has one.
        warnings.simplefilter("ignore", Pandas4Warning)
        k = anonymity.k_anonymity(frame, quasi)
        least = anonymity.l_diversity(frame, quasi, sensitive) if sensitive else 0
    assert found["k"]["reached"] == k >= said.criteria.k
    if sensitive:
        assert found["l"]["reached"] == least
        asked = said.criteria.diversity
        assert asked is None or asked.joint or least >= asked.least or asked.kind is DiversityKind.ENTROPY


def check(
    file: BinaryIO,
    name: str,
    outcome: AnonymisedTable,
    specification: Specification,
    order: NDArray[np.int64],
    tick: Tick = ignore_tick,
) -> None:
    """The product's check of a published file, and then pycanon's."""
    published_file.check(file, name, outcome, specification, order, tick)
    file.seek(0)
    agrees(file.read(), specification)


@contextmanager
def asked_of_every_file() -> Iterator[list[Specification]]:
    """Of all that the job of a release and the command publish in this process; yields what was asked so far."""
    found: list[Specification] = []
    write = making_job.write_checked_file

    def write_file(outcome: AnonymisedTable, said: Specification, progress: Progress) -> bytes:
        file = write(outcome, said, progress)
        agrees(gzip.decompress(file), said)
        found.append(said)
        return file

    def checked_twice(
        file: BinaryIO, name: str, outcome: AnonymisedTable, said: Specification, order: NDArray[np.int64]
    ) -> None:
        check(file, name, outcome, said, order)
        found.append(said)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making_job, "write_checked_file", write_file)
        patch.setattr(anonymized_table_file, "check", checked_twice)
        yield found
