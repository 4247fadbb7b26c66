"""Uploads are read by a process of its own, which costs little, knows little and cannot stay."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import translation

from accounts.models import Person
from importing import (
    candor_format,
    geojson,
    import_result,
    isolated_reader,
    isolated_reader_main,
    questionnaire_file,
    xlsform,
)
from importing.faults import FileRefused
from importing.isolated_reader import MachineBusy, ReadersBusy
from releases import uploads
from surveys.kinds.read_draft import read_questionnaire
from surveys.models import Survey
from tests import servers
from tests.cast import As
from tests.hostile.arena import Arena
from tests.importing import test_kinds_of_files, test_xform
from tests.importing.conftest import faults as faults_of
from tests.importing.flow import made_files
from tests.importing.flow.made_files import form
from tests.importing.test_geojson import SQUARE, feature, file, polygon, shift
from tests.importing.test_hostile_files import HOSTILE
from tests.importing.test_hostile_lime import BIG
from tests.surveys import drafts
from tests.surveys.drafts import normalize_draft

pytestmark = pytest.mark.page
JSON = candor_format.write(normalize_draft(drafts.bilingual()))
CELLS = file(feature("a", polygon(SQUARE)), feature("b", polygon(shift(SQUARE, 3))))
FILES = {
    "json": JSON,
    "xlsx": xlsform.write(read_questionnaire(drafts.bilingual())),
    "xform": test_xform.WHOLE,
    "csv": test_kinds_of_files.WHOLE.encode(),
    "qualtrics": made_files.QUALTRICS["consent"],
    "surveyjs": made_files.SURVEYJS["panels"],
    "redcap": made_files.REDCAP["matrices"],
}


def replace_reader_program(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Another program in the place of the one that reads."""
    monkeypatch.setattr(isolated_reader, "ENTRY", (sys.executable, "-c", code))


def faults(data: bytes, person: int = 1) -> list[str]:
    return faults_of(data, partial(isolated_reader.read_questionnaire_file, person=person))


# --- the same answers as ever


@pytest.mark.at_push(2)  # tests/odd_files reads each by a fork of such a process
@pytest.mark.parametrize("name", FILES)
def test_isolated_reading_equals_reading_in_process(name: str) -> None:
    assert isolated_reader.read_questionnaire_file(FILES[name], 1) == questionnaire_file.read(FILES[name])


def test_isolated_cells_equal_those_read_in_process_and_refusals_are_translated() -> None:
    assert isolated_reader.read_cells(CELLS, 1) == geojson.read(CELLS)
    with translation.override("zh-hans"), pytest.raises(FileRefused) as found:
        isolated_reader.read_cells(CELLS.replace(b'"features": [', b'"features": [5, '), 1)
    ((place, reason),) = found.value.faults
    assert place == "features[0]"
    assert not reason.isascii()


@pytest.mark.night
def test_isolated_faults_and_remarks_are_translated() -> None:
    wrong, remarked = form(["text", "why", "Why?"]), form(["select_one ages", "age", "Age?"])
    for language in ("en", "zh-hans"):
        with translation.override(language):
            with pytest.raises(FileRefused) as here:
                questionnaire_file.read(wrong)
            with pytest.raises(FileRefused) as there:
                isolated_reader.read_questionnaire_file(wrong, 1)
            assert there.value.faults == here.value.faults
            far, near = (
                isolated_reader.read_questionnaire_file(remarked, 1),
                questionnaire_file.read(remarked),
            )
            assert far.remarks == near.remarks
    assert not any("sheet" in text for text in there.value.faults[0])


@pytest.mark.night
def test_many_faults_fit_on_one_page() -> None:
    said = faults(form(*([f"nothing{number} {'x' * 20_000}", "q", "Q?"] for number in range(195))))
    assert len(said) == 1 + 195, "what it comes to stands first"
    assert max(map(len, said)) < 1_100
    said = faults(form(*(["nothing", "q", "Q?"] for _number in range(301))))
    assert len(said) == 201
    assert said[-1] == "the file: has 102 more faults"


# --- limits


