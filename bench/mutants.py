"""Changes one line of the product at a time and asks whether its tests notice: ./run bench mutants

    ./run bench mutants --draw 7        # 220 changes, 20 an area, into bench/figures/mutants.json
    ./run bench mutants --first 0 --number 40 [--jobs 2]
    ./run bench mutants --faults        # those of bench/figures/faults.json

Faults are chosen by hand, in levels, families, folding, heads, floors and measures of what a report says: there a wrong
line shows on no page. Tests of a second notice each at every push.

A change whose line is gone is named. Each is tried in a copy of the commit that is checked out, with the tests that
import the changed file, then with all of its area and of `proof` that run at each push. What no test notices is printed
with its line.
"""

import argparse
import ast
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue

from tests.commands import ROOT

CHANGES = Path(__file__).parent / "figures" / "mutants.json"
FAULTS = Path(__file__).parent / "figures" / "faults.json"
AREAS = {  # area -> (what of the product, which tests)
    "intake": (("intake/pages", "intake/endpoint"), ("tests/intake",)),
    "batches": (
        ("intake/batches", "privacy/records"),
        ("tests/intake", "tests/privacy/records", "tests/runs"),
    ),
    "reconstruction": (("mining/reconstruction", "mining/counting"), ("tests/mining",)),
    "inference": (("mining/inference", "mining/studies"), ("tests/mining",)),
    "disclosure": (
        ("mining/disclosure", "intake/disclosure"),
        ("tests/mining/disclosure", "tests/intake/test_ledger.py", "tests/reports/test_same_verdict.py"),
    ),
    "findings": (
        ("mining/rules", "mining/itemsets", "reports/sentences"),
        ("tests/mining/test_faults_of_findings.py", "tests/mining/rules", "tests/reports/sentences"),
    ),
    "kinds": (("privacy/kinds", "surveys/kinds"), ("tests/privacy", "tests/surveys", "tests/kinds")),
    "review": (("reports/review",), ("tests/reports",)),
    "releases": (("releases", "privacy/anonymity"), ("tests/releases", "tests/privacy/anonymity")),
    "providers": (("accounts/providers", "accounts/second_factor"), ("tests/accounts",)),
    "invitations": (
        ("intake/invitations", "privacy/blind_signatures"),
        ("tests/intake", "tests/privacy/blind_signatures"),
    ),
}
AN_AREA = 20
LONGEST = 900
"""Seconds after which tests are ended; those of an area take a third of it."""
CRASHES = {signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV}
"""Signals that a change can cause, such as a kernel that reads beside its array; others come from outside the tests."""
OTHERWISE: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Is: (" is ", " is not "), ast.In: (" in ", " not in "),
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.And: (" and ", " or "), ast.Or: (" or ", " and "),
}  # fmt: skip


@dataclass(frozen=True)
class Change:
    area: str
    file: str
    occurrence: int
    """Which line of the file, of those that read like `old`."""
    old: str
    new: str

    def apply(self, tree: Path) -> bool:
        """Whether the line is there still; then it is changed."""
        path = tree / self.file
        lines = path.read_text().splitlines(keepends=True) if path.is_file() else []
        found = [number for number, line in enumerate(lines) if line.rstrip("\n") == self.old]
        if len(found) <= self.occurrence:
            return False
        lines[found[self.occurrence]] = self.new + "\n"
        path.write_text("".join(lines))
        return True


def possible(path: Path) -> Iterator[tuple[int, str]]:
    """Each line number, from 0, with what it would read with one operator, number or truth value exchanged."""
    text = path.read_text()
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from exchanged(lines, node.left, node.comparators[0], node.ops[0])
        elif isinstance(node, ast.BinOp):
            yield from exchanged(lines, node.left, node.right, node.op)
        elif isinstance(node, ast.BoolOp):
            yield from exchanged(lines, node.values[0], node.values[1], node.op)
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            start, end = node.col_offset, node.end_col_offset
            line = lines[node.lineno - 1]
            # Columns of the parser count bytes.
            if line.isascii():
                changed = str(not node.value) if isinstance(node.value, bool) else str(node.value + 1)
                yield node.lineno - 1, line[:start] + changed + line[end:]


