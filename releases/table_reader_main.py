"""Child process that profiles an uploaded table from standard input: `python -m releases.table_reader_main
CONFIGURATION`.

It writes one line of JSON with the profile and the layout, followed by the table as text if the file was binary.
"""

import sys
from typing import Any

from importing import isolated_table_reader
from importing.isolated_table_reader import Configuration
from mining.json_codec import node_from_json, node_to_json
from privacy.records.csv_dialect_detection import Layout, detect_layout
from releases.specification.specification_proposal import may_others_know
from releases.specification.table_profile import profile_csv

MOST_BYTES = 50_000_000
SECONDS = 20
"""Limit of processor time in seconds."""


def profile_table(data: bytes, text: bytes | None, known: Configuration) -> tuple[dict[str, Any], bytes]:
    """Returns the profile and layout of a table, and its text.

    `text`: the text of a file that was binary, else None. The layout is the configured one; for a text file without
    one, the detected one.
    """
    layout = known["layout"]
    chosen = node_from_json(Layout, layout) if layout else detect_layout(data) if text is None else Layout()
    table = profile_csv(data if text is None else text, known["name"], chosen, may_others_know)
    return {**node_to_json(table), "layout": node_to_json(chosen)}, text or b""


if __name__ == "__main__":
    isolated_table_reader.main(sys.argv[1], MOST_BYTES, SECONDS, profile_table)
