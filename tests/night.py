"""The sets of the night: what each runs, what it found last, and whether a version may be tagged.

`./run test --night` runs `main` below: the suite on the system's Python, a tenth of the files for failures by chance,
then that one of the other sets which ran the longest ago, and last the quick tests with the newest versions of all
packages. Another Python runs what each push runs, and so do the repetitions: ten campaigns of a night take a day. Each
set writes its row into night.json. Needs the standard library alone, since `./run tag` starts it so.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NIGHT = ROOT / "tests" / "night.json"
COUNTS = ROOT / "var" / "test-counts.json"
SYSTEM = "/usr/bin/python3"
DAYS = 7
"""A set that ran longer ago bars a tag."""
SUITE, CHANCE, LIBRARY, NEWEST = "suite", "chance", "library", "newest versions"
FILES = {
    "debians": "tests/config/test_debian.py",
    "engines": "tests/engines",
    "image": "tests/config/test_image.py",
}
"""Sets whose tests are marked `apart`, and where they stand."""

Row = dict[str, Any]


@dataclass(frozen=True)
class NightSet:
    """`command` leaves its counts in COUNTS where it runs pytest; `is_required`: a tag wants it."""

    name: str
    command: list[str]
    folder: Path = ROOT
    is_required: bool = field(default=True)


def all_sets(python: str, others: Mapping[str, str]) -> list[NightSet]:
    """`python`: of .venv; `others`: paths of other interpreters by their version, the newest last."""
    run = str(ROOT / "run")
    pytest = ["-m", "pytest", "-q", "--hypothesis-profile=night", "-m", "apart", "--counts", str(COUNTS)]
    return [
        NightSet(SUITE, [SYSTEM, run, "test", "--night", "--", "-m", "not apart"]),
        NightSet(CHANCE, [python, "-m", "bench.flaky", "--counts", str(COUNTS)]),
        *(
            NightSet(
                f"python {minor}",
                [SYSTEM, run, "test", "--python", path, "--", "-m", "not apart and not night"],
            )
            for minor, path in others.items()
        ),
        NightSet(
            LIBRARY, [python, "-m", "bench.library_bounds", "--counts", str(COUNTS), python, *others.values()]
        ),
        *(NightSet(name, [python, *pytest, path]) for name, path in FILES.items()),
    ]


def read_rows() -> dict[str, Row]:
    rows: dict[str, Row] = json.loads(NIGHT.read_text()) if NIGHT.exists() else {}
    return rows


def today() -> date:
    return date(*time.gmtime()[:3])


def age(row: Row) -> int:
    return (today() - date.fromisoformat(row["date"])).days


def run_set(night_set: NightSet) -> Row:
    """Runs a set and writes its row: `failed` names what failed, or says that no result was written."""
    COUNTS.parent.mkdir(mode=0o700, exist_ok=True)
    COUNTS.unlink(missing_ok=True)
    began = time.monotonic()
    print(f"── the night's set {night_set.name}", flush=True)
    status = subprocess.run(night_set.command, cwd=night_set.folder).returncode
    counts = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    failed = counts.pop("failed_tests", [])
    if status and not failed:
        failed = [f"{night_set.name} ended with {status}"]
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    minutes = round((time.monotonic() - began) / 60)
    row = {"date": today().isoformat(), "commit": commit, "minutes": minutes, "failed": failed, **counts}
    NIGHT.write_text(json.dumps({**read_rows(), night_set.name: row}, indent=2) + "\n")
    return row


def due_set(sets: Sequence[NightSet]) -> NightSet:
    """Of the sets that do not run each night, the one that ran the longest ago or never."""
    rows = read_rows()
    others = [night_set for night_set in sets if night_set.name not in (SUITE, CHANCE)]
    return min(others, key=lambda night_set: rows.get(night_set.name, {}).get("date", ""))


def run_newest_versions(python: str, newest: str) -> Row:
    """Makes the lock anew in a copy and runs the quick tests with it; what fails bars no tag."""
    with tempfile.TemporaryDirectory(dir=ROOT / "var") as folder:
        copy = Path(folder) / "candor"
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(copy)], check=True)
        subprocess.run([python, "-m", "config.requirements_lock"], cwd=copy, check=True)
        command = [newest, str(copy / "run"), "test", "--fast", "--", "--counts", str(COUNTS)]
        return run_set(NightSet(NEWEST, command, copy, is_required=False))


def sentence(name: str, row: Row | None) -> str:
    if not row:
        return f"{name}: never run"
    passed = f"{row['passed']:,} passed in " if "passed" in row else ""
    failed = f"; failed: {', '.join(row['failed'][:5])}" if row["failed"] else ""
    old = f"; more than {DAYS} days ago" if age(row) > DAYS else ""
    return f"{name}: {row['date']}, {passed}{row['minutes']} minutes{failed}{old}"


def reasons_against_a_tag() -> list[str]:
    """A red or missing suite, and each set that never ran or ran too long ago."""
    rows = read_rows()
    python = {name for name in rows if re.fullmatch(r"python [\d.]+", name)}
    required = [SUITE, CHANCE, LIBRARY, *FILES, *sorted(python)]
    return [
        sentence(name, rows.get(name))
        for name in required
        if name not in rows or age(rows[name]) > DAYS or (name == SUITE and rows[name]["failed"])
    ]


def all_in_words() -> str:
    rows = read_rows()
    names = [*dict.fromkeys([SUITE, CHANCE, LIBRARY, *FILES, *rows])]
    return "The sets of the night (./run test --night):\n" + "\n".join(
        f"  {sentence(name, rows.get(name))}" for name in names
    )


def main(words: Sequence[str]) -> int:
    """`run VERSION=PATH …` runs what is due, `words` says what is known, `tag` whether nothing bars a tag."""
    command, *pythons = words
    if command == "words":
        print(all_in_words())
        return 0
    if command == "tag":
        reasons = reasons_against_a_tag()
        print("\n".join(reasons))
        return bool(reasons)
    others = dict(word.split("=", 1) for word in pythons)
    sets = all_sets(sys.executable, others)
    due = [*sets[:2], due_set(sets)]
    failed = [night_set.name for night_set in due if run_set(night_set)["failed"]]
    pythons_here = {"{}.{}".format(*sys.version_info): SYSTEM, **others}
    newest = max(pythons_here, key=lambda minor: [int(part) for part in minor.split(".")])
    run_newest_versions(sys.executable, pythons_here[newest])
    print(all_in_words())
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
