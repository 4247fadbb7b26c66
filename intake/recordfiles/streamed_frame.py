"""Rows that are made while a file of SPSS or Stata is written, and what both kinds of file do to texts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as narwhals
from django.utils.translation import gettext as _
from narwhals import Implementation

from intake.recordfiles.rows import UsedRows
from privacy.designs import Design

MORE = "…"
Cell = int | str


def groups(design: Design) -> tuple[str, str]:
    """The words of the groups, by group."""
    return (_("direct") if design.has_arms else _("open"), _("disguised"))


def rows(records: UsedRows, cells: Sequence[Sequence[Cell]]) -> Iterator[list[Cell]]:
    """One list for each record: the group, then of each question the cell of its code."""
    for group, codes in records.blocks():
        columns = [
            group.tolist(),
            *([of[code] for code in row.tolist()] for of, row in zip(cells, codes, strict=True)),
        ]
        yield from map(list, zip(*columns, strict=True))


def cut_to(text: str, most: int, encoding: str = "utf-8") -> str:
    """At most n bytes of a text in this encoding, in whole words where it has spaces, and on one line."""
    line = " ".join(text.split())
    if len(line.encode(encoding)) <= most:
        return line
    kept = line.encode(encoding)[: most - len(MORE.encode(encoding))].decode(encoding, errors="ignore")
    words, space, _rest = kept.rpartition(" ")
    ends_a_word = line[len(kept)] == " "
    return (kept if ends_a_word or not space else words).rstrip() + MORE


class StreamedFrame:
    """Rows that are made while they are written.

    pyreadstat reads data frames of pandas and polars only, through narwhals; both would need every cell in
    memory at once. This is as much of a frame as it asks for, under the name of the second.
    """

    _implementation = Implementation.POLARS
    _version: Any = None

    def __init__(
        self, samples: Mapping[str, Cell | None], n: int, rows: Callable[[], Iterator[list[Cell]]]
    ) -> None:
        """`samples`: of each column its longest text, or 0 where it holds numbers; None: numbers and tags of Stata."""
        self.columns, self._samples, self._n, self._rows = list(samples), samples, n, rows

    def __narwhals_dataframe__(self) -> "StreamedFrame":
        return self

    def __native_namespace__(self) -> object:
        return narwhals

    def _with_version(self, version: object) -> "StreamedFrame":
        self._version = version
        return self

    def __len__(self) -> int:
        return self._n

    def iter_columns(self) -> Iterator["StreamedColumn"]:
        return (StreamedColumn(name, sample, self._version) for name, sample in self._samples.items())

    def iter_rows(self, *, named: bool, buffer_size: int) -> Iterator[list[Cell]]:
        return self._rows()


class StreamedColumn:
    """What is asked of a column before its cells come: its name, their type, and a cell that none is longer than."""

    _implementation = Implementation.POLARS

    def __init__(self, name: str, sample: Cell | None, version: object) -> None:
        self.name, self._sample, self._version = name, sample, version
        is_text = isinstance(sample, str)
        self.dtype = (
            narwhals.String() if is_text else narwhals.Object() if sample is None else narwhals.Int32()
        )

    def __narwhals_series__(self) -> "StreamedColumn":
        return self

    def null_count(self) -> int:
        return 0

    def __iter__(self) -> Iterator[Cell]:
        yield 0 if self._sample is None else self._sample
