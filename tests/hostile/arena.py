"""Runs code on hostile files in forked processes with little memory and time: `python -m tests.hostile.arena KIND`.

The process first loads what it needs, then forks for every line of JSON on its standard input, and answers with a line
of JSON on its standard output. Only what a fork takes beyond the loaded process counts against its limits."""

import json
import os
import resource
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import servers

MEMORY, SECONDS = 300_000_000, 10
BROKEN = 99
"""Ends a fork that an exception left."""
Do = Callable[[Sequence[str]], int]


def limit(memory: int = MEMORY) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def commands(var: Path) -> Do:
    """Commands of records, as many words each as on the command line."""
    return _commands(var, _warm_for_records)


def columns(var: Path) -> Do:
    """Commands of records of which there are many columns."""
    return _commands(var, _warm_for_columns)


def poor(var: Path) -> Do:
    """Commands of records with half of the memory, which is gone long before the time is."""
    return _commands(var, _warm_for_columns, MEMORY // 2)


def releases(var: Path) -> Do:
    """The commands of tables; apart, since what their kernels leave would serve other commands as memory."""
    return _commands(var, _warm_for_tables)


def _commands(var: Path, warm: Callable[[Path, Do], None], memory: int = MEMORY) -> Do:
    import django

    django.setup()
    from django.core.management import load_command_class

    from candor.__main__ import COMMANDS, main

    def do(words: Sequence[str]) -> int:
        if words[0] in COMMANDS:
            return main(words)
        load_command_class("config.backup", words[0]).run_from_argv(["manage.py", *words])
        return 0

    # Once through every command, so that what they load and compile is there.
    with quiet():
        warm(var, do)

    def limited(words: Sequence[str]) -> int:
        limit(memory)
        return do(words)

    return limited


@contextmanager
def quiet() -> Iterator[None]:
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


def _warm_for_columns(var: Path, do: Do) -> None:
    from mining import compile_kernels

    _warm_for_records(var, do)
    compile_kernels.load_all()


def _warm_for_tables(var: Path, do: Do) -> None:
    table, released, out = var / "table.csv", var / "released.json", str(var / "released.csv")
    table.write_text("q\n" + "a\nb\n" * 60)
    wanted = {"quasi_identifiers": [{"name": "q", "kind": "category"}], "k": 2, "seconds": 0}
    released.write_text(json.dumps({"format": "candor-release/1", **wanted}))
    do(["anonymize", str(table), str(released), "-o", out])


def reading(var: Path) -> Do:
    """Uploads, by the very code and limits of the process that reads them: a file, and what is expected of it."""
    from importing import isolated_reader_main

    isolated_reader_main.configure_django(
        {"language": "en", "languages": [("en", "English")], "words": [str(Path.cwd() / "locale")]}
    )
    isolated_reader_main.load_libraries(b"PK", isolated_reader_main.QUESTIONNAIRE)

    def do(words: Sequence[str]) -> int:
        upload, expected = words
        data = Path(upload).read_bytes()
        isolated_reader_main.limit_resources(isolated_reader_main.MEMORY, isolated_reader_main.SECONDS)
        sys.stdout.write(json.dumps(isolated_reader_main.read_or_faults(data, expected)))
        return 0

    return do


KINDS = {"commands": commands, "columns": columns, "poor": poor, "releases": releases, "reading": reading}


def forked(do: Do, words: Sequence[str]) -> dict[str, Any]:
    pipes = [os.pipe(), os.pipe()]
    child = os.fork()
    if child == 0:
        for number, (_reads, writes) in enumerate(pipes, 1):
            os.dup2(writes, number)
        os._exit(_alone(do, words))
    for _reads, writes in pipes:
        os.close(writes)
    with ThreadPoolExecutor(len(pipes)) as pool:
        out, err = pool.map(_drained, (reads for reads, _writes in pipes))
    _pid, status, used = os.wait4(child, 0)
    seconds = used.ru_utime + used.ru_stime
    return {"status": os.waitstatus_to_exitcode(status), "seconds": seconds, "out": out, "err": err}


def _drained(reads: int) -> str:
    with os.fdopen(reads, errors="replace") as pipe:
        return pipe.read()


def _alone(do: Do, words: Sequence[str]) -> int:
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
        print(json.dumps(forked(do, json.loads(line))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])


# An arena to send hostile files into, and what came out.


@dataclass(frozen=True)
class Ended:
    """`status` is negative where a signal ended it; `seconds` of processor time."""

    status: int
    seconds: float
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