@pytest.mark.night
@pytest.mark.parametrize("name", [*HOSTILE, *BIG, *test_xform.BIG])
def test_hostile_file_takes_limited_memory_and_time(name: str, forks: Arena) -> None:
    """Within the limits of a reading process; each is a fork of one that has started."""
    data = {**HOSTILE, **BIG, **test_xform.BIG}[name]()
    assert len(data) < import_result.MOST_BYTES
    upload = forks.folder / "upload"
    upload.write_bytes(data)
    ended = forks.run(str(upload), isolated_reader_main.QUESTIONNAIRE)
    assert not ended.broken
    said = json.loads(ended.out)
    assert said.keys() <= {"read", "faults"}
    assert all(place and reason for place, reason in said.get("faults", ()))


def run_within_limits(code: str) -> subprocess.CompletedProcess[str]:
    """Code that runs within the limits of a reading process."""
    start = "from importing.isolated_reader_main import MEMORY, SECONDS, limit_resources"
    words = [sys.executable, "-c", f"{start}\nlimit_resources(MEMORY, SECONDS)\n{code}"]
    return subprocess.run(words, cwd=servers.ROOT, env=servers.environment(), capture_output=True, text=True)


@pytest.mark.night
def test_reading_process_is_limited_to_300_megabytes_more_and_seconds() -> None:
    assert isolated_reader_main.MEMORY <= 300_000_000
    done = run_within_limits("bytearray(250_000_000)\nprint('taken')\nbytearray(310_000_000)")
    assert done.stdout == "taken\n"
    assert "MemoryError" in done.stderr
    assert isolated_reader_main.SECONDS < 10
    assert run_within_limits("limit_resources(MEMORY, 0)\nwhile True: pass").returncode == -signal.SIGXCPU


def test_reading_process_writes_no_file_starts_none_and_leaves_no_core(tmp_path: Path) -> None:
    done = run_within_limits(
        "import os, pathlib, resource\n"
        "print(resource.getrlimit(resource.RLIMIT_NPROC), os.nice(0), resource.getrlimit(resource.RLIMIT_CORE))\n"
        f"pathlib.Path({str(tmp_path / 'left')!r}).write_text('x')"
    )
    assert done.stdout == f"(0, 0) {os.nice(0) + 5} (0, 0)\n"
    assert "File too large" in done.stderr


READING = (
    "import sys\n"
    "from importing import isolated_reader_main, questionnaire_file\n"
    "{change}\n"
    "isolated_reader_main.main(sys.argv[1])"
)
"""The program that reads, with another reader."""
MUCH = "questionnaire_file.read = lambda data: bytearray(400_000_000)"
NEVER = (
    "def never(data):\n    while True: pass\nquestionnaire_file.read, isolated_reader_main.SECONDS = never, 0"
)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (READING.format(change=MUCH), "takes too much memory to read; take a smaller or simpler one"),
        (READING.format(change=NEVER), "takes too long to read; take a smaller or simpler one"),
        # A library in C may have found no memory, or believed a damaged number.
        (
            "import os; os.abort()",
            "is damaged, or takes too much memory to read; save it again, or take a smaller one",
        ),
    ],
    ids=["memory", "time", "crash"],
)
def test_file_that_exhausts_or_breaks_the_process_is_refused_in_words(
    program: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_reader_program(monkeypatch, program)
    assert faults(JSON) == [f"the file: {words}"]


# --- whose time it was


BUSY = "This machine is too busy to read the file just now, which is not the file’s fault. Try again in a minute."
SLOW = """
import os, signal, sys
with open({pid!r}, "w") as told:
    told.write(str(os.getpid()))
from importing import isolated_reader_main
read = isolated_reader_main.READERS[isolated_reader_main.QUESTIONNAIRE]
def slow(data):
    os.kill(os.getpid(), signal.SIGSTOP)
    return read(data)
isolated_reader_main.READERS = {{isolated_reader_main.QUESTIONNAIRE: slow}}
isolated_reader_main.main(sys.argv[1])
"""
"""A process that gets no processor in the middle of its work, as on a busy machine."""


def test_process_ended_by_clock_or_machine_blames_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    for signal_name in ("SIGALRM", "SIGKILL"):
        replace_reader_program(monkeypatch, f"import os, signal; os.kill(os.getpid(), signal.{signal_name})")
        with pytest.raises(MachineBusy) as busy:
            isolated_reader.read_questionnaire_file(JSON, 1)
        assert str(busy.value) == BUSY, signal_name


def test_starved_process_is_killed_and_the_machine_called_busy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = tmp_path / "pid"
    replace_reader_program(monkeypatch, SLOW.format(pid=str(told)))
    patience = 0.5
    # It may be killed before it has come so far.
    while not told.exists() or not told.read_text():
        patience *= 2
        monkeypatch.setattr(isolated_reader, "PATIENCE", patience)
        with pytest.raises(MachineBusy):
            isolated_reader.read_questionnaire_file(JSON, 1)
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text()), 0)


