"""The process that reads one table: `python -m releases.reading.process CONFIGURATION`, the file on standard input.

The limits are those of importing/isolated_main.py, with more processor time. It answers in JSON on one line: the
profile of the table and its layout, or the faults of the file; behind that comes, of a file that is no text, its text.
"""

import contextlib
import json
import signal
import sys
from typing import Any

from importing.faults import Fault
from importing.isolated_main import MEMORY, configure, limit, place_of, too_large
from mining.document.codec import dump, load
from privacy.grammar.input_error import InputError
from privacy.records import binary_tables
from privacy.records.csv_layout import Layout, detect_layout
from releases.specification.profiling import profile_csv
from releases.specification.proposing import may_be_known
from surveys.questionnaire.problems_and_refusals import reason_text

MOST_BYTES = 50_000_000
SECONDS = 10
"""Limit of processor time."""


def main(configuration: str) -> None:
    known = json.loads(configuration)
    signal.alarm(max(int(known["patience"]) - 2, 1))
    configure(known)
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    path = binary_tables.load(data)
    # Where memory has run out, none may be left to say so.
    written, text = json.dumps({"faults": [too_large()]}), b""
    limit(MEMORY, SECONDS)
    with contextlib.suppress(MemoryError):
        said, text = answer(data, known["name"], known["layout"], path)
        written = json.dumps(said)
    sys.stdout.buffer.write(written.encode() + b"\n" + text)


def answer(
    data: bytes, name: str, layout: dict[str, str] | None, path: str = ""
) -> tuple[dict[str, Any], bytes]:
    """The profile, of a text by this layout or by the one that it seems to have."""
    try:
        text = binary_tables.csv_of(data, name, path)
        chosen = load(Layout, layout) if layout else detect_layout(data) if text is None else Layout()
        table = profile_csv(data if text is None else text, name, chosen, may_be_known)
    except InputError as refusal:
        return {"faults": [Fault(refusal.path, reason_text(refusal))]}, b""
    except MemoryError:
        raise
    except Exception as error:
        return {"failed": place_of(error)}, b""
    return {"read": {**dump(table), "layout": dump(chosen)}}, text or b""


if __name__ == "__main__":
    main(sys.argv[1])
