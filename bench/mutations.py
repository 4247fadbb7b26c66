"""Thousands of mutated files through the pages that take one and the commands that read: ./run bench mutations

    ./run bench mutations --number 5000 --seed 7 [--kind "questionnaire: REDCap"] [--first 0]

Every file is drawn from the seed and its number. A failure names the line that runs its file alone.
"""

import argparse
import os
import re
import subprocess
import sys

TESTS = ("tests/hostile/test_mutations.py", "tests/odd_files/test_odd_files.py")


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run bench mutations", description=__doc__)
    parser.add_argument("--number", type=int, default=5000, help="files of each kind (default: 5000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first file (default: 0)")
    parser.add_argument(
        "--kind", default="", help="one kind only: design, records, truth, or a format of a page"
    )
    asked = parser.parse_args()
    numbers = {"MUTATIONS": asked.number, "MUTATIONS_SEED": asked.seed, "MUTATIONS_FIRST": asked.first}
    words = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:randomly", "--no-header", *TESTS]
    wanted = " and ".join(["(on_mutated or many_odd)", *re.findall(r"\w+", asked.kind)])
    env = {**os.environ, **{name: str(number) for name, number in numbers.items()}}
    return subprocess.run([*words, "-k", wanted], env=env).returncode


if __name__ == "__main__":
    sys.exit(main())
