"""Parses one uploaded table in a separate process: `python -m own_tables.reading_process CONFIGURATION`.

The output is a description of the columns, and then their codes.
"""

import sys
from typing import Any

from importing import isolated_table_reader
from importing.isolated_table_reader import Configuration
from mining.json_codec import node_to_json
from mining.own_table.table import MOST_BYTES, read_own_table

SECONDS = 20
"""Limit of the process's processor time in seconds."""


def read_table(data: bytes, text: bytes | None, configuration: Configuration) -> tuple[dict[str, Any], bytes]:
    """Parses a table; returns the description of the columns and their codes. `text`: its content if it is
    a text file."""
    table = read_own_table(
        data if text is None else text, configuration["name"], wanted=configuration["columns"]
    )
    described = {
        "columns": [node_to_json(column) for column in table.columns],
        "omitted": [node_to_json(column) for column in table.omitted],
        "incomplete": table.incomplete,
    }
    return described, table.codes.tobytes()


if __name__ == "__main__":
    isolated_table_reader.main(sys.argv[1], MOST_BYTES, SECONDS, read_table)
