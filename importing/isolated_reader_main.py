"""Child process that reads one file from standard input: `python -m importing.isolated_reader_main CONFIGURATION`.

It has no access to the database or the site's secrets, little memory and processor time, and cannot write files. The
configuration (JSON) names the expected content, the seconds that may elapse, the reader's language and the folders of
the translations. It writes JSON: the content (`QUESTIONNAIRE`: a draft with remarks; `CELLS`: cells of a place
question; `LOGO`: the re-encoded picture; `TRANSLATIONS`: texts by language), the faults of the
file, or an internal failure.
"""

import contextlib
import json
import os
import resource
import signal
import sys
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.utils.translation import activate, gettext as _, ngettext

from importing import geojson, logo_reencoding, safe_zip
from importing.faults import Fault, FileRefused
from importing.import_result import MOST_BYTES, shorten
from importing.translations import reading
from mining.json_codec import node_to_json
from privacy.grammar.input_error import InputError
from surveys.questionnaire.problems_and_refusals import reason_text
from ui.number_format import format_count

QUESTIONNAIRE, CELLS, LOGO, TRANSLATIONS = "questionnaire", "cells", "logo", "translations"
MEMORY = 300_000_000
"""Limit of the address space in bytes, beyond the size of the process when it starts reading."""
SECONDS = 5
"""Limit of processor time in seconds after the imports; then the kernel ends the process with SIGXCPU."""
POLITENESS = 5
"""Nice value of the process, so that it gets less processor time than processes that serve pages."""
MOST_FAULTS = 200
"""Highest number of faults that are reported for a file."""


def main(configuration: str) -> None:
    """Reads the file on standard input under the limits, and writes the answer as JSON."""
    known = json.loads(configuration)
    set_time_limit(known)
    configure_django(known)
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    load_libraries(data, known["expected"])
    sys.stdout.write(read_within_limits(data, known["expected"]))


def read_within_limits(data: bytes, expected: str) -> str:
    """Limits the memory and time of this process, reads the file, and returns the answer as JSON."""
    # Where memory has run out, none may be left to say so.
    written = json.dumps({"faults": [too_much_memory_fault()]})
    limit_resources(MEMORY, SECONDS)
    with contextlib.suppress(MemoryError):
        written = json.dumps(read_or_faults(data, expected))
    return written


def set_time_limit(configuration: Mapping[str, Any]) -> None:
    """Sets an alarm that ends this process two seconds before its parent would kill it, in case the parent is gone."""
    signal.alarm(max(int(configuration["patience"]) - 2, 1))


def configure_django(configuration: Mapping[str, Any]) -> None:
    """Configures Django for translations only, in the reader's language."""
    settings.configure(
        USE_I18N=True,
        LANGUAGES=[tuple(each) for each in configuration["languages"]],
        LOCALE_PATHS=configuration["words"],
    )
    # Translations ask which applications bring words of their own: none.
    apps.populate(())
    activate(configuration["language"])


def load_libraries(data: bytes, expected: str) -> None:
    """Imports the libraries for this kind of file before the limits apply, so that the import does not count."""
    if expected == LOGO:
        logo_reencoding.load_libraries()
        return
    if expected == QUESTIONNAIRE:
        from importing import questionnaire_file  # noqa: F401  # late for cost
    if data.startswith(safe_zip.ZIP):
        # openpyxl takes numpy and Pillow where they are, for what is never asked of it here: half its memory.
        sys.modules |= {"numpy": None, "PIL": None}  # type: ignore[dict-item]
        import openpyxl  # noqa: F401  # late for cost

        # A number without limits is planned with arrays: they come late, and only then.
        del sys.modules["numpy"]


def limit_resources(memory: int, seconds: int) -> None:
    """Limits this process: `memory` more bytes, `seconds` more of processor time, no new file, no child process."""
    os.nice(POLITENESS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + 1 + seconds
    # At the hard limit the kernel would send SIGKILL instead, as where a machine has no memory left.
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
    known = Path("/proc/self/statm")
    # Systems without /proc do not limit an address space reliably either; there the two other limits remain.
    if known.exists():
        most = int(known.read_text().split()[0]) * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def read_or_faults(data: bytes, expected: str) -> dict[str, Any]:
    """Returns the answer for JSON: the content of the file, its faults, or the location of an internal error."""
    try:
        return {"read": READERS[expected](data)}
    except FileRefused as refusal:
        return {"faults": shorten_faults(refusal.faults)}
    except MemoryError:
        raise
    except Exception as error:
        return {"failed": error_location(error)}


def read_questionnaire(data: bytes) -> dict[str, Any]:
    from importing import questionnaire_file  # late for cost

    taken = questionnaire_file.read(data)
    return node_to_json(replace(taken, remarks=tuple(map(shorten, taken.remarks))))


def read_cells(data: bytes) -> dict[str, Any]:
    try:
        return node_to_json(geojson.read(data))
    except InputError as refusal:
        raise FileRefused([Fault(refusal.path, reason_text(refusal))]) from None


def read_logo(data: bytes) -> dict[str, Any]:
    return {"base64": b64encode(logo_reencoding.encode_logo(data)).decode()}


def read_translations(data: bytes) -> dict[str, Any]:
    return node_to_json(reading.read(data))


READERS: Mapping[str, Callable[[bytes], dict[str, Any]]] = {
    QUESTIONNAIRE: read_questionnaire,
    CELLS: read_cells,
    LOGO: read_logo,
    TRANSLATIONS: read_translations,
}


def shorten_faults(faults: Sequence[Fault]) -> list[Fault]:
    """Returns at most `MOST_FAULTS` faults with shortened texts, and one more fault with the number of the rest."""
    shortened = [Fault(shorten(location), shorten(reason)) for location, reason in faults[:MOST_FAULTS]]
    more = len(faults) - MOST_FAULTS
    if more > 0:
        said = ngettext("has %(n)s more fault", "has %(n)s more faults", more) % {"n": format_count(more)}
        shortened.append(Fault(_("the file"), said))
    return shortened


def too_much_memory_fault() -> Fault:
    return Fault(_("the file"), _("takes too much memory to read; take a smaller or simpler one"))


def error_location(error: Exception) -> str:
    """Returns the type of an error and the source line that raised it, without its message, which might quote
    the file."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    line = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "an unknown place"
    return f"{type(error).__name__} at {line}"


if __name__ == "__main__":
    main(sys.argv[1])
