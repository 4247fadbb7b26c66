"""Runs code on hostile files in forked processes with little memory and time: `python -m tests.hostile.arena KIND`.

The process first loads what it needs, then forks for every line of JSON on its standard input, and answers with a line
of JSON on its standard output. Only what a fork takes beyond the loaded process counts against its limits."""

import json
import os
import resource
import subprocess
import sys
import traceback
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from importing import isolated_reader_main, isolated_table_reader
from tests import servers

MEMORY, SECONDS = 300_000_000, 10
BROKEN = 99
"""Ends a fork that an exception left."""
Do = Callable[[Sequence[str]], int]


def limit_process(memory: int = MEMORY) -> None:
    most = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def mutation_numbers(otherwise: str) -> tuple[int, ...]:
    """How many mutated files are tried, of which seed, and the number of the first (`./run bench mutations`)."""
    usual = {"MUTATIONS": otherwise, "MUTATIONS_SEED": "1", "MUTATIONS_FIRST": "0"}
    return tuple(int(os.environ.get(name, number)) for name, number in usual.items())


def commands(warm: Callable[[Path, Do], None], var: Path, memory: int = MEMORY) -> Do:
    """Commands, as many words each as on the command line."""
    import django

    django.setup()
    from django.core.management import load_command_class

    from candor.__main__ import COMMANDS, main

    def run_command(words: Sequence[str]) -> int:
        if words[0] in COMMANDS:
            return main(words)
        load_command_class("config.backup", words[0]).run_from_argv(["manage.py", *words])
        return 0

    # Once through every command, so that what they load and compile is there.
    with silenced_output():
        warm(var, run_command)

    def do_within_limit(words: Sequence[str]) -> int:
        limit_process(memory)
        return run_command(words)

    return do_within_limit


@contextmanager
def silenced_output() -> Iterator[None]:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    kept = [os.dup(1), os.dup(2)]
    os.dup2(nowhere, 1), os.dup2(nowhere, 2)
    yield
    sys.stdout.flush()
    os.dup2(kept[0], 1), os.dup2(kept[1], 2)


def _warm_for_records(var: Path, do: Do) -> None:
    design, records = var / "design.json", var / "records.csv"
    section = {"kind": "plain", "questions": [{"name": "q", "choices": ["a", "b"]}]}
    design.write_text(json.dumps({"format": "candor-design/1", "sections": [section]}))
    records.write_text("group,q\n" + "disguised,a\ndisguised,b\n" * 60)
    do(["audit", str(design)])
    do(["disguise", str(design), str(records)])
    for engine in ("bitmap", "mlxtend"):
        asked = ("--min-support", ".1", "--min-confidence", ".5", "--engine", engine)
        do(["mine", str(design), str(records), *asked])
    records.write_text("value,prior,yes\nthief,1,1\n")
    do(["breaches", str(records)])
    do(["square-mechanism", "1", "1", "1"])


def _warm_for_columns(var: Path, do: Do) -> None:
    from mining import compile_kernels

    _warm_for_records(var, do)
    compile_kernels.load_all_kernels()


def _warm_for_tables(var: Path, do: Do) -> None:
    table, released, out = var / "table.csv", var / "released.json", str(var / "released.csv")
    table.write_text("q\n" + "a\nb\n" * 60)
    wanted = {"quasi_identifiers": [{"name": "q", "kind": "category"}], "k": 2, "seconds": 0}
    released.write_text(json.dumps({"format": "candor-release/1", **wanted}))
    do(["anonymize", str(table), str(released), "-o", out])
    do(["lattice", str(table), str(released)])


def reading(begin: bytes, expected: str, var: Path) -> Do:
    """Uploads, by the very code and limits of the process that reads them: a file, and what is expected of it."""
    configure_for_reading()
    isolated_reader_main.load_libraries(begin, expected)

    def read_questionnaire_file(words: Sequence[str]) -> int:
        upload, expected = words
        sys.stdout.write(isolated_reader_main.read_within_limits(Path(upload).read_bytes(), expected))
        return 0

    return read_questionnaire_file


def configure_for_reading() -> None:
    isolated_reader_main.configure_django(
        {"language": "en", "languages": [("en", "English")], "words": [str(Path.cwd() / "locale")]}
    )


