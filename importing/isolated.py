"""Reads an uploaded file in a process of its own, with limits of time and memory, so that no file stops the site.

The process starts in a quarter of a second, so the person waits for it on the page. A queue would let a questionnaire
wait behind an analysis of minutes, and would have to store the upload meanwhile. A few run at once; an upload while
all are busy is refused with 503.
"""

import fcntl
import json
import logging
import os
import signal
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

from django.conf import settings
from django.utils.translation import get_language, gettext as _

from importing.faults import Fault, FileRefused
from importing.geojson import PlaceCells
from importing.isolated_main import CELLS, LOGO, QUESTIONNAIRE, TRANSLATIONS, too_large
from importing.read_through import ReadQuestionnaire
from importing.translations.reading import TranslationFile
from mining.document.codec import load

log = logging.getLogger(__name__)

AT_ONCE = 2
"""Files that one instance reads at the same time."""
PATIENCE = 22.0
"""Seconds, by the clock, until the process is killed; it ends by itself just before."""
PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
"""Variables that the process gets; the others may be secret."""
ENTRY = (sys.executable, "-m", "importing.isolated_main")


class ReadersBusy(Exception):
    """All processes for reading are at work, or the machine starts no further one; for a page that answers 503."""

    RETRY_AFTER = "10"

    def __str__(self) -> str:
        return _("Other files are being read at the moment. Try again in a few seconds.")


def read(data: bytes) -> ReadQuestionnaire:
    """The draft in a file, and what became of each row.

    `FileRefused` with its faults in this thread's language; `ReadersBusy` without waiting.
    """
    return load(ReadQuestionnaire, answer_of(data, ENTRY, expected=QUESTIONNAIRE)[0])


def read_cells(data: bytes) -> PlaceCells:
    """The cells of a place in a GeoJSON file; refused as in `read`."""
    answer, _rest = answer_of(data, ENTRY, expected=CELLS)
    return load(PlaceCells, answer)


def read_logo(data: bytes) -> bytes:
    """The picture as respondents get it; refused as in `read`."""
    answer, _rest = answer_of(data, ENTRY, expected=LOGO)
    return b64decode(answer["base64"])


def read_translations(data: bytes) -> TranslationFile:
    """The units of a file of translations; refused as in `read`."""
    answer, _rest = answer_of(data, ENTRY, expected=TRANSLATIONS)
    return load(TranslationFile, answer)


def answer_of(
    data: bytes, entry: Sequence[str], patience: float = PATIENCE, **configuration: Any
) -> tuple[dict[str, Any], bytes]:
    """What the process of this entry says of a file, and the bytes behind its first line; refused as in `read`.

    `patience`: seconds by the clock.
    """
    with _free_lock() as lock:
        said, rest = _answer(data, lock, entry, {**configuration, "patience": patience})
    if "read" in said:
        return said["read"], rest
    if "faults" in said:
        raise FileRefused([Fault(lock, reason) for lock, reason in said["faults"]])
    log.error("An uploaded file could not be read: %s", said["failed"])
    reason = _("could not be read, and the reason is not known; ask your administrator")
    raise FileRefused([Fault(_("the file"), reason)])


@contextmanager
def _free_lock() -> Iterator[IO[bytes]]:
    """Lock one of the `AT_ONCE` files. The process inherits the lock, so an orphan still counts."""
    settings.VAR.mkdir(parents=True, exist_ok=True)
    for number in range(AT_ONCE):
        with (settings.VAR / f"reading-{number}.lock").open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield lock
            return
    raise ReadersBusy


def _answer(
    data: bytes, lock: IO[bytes], entry: Sequence[str], configuration: dict[str, Any]
) -> tuple[dict[str, Any], bytes]:
    with _started(lock, entry, configuration) as process:
        try:
            written = process.communicate(data, configuration["patience"])[0]
        except subprocess.TimeoutExpired:
            return {"faults": [_too_long()]}, b""
        finally:
            process.kill()
    if process.returncode:
        return _missing(process.returncode), b""
    line, _end, rest = written.partition(b"\n")
    return json.loads(line), rest


def _started(
    lock: IO[bytes], entry: Sequence[str], configuration: dict[str, Any]
) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(
            [*entry, json.dumps(configuration | _languages())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=settings.BASE_DIR,
            env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
            pass_fds=[lock.fileno()],
        )
    except OSError:
        raise ReadersBusy from None


def _languages() -> dict[str, Any]:
    return {
        "language": get_language() or settings.LANGUAGE_CODE,
        "languages": [(code, str(name)) for code, name in settings.LANGUAGES],
        "words": [str(path) for path in settings.LOCALE_PATHS],
    }


def _missing(code: int) -> dict[str, Any]:
    """The answer for a process that was killed before it gave one."""
    if -code in (signal.SIGXCPU, signal.SIGALRM, signal.SIGKILL):
        return {"faults": [_too_long()]}
    # Where C code finds no memory, it may end the process.
    if -code in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS):
        return {"faults": [too_large()]}
    return {"failed": f"the process ended with {code}"}


def _too_long() -> Fault:
    return Fault(_("the file"), _("takes too long to read; take a smaller or simpler one"))
