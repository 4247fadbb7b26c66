"""The process that reads one table of true answers: `python -m own_tables.reading_process CONFIGURATION`.

It answers with the columns of the table; behind that come their codes.
"""

import sys
from typing import Any

from importing import isolated_table
from importing.isolated_table import Configuration
from mining.document.codec import dump
from mining.own_table.table import MOST_BYTES, read_own_table

SECONDS = 20
"""Limit of processor time."""


def read_table(data: bytes, text: bytes | None, configuration: Configuration) -> tuple[dict[str, Any], bytes]:
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
    isolated_table.main(sys.argv[1], MOST_BYTES, SECONDS, read_table)