def tables(var: Path) -> Do:
    """Tables, as those who release and who try the disguise read them: a file, the room, and the configuration."""
    from own_tables import reading_process
    from privacy.records import binary_tables_to_csv
    from releases import table_reader_main

    configure_for_reading()
    for begin in (b"PK", b"PAR1", b"$FL2"):
        binary_tables_to_csv.load_libraries_and_copy(begin)
    rooms = {
        table_reader_main.__name__: (table_reader_main.SECONDS, table_reader_main.profile_table),
        reading_process.__name__: (reading_process.SECONDS, reading_process.read_table),
    }

    def read_table_file(words: Sequence[str]) -> int:
        upload, room, known = words
        data, (seconds, read) = Path(upload).read_bytes(), rooms[room]
        answer = isolated_table_reader.read_within_limits(data, json.loads(known), seconds, read)
        sys.stdout.write(b64encode(answer).decode())
        return 0

    return read_table_file


KINDS: dict[str, Callable[[Path], Do]] = {
    "commands": partial(commands, _warm_for_records),
    "columns": partial(commands, _warm_for_columns),  # with the machine code that counts many of them
    "poor": partial(commands, _warm_for_columns, memory=MEMORY // 2),  # gone long before the time is
    # Apart: what their kernels leave would serve other commands as memory, and workbooks are read without Pillow.
    "releases": partial(commands, _warm_for_tables),
    "reading": partial(reading, b"PK", isolated_reader_main.QUESTIONNAIRE),
    "logos": partial(reading, b"", isolated_reader_main.LOGO),
    "tables": tables,
}


def run_in_fork(do: Do, words: Sequence[str]) -> dict[str, Any]:
    pipes = [os.pipe(), os.pipe()]
    child = os.fork()
    if child == 0:
        for number, (_reads, writes) in enumerate(pipes, 1):
            os.dup2(writes, number)
        os._exit(_run_alone(do, words))
    for _reads, writes in pipes:
        os.close(writes)
    with ThreadPoolExecutor(len(pipes)) as pool:
        out, err = pool.map(_read_to_end, (reads for reads, _writes in pipes))
    _pid, status, used = os.wait4(child, 0)
    measured = {"seconds": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss * 1024}
    return {"status": os.waitstatus_to_exitcode(status), **measured, "out": out, "err": err}


def _read_to_end(reads: int) -> str:
    with os.fdopen(reads, errors="replace") as pipe:
        return pipe.read()


def _run_alone(do: Do, words: Sequence[str]) -> int:
    try:
        status = do(words)
        sys.stdout.flush()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
        return BROKEN
    return status


def main(kind: str, var: str) -> None:
    do = KINDS[kind](Path(var))
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(run_in_fork(do, json.loads(line))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])


# An arena to send hostile files into, and what came out.


@dataclass(frozen=True)
class Ended:
    """`status` is negative where a signal ended it; `seconds` of processor time; `memory`: the most
    bytes that it had resident, with the about 100 million of the loaded process."""

    status: int
    seconds: float
    memory: int
    out: str
    err: str

    @property
    def broken(self) -> str:
        """Why this is no orderly end; nothing where it is one."""
        if self.status not in (0, 1, 2):
            return f"ended with {self.status} after {self.seconds:.1f} s: {self.err[-1500:]}"
        if "Traceback" in self.err:
            return f"printed a traceback: {self.err[-1500:]}"
        if self.status and len(self.err.strip().splitlines()[-1:]) != 1:
            return "was refused without a word"
        return "" if self.seconds < SECONDS else f"took {self.seconds:.1f} s"


class Arena:
    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self._process, self.folder = process, folder

    def run(self, *words: str) -> Ended:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        return Ended(**json.loads(self._process.stdout.readline()))


@contextmanager
def arena(kind: str, folder: Path) -> Iterator[Arena]:
    env = servers.environment(VAR=str(folder), DJANGO_SETTINGS_MODULE="config.settings")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.hostile.arena", kind, str(folder)],
        cwd=servers.ROOT,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdin
        assert process.stdout
        try:
            assert json.loads(process.stdout.readline())["ready"]
            yield Arena(process, folder)
        finally:
            process.stdin.close()
