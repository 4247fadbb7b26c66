"""Reads uploaded files in a child process with limits of time and memory, so that no file can stop the site.

The process starts in a quarter of a second, so the page waits for it. In a job queue a questionnaire would
wait behind analyses that take minutes, and the upload would have to be stored. At most `AT_ONCE` processes of
each kind run, and one for each person; further uploads are refused with status 503.
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
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.http import HttpResponse
from django.utils.translation import get_language, gettext as _

from importing.faults import Fault, FileRefused, file_refusal
from importing.geojson import PlaceCells
from importing.import_result import ImportResult
from importing.isolated_reader_main import CELLS, LOGO, QUESTIONNAIRE, TRANSLATIONS
from importing.translations.reading import TranslationFile
from mining.json_codec import node_from_json

log = logging.getLogger(__name__)

AT_ONCE = 2
"""Highest number of questionnaires, and of tables, that one instance reads at the same time."""
PATIENCE = 55.0
"""Seconds of elapsed time after which the process is killed, since nginx ends requests after a minute.

Reading a file is limited in processor time (`isolated_reader_main.SECONDS`), so this limit is reached only on
a busy machine.
"""
PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
"""Environment variables that the process gets; others may be secret."""
ENTRY = (sys.executable, "-m", "importing.isolated_reader_main")
CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS)


class ReadersBusy(Exception):
    """Raised if all child processes are busy or the machine cannot start one; a page answers it with status 503."""

    RETRY_AFTER = "10"

    def __str__(self) -> str:
        return _("Other files are being read at the moment. Try again in a few seconds.")


class MachineBusy(ReadersBusy):
    """Raised if a file was not read within `PATIENCE`, although it has not used up its processor time."""

    RETRY_AFTER = "30"

    def __str__(self) -> str:
        return _(
            "This machine is too busy to read the file just now, which is not the file’s fault. Try again in a minute."
        )


def busy_response(response: HttpResponse, busy: ReadersBusy) -> HttpResponse:
    """Returns the page `response` with status 503 and the seconds after which to send the file again."""
    response.status_code = 503
    response["Retry-After"] = busy.RETRY_AFTER
    return response


def read_questionnaire_file(data: bytes, person: int) -> ImportResult:
    """Reads a questionnaire file in a child process; returns the draft with the outcome of each row.

    Raises `FileRefused` with the faults in this thread's language; raises `ReadersBusy` at once if all processes are
    busy, or after `PATIENCE` if the machine is too busy.
    """
    return node_from_json(ImportResult, read_in_child_process(data, person, ENTRY, expected=QUESTIONNAIRE)[0])


def read_cells(data: bytes, person: int) -> PlaceCells:
    """Reads the cells of a place question from a GeoJSON file, in a child process.

    Raises `FileRefused` with the faults, or `ReadersBusy`.
    """
    answer, _rest = read_in_child_process(data, person, ENTRY, expected=CELLS)
    return node_from_json(PlaceCells, answer)


def read_logo(data: bytes, person: int) -> bytes:
    """Reads an uploaded logo in a child process; returns the picture re-encoded for respondents' pages.

    Raises `FileRefused` with the faults, or `ReadersBusy`.
    """
    answer, _rest = read_in_child_process(data, person, ENTRY, expected=LOGO)
    return b64decode(answer["base64"])


def read_translations(data: bytes, person: int) -> TranslationFile:
    """Reads a file of translations in a child process; returns its texts by language.

    Raises `FileRefused` with the faults, or `ReadersBusy`.
    """
    answer, _rest = read_in_child_process(data, person, ENTRY, expected=TRANSLATIONS)
    return node_from_json(TranslationFile, answer)


def read_in_child_process(
    data: bytes, person: int, entry: Sequence[str], **configuration: Any
) -> tuple[dict[str, Any], bytes]:
    """Runs the command `entry`, sends it the file, and returns the content that it read, and the bytes that follow.

    `person`: the key of the account that sent the file.

    Raises `FileRefused` with the faults of the file, or `ReadersBusy`.
    """
    with _lock_place("questionnaire" if entry == ENTRY else "table", person) as lock:
        said, rest = _run_child_process(data, lock, entry, {**configuration, "patience": PATIENCE})
    if "read" in said:
        return said["read"], rest
    if "faults" in said:
        raise FileRefused([Fault(lock, reason) for lock, reason in said["faults"]])
    log.error("An uploaded file could not be read: %s", said["failed"])
    reason = _("could not be read, and the reason is not known; ask your administrator")
    raise file_refusal(reason)


@contextmanager
def _lock_place(kind: str, person: int) -> Iterator[IO[bytes]]:
    """Context manager: locks the person's file, and one of the `AT_ONCE` files of this kind, which it yields; raises
    `ReadersBusy` if that cannot be done at once.

    The child process inherits the lock of the kind, so an orphaned process still counts.
    """
    folder = settings.VAR / "reading"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as held:
        _hold_first_free(held, [folder / f"person-{person}.lock"])
        yield _hold_first_free(held, [folder / f"{kind}-{number}.lock" for number in range(AT_ONCE)])


def _hold_first_free(held: ExitStack, paths: Sequence[Path]) -> IO[bytes]:
    for path in paths:
        lock = held.enter_context(path.open("ab"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError:
            continue
    raise ReadersBusy


def _run_child_process(
    data: bytes, lock: IO[bytes], entry: Sequence[str], configuration: dict[str, Any]
) -> tuple[dict[str, Any], bytes]:
    """Runs the child process; returns its JSON answer, and the bytes after the answer.

    If the process failed, the answer is what its exit code implies.
    """
    with _start_child_process(lock, entry, configuration) as process:
        try:
            written = process.communicate(data, configuration["patience"])[0]
        except subprocess.TimeoutExpired:
            raise MachineBusy from None
        finally:
            process.kill()
    if process.returncode:
        return _answer_for_killed_process(process.returncode), b""
    line, _end, rest = written.partition(b"\n")
    return json.loads(line), rest


def _start_child_process(
    lock: IO[bytes], entry: Sequence[str], configuration: dict[str, Any]
) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(
            [*entry, json.dumps(configuration | _language_configuration())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=settings.BASE_DIR,
            env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
            pass_fds=[lock.fileno()],
        )
    except OSError:
        raise ReadersBusy from None


def _language_configuration() -> dict[str, Any]:
    return {
        "language": get_language() or settings.LANGUAGE_CODE,
        "languages": [(code, str(name)) for code, name in settings.LANGUAGES],
        "words": [str(path) for path in settings.LOCALE_PATHS],
    }


def _answer_for_killed_process(exit_code: int) -> dict[str, Any]:
    """Returns a JSON answer on behalf of a process that was killed before it wrote one; raises `MachineBusy`
    if its processor time was not used up."""
    if -exit_code == signal.SIGXCPU:
        reason = _("takes too long to read; take a smaller or simpler one")
        return {"faults": [Fault(_("the file"), reason)]}
    # SIGALRM: the time was over. SIGKILL: perhaps the kernel, which needed the memory.
    if -exit_code in (signal.SIGALRM, signal.SIGKILL):
        raise MachineBusy
    # Where C code finds no memory, or reads damaged numbers, it may end the process.
    if -exit_code in CRASHES:
        reason = _("is damaged, or takes too much memory to read; save it again, or take a smaller one")
        return {"faults": [Fault(_("the file"), reason)]}
    return {"failed": f"the process ended with {exit_code}"}
