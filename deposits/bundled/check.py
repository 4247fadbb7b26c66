"""Checks this deposit with Python 3.11 or later and the packages of requirements.txt; nothing is fetched.

Unless SHA256SUMS names exactly the files of this folder, nothing of it is imported or run. Then report.json is
recomputed from records.csv by library.zip, Candor's own sources, and its shares once more by analysis.py.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - it is run by any Python
    sys.exit("This needs Python 3.11 or later.")
if not sys.flags.safe_path:
    del sys.path[0]  # this folder, where a file called json.py would be run by the next import

import csv
import json
import os
import re
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from itertools import accumulate
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

NumberPath = tuple[str | int, ...]

SUMS, LINE = "SHA256SUMS", re.compile(r"([0-9a-f]{64})  (\S.*)")
NEEDED = {"check.py", "report.json", "design.json", "library.zip", "analysis.py"}
MEMBERS = {
    "about": "fingerprint records n_open disguised estimator exact min_support min_confidence max_size absences",
    "told": "hidden questions",
    "shares": "items n_asked n_open observed support shown share_shown",
    "compared": "item",
    "groups": "question classes rows",
    **dict.fromkeys(("itemsets", "pairs"), "items"),
    "rules": "antecedent consequent n_asked n_shown_all support confidence",
}
"""Required members of each part of a report, or of each row of a part."""
CLOSE, WRONG = 1e-6, "WRONG"


def file_differences(folder: Path) -> Iterator[str]:
    """Yields the differences between the files of the folder and SHA256SUMS."""
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        lines = []
    listed = {match[2]: match[1] for match in map(LINE.fullmatch, lines) if match}
    if not lines or len(listed) < len(lines):
        yield f"{SUMS} is empty or no list of files"
    paths = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    files = {path.relative_to(folder).as_posix(): path for path in paths}
    for name in sorted((files.keys() | listed | NEEDED) - {SUMS}):
        if name not in files:
            yield f"{name} is missing"
        elif name not in listed:
            yield f"{name} is not in {SUMS}"
        elif files[name].is_symlink() or sha256(files[name].read_bytes()).hexdigest() != listed[name]:
            yield f"{name} has another SHA-256"


def read_report(folder: Path) -> Any:
    """Parses report.json; raises ValueError if it is not a report."""
    text = (folder / "report.json").read_text(encoding="utf-8")
    # Those in strings do not count.
    brackets = re.sub(r'"(?:[^"\\]|\\.)*"?|[^][{}"]+', "", text, flags=re.DOTALL)
    if max(accumulate(1 if bracket in "[{" else -1 for bracket in brackets), default=0) > 100:
        raise ValueError("it is nested too deeply")
    document = json.loads(text)
    report = document["report"]
    if (document["format"], report["format"]) != ("candor-report/1", "candor-report/1"):
        raise ValueError("no candor-report/1")
    for part, members in MEMBERS.items():
        for row in report[part] if isinstance(report[part], list) else [report[part]]:
            if absent := set(members.split()) - dict(row).keys():
                raise ValueError(f"{part} without {min(absent)}")
    return document


def run_analysis_script(folder: Path, shares: Any, scratch: Path) -> Iterator[tuple[NumberPath, float]]:
    """Runs analysis.py in an isolated process; yields the shares that it estimates, with their paths in report.json."""
    for name in ("analysis.py", "records.csv"):
        (scratch / name).write_bytes((folder / name).read_bytes())
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    words = [sys.executable, "-P", "analysis.py"]
    subprocess.run(words, cwd=scratch, env=env, check=True, stdout=subprocess.DEVNULL)
    with (scratch / "analysis-shares.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["item"]: row for row in csv.DictReader(file)}
    for index, share in enumerate(shares):
        row = rows.get(share["items"][0], {})
        for name in row.keys() & {name for name, value in share.items() if type(value) in (int, float)}:
            if row[name]:
                yield ("report", "shares", index, name), float(row[name])


def compare_recomputed_numbers(folder: Path, document: Any, scratch: Path) -> Iterator[str]:
    """Recomputes report.json; yields lines about equal, not recomputed and wrong numbers."""
    with ZipFile(folder / "library.zip") as library:
        library.extractall(scratch / "library")
    os.environ["NUMBA_CACHE_DIR"] = str(scratch / "numba")
    sys.path.insert(0, str(scratch / "library"))
    from deposits import recompute_report  # late for cost

    wrong = list(recompute_report.contradictions_between_files(folder, document))
    notes, computed = recompute_report.recompute_numbers(folder, document)
    if not notes and document["report"]["about"]["estimator"] == "stratified":
        computed += run_analysis_script(folder, document["report"]["shares"], scratch)
    with_numbers = {name: document[name] for name in ("report", "models") if name in document}
    published = dict(recompute_report.numbers_with_paths(with_numbers))
    differing: dict[NumberPath, float] = {}
    for path, number in computed:
        if path in published and not isclose(number, published[path], rel_tol=CLOSE, abs_tol=CLOSE):
            differing.setdefault(path, number)
    equal = {path for path, _number in computed if path in published} - differing.keys()
    wrong += [f"{'.'.join(map(str, path))} is {n}, not {published[path]}" for path, n in differing.items()]
    yield from [*notes, "Recomputed and equal:"]
    yield from (line.partition(":")[0] for line in recompute_report.count_and_reason_lines(equal))
    yield "Not recomputed:"
    left = published.keys() - equal - differing.keys()
    yield from recompute_report.count_and_reason_lines(left, has_records=not notes)
    yield from (f"WRONG: {what}" for what in wrong)
    verdict = f"{len(wrong)} things are {WRONG}" if wrong else "nothing that could be checked is wrong"
    yield f"{len(equal)} of {len(published)} numbers recomputed and equal: {verdict}"


def main(folder: Path) -> int:
    try:
        if wrong := list(file_differences(folder)):
            print(f"Nothing was run: {', '.join(wrong[:9])}{', and more' * (len(wrong) > 9)}.")
            return 1
        document = read_report(folder)
        print(f"All files are as {SUMS} lists them.\ncompiling, about 40 s", flush=True)
        with TemporaryDirectory(prefix="candor-deposit-", ignore_cleanup_errors=True) as scratch:
            lines = list(compare_recomputed_numbers(folder, document, Path(scratch)))
    except ImportError as error:
        print(f"Not recomputed, 0 of all numbers of report.json: a package is missing ({error}).")
        print("Install the packages: python -m pip install -r requirements.txt.")
        return 1
    except (OSError, ValueError, LookupError, TypeError, subprocess.SubprocessError) as error:
        print(f"A file is odd or cut, most likely report.json: {type(error).__name__}, {error}.")
        return 1
    print("\n".join(lines))
    return int(WRONG in lines[-1])


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent))
