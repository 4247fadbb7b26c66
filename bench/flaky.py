"""Tests that fail by chance: runs a tenth of the test files many times, in random order, beside two busy loops.

The part follows the date, so ten nights run all files; tests marked `night` run once each night. Each failure is
printed with its seed, by which it is run again: `./run test -- --randomly-seed=SEED FILE`.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = 10
PYTEST = ["-m", "pytest", "-q", "--processes", "2", "-m", "not apart and not night"]
BUSY = "while True: pass"


def parse(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./run bench flaky", description=__doc__)
    day = datetime.now(UTC).date().toordinal()
    parser.add_argument("--part", type=int, default=day % PARTS, help="0 to 9 (default: that of today)")
    parser.add_argument("--times", type=int, default=10, help="how often each test runs (default 10)")
    parser.add_argument("--busy", type=int, default=2, help="busy loops beside them (default 2)")
    parser.add_argument("--counts", type=Path, help="a file for the numbers of tests that passed and failed")
    parser.add_argument("files", nargs="*", help="test files in place of a part")
    return parser.parse_args(words)


def files_of_part(part: int, root: Path = ROOT) -> list[str]:
    """Every tenth test file, so that each part has files of most rooms."""
    files = sorted(str(path.relative_to(root)) for path in (root / "tests").rglob("test_*.py"))
    return files[part::PARTS]


@contextmanager
def busy_loops(number: int) -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def run_once(files: Sequence[str], seed: int, counts: Path) -> tuple[int, list[str]]:
    """How many tests passed, and which failed; without a result of pytest the run itself counts as failed."""
    counts.unlink(missing_ok=True)
    words = [*PYTEST, f"--randomly-seed={seed}"]
    done = subprocess.run(
        [sys.executable, *words, "--counts", str(counts), *files],
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # a thread of its own would be lost in each fork
        capture_output=True,
        text=True,
    )
    # 4, 5: it could not begin, or had no test.
    if done.returncode not in (0, 1) or not counts.exists():
        print(done.stdout[-2000:], done.stderr[-2000:], sep="\n")
        return 0, [f"no result with seed {seed}"]
    found = json.loads(counts.read_text())
    failed: list[str] = found["failed_tests"]
    if failed:
        print(done.stdout[-6000:])
    return found["passed"], failed


def main(words: Sequence[str]) -> int:
    options = parse(words)
    files = options.files or files_of_part(options.part)
    counts = ROOT / "var" / "flaky-counts.json"
    counts.parent.mkdir(mode=0o700, exist_ok=True)
    print(f"{len(files)} files, {options.times} times beside {options.busy} busy loops", flush=True)
    failures: Counter[str] = Counter()
    passed = 0
    with busy_loops(options.busy):
        for seed in range(options.times):
            number, failed = run_once(files, seed, counts)
            passed += number
            failures.update(failed)
            print(f"seed {seed}: {number} passed{''.join(f', {name} failed' for name in failed)}", flush=True)
    for name, times in failures.most_common():
        print(f"{name} failed {times} of {options.times} times")
    if options.counts:
        part = {} if options.files else {"part": options.part}
        options.counts.write_text(json.dumps({"passed": passed, "failed_tests": sorted(failures), **part}))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