def test_file_is_read_after_the_machine_was_busy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its own time stands still meanwhile."""
    told = tmp_path / "pid"
    replace_reader_program(monkeypatch, SLOW.format(pid=str(told)))
    drafts_read: list[object] = []
    read = partial(isolated_reader.read_questionnaire_file, person=1)
    thread = threading.Thread(target=lambda: drafts_read.append(read(JSON).draft))
    thread.start()
    servers.wait(lambda: told.exists() and process_is_stopped(told.read_text()), "the process being stopped")
    time.sleep(0.5)
    os.kill(int(told.read_text()), signal.SIGCONT)
    thread.join()
    assert drafts_read[0]


def process_is_stopped(pid: str) -> bool:
    return pid != "" and Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "T"


# --- what it knows, and what is kept of it


def test_reading_process_gets_no_secret_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "s" * 50)
    monkeypatch.setenv("DATABASE_URL", "postgres://candor:secret@db/candor")
    code = "import json, os; print(json.dumps({'faults': [['', json.dumps(dict(os.environ))]]}))"
    replace_reader_program(monkeypatch, code)
    ((said,),) = [faults(JSON)]
    assert set(json.loads(said.removeprefix(": "))) <= {*isolated_reader.PASSED_ON, "LC_CTYPE"}
    assert "secret" not in said


HEAVY = ("numpy", "pandas", "numba", "PIL", "django.db", "django.http", "django.forms", "surveys.models")


@pytest.mark.at_push(1)
@pytest.mark.parametrize("name", ["json", "xlsx"])
def test_reading_process_loads_no_database_and_no_counting(name: str) -> None:
    code = (
        "import sys\n"
        "from importing import isolated_reader_main\n"
        "started = [name for name in sys.modules if sys.modules[name]]\n"
        "isolated_reader_main.main(sys.argv[1])\n"
        "read = [name for name in sys.modules if sys.modules[name]]\n"
        f"print('', *sorted({set(HEAVY)} & {{*started, *read}}), sep='\\n')"
    )
    known = {"expected": isolated_reader_main.QUESTIONNAIRE, "patience": 20}
    words = [sys.executable, "-c", code, json.dumps(known | isolated_reader._language_configuration())]
    more: dict[str, Any] = {"cwd": servers.ROOT, "env": servers.environment(), "input": FILES[name]}
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True, **more)
    answer, *loaded = done.stdout.decode().splitlines()
    assert json.loads(answer)["read"]["draft"]
    assert loaded == []


def test_reading_process_logs_nothing_of_the_file(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    faults(form(["secret-word", "q", "Q?"]))
    assert caplog.text == ""
    broken = "def broken(data): raise KeyError(data)\nquestionnaire_file.read = broken"
    replace_reader_program(monkeypatch, READING.format(change=broken))
    assert faults(b'{"secret-word": 1}')[0].startswith("the file: could not be read")
    assert "KeyError at <string>:3" in caplog.text
    assert "secret-word" not in caplog.text


# --- how many at once


@contextmanager
def files_being_read(count: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """So many files, of other people than the first, are being read, and are done when this is left."""
    monkeypatch.setattr(isolated_reader, "AT_ONCE", 2)
    tmp_path.mkdir(exist_ok=True)
    go_on = tmp_path / "go-on"
    with monkeypatch.context() as patch, ExitStack() as threads:
        replace_reader_program(
            patch,
            "import json, os, sys, time\n"
            f"open({str(tmp_path)!r} + f'/started-{{os.getpid()}}', 'w').close()\n"
            f"while not os.path.exists({str(go_on)!r}): time.sleep(0.02)\n"
            "print(json.dumps({'faults': [['the file', 'was read']]}))",
        )
        for person in range(2, 2 + count):
            thread = threading.Thread(target=faults, args=(JSON, person))
            thread.start()
            threads.callback(thread.join)
        threads.callback(go_on.touch)
        servers.wait(lambda: len(list(tmp_path.glob("started-*"))) == count, "reading")
        patch.undo()
        yield


def test_two_files_are_read_at_once_and_the_next_is_told_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with files_being_read(1, monkeypatch, tmp_path / "one"):
        assert isolated_reader.read_questionnaire_file(JSON, 1).draft
    with files_being_read(2, monkeypatch, tmp_path / "two"), pytest.raises(ReadersBusy):
        isolated_reader.read_questionnaire_file(JSON, 1)
    assert isolated_reader.read_questionnaire_file(JSON, 1).draft


def test_person_has_one_file_read_at_once_and_tables_do_not_displace_questionnaires(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with files_being_read(1, monkeypatch, tmp_path / "one"), pytest.raises(ReadersBusy):
        isolated_reader.read_questionnaire_file(JSON, 2)
    with files_being_read(2, monkeypatch, tmp_path / "two"):
        assert uploads.read_table(b"a,b\n1,2\n3,4\n", "t.csv", 1).profile.records == 2


def test_machine_that_cannot_start_a_process_is_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolated_reader, "ENTRY", ("/nowhere/python",))
    with pytest.raises(ReadersBusy):
        isolated_reader.read_questionnaire_file(JSON, 1)


ORPHAN = """
import sys
from pathlib import Path
from django.conf import settings
settings.configure(VAR=Path(sys.argv[1]), BASE_DIR=sys.argv[2])
from importing import isolated_reader
isolated_reader.ENTRY = (sys.executable, "-c", sys.argv[3], sys.argv[1])
lock_place = isolated_reader._lock_place
isolated_reader._lock_place = lambda kind, person: lock_place(kind + sys.argv[4], person)
isolated_reader.read_questionnaire_file(b"x", 1)
"""
STAYS = """
import os, sys, time
with open(sys.argv[1] + "/pid", "w") as told:
    told.write(str(os.getpid()))
