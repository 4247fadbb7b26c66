"""Main function of the child processes that read uploaded tables; each app passes its own `read` function.

The limits are those of importing/isolated_reader_main.py, with more processor time. The process writes one
line of JSON (the content of the table, or the faults of the file), followed by bytes.
"""

import contextlib
import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from importing.faults import Fault
from importing.isolated_reader_main import (
    MEMORY,
    configure_django,
    error_location,
    limit_resources,
    set_time_limit,
    too_much_memory_fault,
)
from privacy.grammar.input_error import InputError
from privacy.records import binary_tables_to_csv
from surveys.questionnaire.problems_and_refusals import reason_text

Configuration = Mapping[str, Any]
TableReader = Callable[[bytes, bytes | None, Configuration], tuple[dict[str, Any], bytes]]
"""Function that reads a table: from the file, its text as CSV if the file is not text, and the configuration,
it returns the content for JSON, and bytes."""


def main(configuration: str, most_bytes: int, seconds: int, read: TableReader) -> None:
    """Reads an uploaded table from standard input, and writes its content or its faults to standard output.

    `seconds` limits the processor time. `read`: the function that reads the table.
    """
    known = json.loads(configuration)
    set_time_limit(known)
    configure_django(known)
    data = sys.stdin.buffer.read(most_bytes + 1)
    sys.stdout.buffer.write(read_within_limits(data, known, seconds, read))


def read_within_limits(data: bytes, configuration: Configuration, seconds: int, read: TableReader) -> bytes:
    """Limits the memory and time of this process, reads the table, and returns the answer.

    The answer is a line of JSON, followed by the bytes that `read` returns.
    """
    path = binary_tables_to_csv.load_libraries_and_copy(data)
    # Where memory has run out, none may be left to say so.
    written, rest = json.dumps({"faults": [too_much_memory_fault()]}), b""
    limit_resources(MEMORY, seconds)
    with contextlib.suppress(MemoryError):
        said, rest = read_or_faults(data, configuration, read, path)
        written = json.dumps(said)
    return written.encode() + b"\n" + rest


def read_or_faults(
    data: bytes, configuration: Configuration, read: TableReader, in_memory_path: str
) -> tuple[dict[str, Any], bytes]:
    """Returns the answer for JSON (content, faults or internal error), and the bytes that `read` returns.

    `in_memory_path`: path of an in-memory copy of the file, for libraries that take no bytes; else empty.
    """
    try:
        table, rest = read(
            data,
            binary_tables_to_csv.convert_to_csv(data, configuration["name"], in_memory_path),
            configuration,
        )
    except InputError as refusal:
        return {"faults": [Fault(refusal.path, reason_text(refusal))]}, b""
    except MemoryError:
        raise
    except Exception as error:
        return {"failed": error_location(error)}, b""
    return {"read": table}, rest
