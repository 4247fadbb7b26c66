"""The process that reads one table of true answers: `python -m own_tables.reading_process CONFIGURATION`.

It answers with the columns of the table; behind that come their codes.
"""

import sys
from typing import Any

from importing import isolated_table_reader
from importing.isolated_table_reader import Configuration
from mining.document.codec import dump
from mining.own_table.table import MOST_BYTES, read_own_table

SECONDS = 20
"""Limit of processor time."""


def read(data: bytes, text: bytes | None, known: Configuration) -> tuple[dict[str, Any], bytes]:
    table = read_own_table(data if text is None else text, known["name"], wanted=known["columns"])
    described = {
        "columns": [dump(column) for column in table.columns],
        "omitted": [dump(column) for column in table.omitted],
        "incomplete": table.incomplete,
    }
    return described, table.codes.tobytes()


if __name__ == "__main__":
    isolated_table_reader.main(sys.argv[1], MOST_BYTES, SECONDS, read)
