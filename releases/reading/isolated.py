"""Reads an uploaded table in a process of its own (importing/isolated.py), so that no file harms the site."""

import sys
from dataclasses import dataclass

from importing import isolated
from mining.document.codec import dump, load
from privacy.records.layouts import Layout
from releases.specification.profiling import TableProfile

PATIENCE = 60.0
"""Seconds by the clock: the limit of processor time is ten, and other work goes first."""
ENTRY = (sys.executable, "-m", "releases.reading.process")


@dataclass(frozen=True)
class ReadTable:
    """`content`: the table as text in this layout; of a file that was text, its own bytes."""

    profile: TableProfile
    layout: Layout
    content: bytes


def read(data: bytes, name: str, layout: Layout | None = None) -> ReadTable:
    """Read a table by this layout, or by the one that is found.

    `FileRefused` with its faults in this thread's language; `ReadersBusy` without waiting.
    """
    answer, text = isolated.answer_of(
        data, ENTRY, PATIENCE, name=name, layout=dump(layout) if layout else None
    )
    return ReadTable(load(TableProfile, answer), load(Layout, answer["layout"]), text or data)
