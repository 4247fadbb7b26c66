"""The process that reads one table of true answers: `python -m own_tables.reading_process CONFIGURATION`.

As `releases.reading.process`. It answers in JSON on one line, and behind that come the codes of the table.
"""

import contextlib
import json
import signal
import sys
from typing import Any

from importing.faults import Fault
from importing.isolated_main import MEMORY, configure, limit, place_of, too_large
from mining.document.codec import dump
from mining.own_table.table import MOST_BYTES, read_own_table
from privacy.grammar.input_error import InputError
from privacy.records import binary_tables
from surveys.questionnaire.problems_and_refusals import reason_text

SECONDS = 20
"""Limit of processor time."""


def main(configuration: str) -> None:
    known = json.loads(configuration)
    signal.alarm(max(int(known["patience"]) - 2, 1))
    configure(known)
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    path = binary_tables.load(data)
    # Where memory has run out, none may be left to say so.
    written, codes = json.dumps({"faults": [too_large()]}), b""
    limit(MEMORY, SECONDS)
    with contextlib.suppress(MemoryError):
        said, codes = answer(data, known["name"], known["columns"], path)
        written = json.dumps(said)
    sys.stdout.buffer.write(written.encode() + b"\n" + codes)


def answer(data: bytes, name: str, columns: list[str], path: str = "") -> tuple[dict[str, Any], bytes]:
    try:
        text = binary_tables.csv_of(data, name, path)
        table = read_own_table(data if text is None else text, name, wanted=columns)
    except InputError as refusal:
        return {"faults": [Fault(refusal.path, reason_text(refusal))]}, b""
    except MemoryError:
        raise
    except Exception as error:
        return {"failed": place_of(error)}, b""
    described = {
        "columns": [dump(column) for column in table.columns],
        "omitted": [dump(column) for column in table.omitted],
        "incomplete": table.incomplete,
    }
    return {"read": described}, table.codes.tobytes()


if __name__ == "__main__":
    main(sys.argv[1])