time.sleep(600)
"""


@pytest.mark.night
def test_process_whose_server_is_gone_still_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(isolated_reader, "AT_ONCE", 1)
    words = [sys.executable, "-c", ORPHAN, str(tmp_path), str(servers.ROOT), STAYS, str(os.getpid())]
    server = subprocess.Popen(words, cwd=servers.ROOT, env=servers.environment())
    known = tmp_path / "pid"
    servers.wait(lambda: known.exists() and bool(known.read_text()), "reading")
    server.kill()
    server.wait()
    with pytest.raises(ReadersBusy):
        isolated_reader.read_questionnaire_file(JSON, 1)
    os.kill(int(known.read_text()), 9)
    servers.wait(can_read, "a free place")


def can_read() -> bool:
    try:
        return bool(isolated_reader.read_questionnaire_file(JSON, 1).draft)
    except ReadersBusy:
        return False


# --- on the page


def upload(signed_in_as: As, person: Person, data: bytes) -> Any:
    return signed_in_as(person).post("/app/surveys/import", {"file": SimpleUploadedFile("q.json", data)})


@pytest.mark.django_db
def test_web_processes_read_no_questionnaire_file(
    owner: Person, signed_in_as: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_if_read_here(data: bytes) -> None:
        raise AssertionError("read in the web process")

    for room in (questionnaire_file, candor_format, xlsform):
        monkeypatch.setattr(room, "read", fail_if_read_here)
    answer = upload(signed_in_as, owner, JSON)
    assert answer.status_code == 200
    assert answer.context["title"] == "Work and health"


@pytest.mark.django_db
def test_person_is_asked_to_try_again_while_others_are_read(
    owner: Person, signed_in_as: As, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with files_being_read(2, monkeypatch, tmp_path):
        answer = upload(signed_in_as, owner, JSON)
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert "Try again in a few seconds" in answer.text
    assert not Survey.objects.exists()


@pytest.mark.django_db
def test_upload_to_a_busy_machine_is_asked_to_try_again_and_a_slow_file_refused(
    owner: Person, signed_in_as: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_reader_program(monkeypatch, "import os, signal; os.kill(os.getpid(), signal.SIGALRM)")
    answer = upload(signed_in_as, owner, JSON)
    assert (answer.status_code, answer["Retry-After"]) == (503, "30")
    assert BUSY in answer.text
    assert "take a smaller" not in answer.text
    replace_reader_program(monkeypatch, "import os, signal; os.kill(os.getpid(), signal.SIGXCPU)")
    answer = upload(signed_in_as, owner, JSON)
    assert answer.status_code == 422
    assert "takes too long to read; take a smaller or simpler one" in answer.text
    assert not Survey.objects.exists()
