"""Reads one uploaded table in a process of its own: `python -m own_tables.reading_process CONFIGURATION`.

It writes a description of the columns, and then their codes.
"""

import sys
from typing import Any

from importing import isolated_table_reader
from importing.isolated_table_reader import Configuration
from mining.document.codec import dump
from mining.own_table.table import MOST_BYTES, read_own_table

SECONDS = 20
"""Limit of processor time."""


def read_table(data: bytes, text: bytes | None, configuration: Configuration) -> tuple[dict[str, Any], bytes]:
    """Returns the description of the columns and the codes of a table; `text` is its content if it is a text file."""
    table = read_own_table(
        data if text is None else text, configuration["name"], wanted=configuration["columns"]
    )
    described = {
        "columns": [dump(column) for column in table.columns],
        "omitted": [dump(column) for column in table.omitted],
        "incomplete": table.incomplete,
    }
    return described, table.codes.tobytes()


if __name__ == "__main__":
    isolated_table_reader.main(sys.argv[1], MOST_BYTES, SECONDS, read_table)