def exchanged(lines: list[str], left: ast.expr, right: ast.expr, kind: ast.AST) -> Iterator[tuple[int, str]]:
    line = lines[right.lineno - 1]
    if type(kind) in OTHERWISE and left.end_lineno == right.lineno and line.isascii():
        old, new = OTHERWISE[type(kind)]
        between = line[left.end_col_offset : right.col_offset]
        if between.count(old) == 1:
            changed = line[: left.end_col_offset] + between.replace(old, new) + line[right.col_offset :]
            yield right.lineno - 1, changed


def draw(seed: int) -> list[Change]:
    generator = random.Random(seed)
    drawn = []
    for area, (folders, _) in AREAS.items():
        changes = []
        for path in sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py")):
            lines, file = path.read_text().splitlines(), str(path.relative_to(ROOT))
            for number, new in possible(path) if "migrations" not in path.parts else ():
                old = lines[number]
                changes.append(Change(area, file, lines[:number].count(old), old, new))
        drawn += generator.sample(changes, AN_AREA)
    generator.shuffle(drawn)
    return drawn


def verdict(change: Change, trees: Queue[Path]) -> str:
    """`killed`, `survived` or `gone`."""
    tree = trees.get()
    before = (tree / change.file).read_text() if (tree / change.file).is_file() else None
    try:
        if not change.apply(tree):
            return "gone"
        tests = [*AREAS[change.area][1], "tests/proof"]
        nearest = list(importing(change.file, tests, tree))
        return "killed" if any(notice(files, tree) for files in (nearest, tests) if files) else "survived"
    finally:
        if before is not None:
            (tree / change.file).write_text(before)
        trees.put(tree)


def importing(file: str, tests: list[str], tree: Path) -> Iterator[str]:
    """Those files of `tests` that import `file`."""
    package, _, name = file.removesuffix(".py").replace("/", ".").rpartition(".")
    named = re.compile(rf"from {package}(\.{name} import| import .*\b{name}\b)|import {package}\.{name}\b")
    for folder in tests:
        for path in [tree / folder, *sorted((tree / folder).rglob("test_*.py"))]:
            if path.is_file() and named.search(path.read_text()):
                yield str(path.relative_to(tree))


def notice(tests: list[str], tree: Path) -> bool:
    """Whether one of these tests fails."""
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not night"]
    try:
        done = subprocess.run([*words, *tests], cwd=tree, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return True  # it hangs, which nobody overlooks
    # 1: a test failed; 2: a file of tests cannot even be imported; 5: all of the nearest ones run at night.
    is_noticed = done.returncode in (1, 2) or -done.returncode in CRASHES
    assert is_noticed or done.returncode in (0, 5), done.stdout[-3000:] + done.stderr[-3000:]
    return is_noticed


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run bench mutants", description=__doc__)
    parser.add_argument("--draw", type=int, metavar="SEED", help="draw the changes anew and try none")
    parser.add_argument("--faults", action="store_true", help="try the faults that are chosen by hand")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--number", type=int, default=220)
    parser.add_argument("--jobs", type=int, default=2, help="changes that are tried at a time")
    asked = parser.parse_args()
    if asked.draw is not None:
        CHANGES.write_text(json.dumps([asdict(change) for change in draw(asked.draw)], indent=1) + "\n")
        return 0
    rows = json.loads((FAULTS if asked.faults else CHANGES).read_text())[
        asked.first : asked.first + asked.number
    ]
    changes = [Change(**row) for row in rows]
    trees, counts = Queue[Path](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="candor-mutants-") as folder:
        packed = subprocess.check_output(["git", "archive", "HEAD"], cwd=ROOT)
        for number in range(asked.jobs):
            tree = Path(folder, str(number))
            tree.mkdir()
            subprocess.run(["tar", "-x"], cwd=tree, input=packed, check=True)
            for name in (".venv", "node_modules"):
                (tree / name).symlink_to(ROOT / name)
            trees.put(tree)
        with ThreadPoolExecutor(asked.jobs) as pool:
            for change, word in zip(changes, pool.map(lambda c: verdict(c, trees), changes), strict=True):
                counts[word] += 1
                print(f"{word}  {change.area}  {change.file}: {change.new.strip()}", flush=True)
    print(dict(counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
