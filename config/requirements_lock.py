"""Makes requirements.lock from pyproject.toml: names, versions and hashes, without addresses."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
HEAD = "# Made by ./run lock from pyproject.toml; do not edit.\n# product\n"
TESTS_BELOW = "# tests\n"


def requirements_of_lock(text: str) -> dict[str, str]:
    """Splits a lock file: returns the text of each requirement with its hashes, by its first line."""
    blocks = re.findall(r"^[a-z0-9].*(?:\n +--hash=.*)*", text, re.MULTILINE)
    return {block.split("\\")[0].strip(): block for block in blocks}


def resolve_requirements(*more: str) -> dict[str, str]:
    """Runs `uv pip compile` with these further arguments; returns the resolved requirements."""
    command = [
        "uv",
        "pip",
        "compile",
        "pyproject.toml",
        "--extra",
        "server",
        "--universal",
        "--generate-hashes",
        "--python-version",
        "3.11",
    ]
    command += [
        "--no-emit-index-url",
        "--no-emit-find-links",
        "--no-header",
        "--no-annotate",
        "--quiet",
        "--upgrade",
    ]
    done = subprocess.run(
        [sys.executable, "-m", *command, *more], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return requirements_of_lock(done.stdout)


def make_lock_text() -> str:
    """Returns the text of the lock file, the product's requirements before those for development."""
    everything = resolve_requirements("--group", "test")
    product = {re.split("[ =]", line)[0] for line in resolve_requirements()}
    parts = {True: "", False: ""}
    for line, block in sorted(everything.items()):
        parts[re.split("[ =]", line)[0] in product] += block + "\n"
    return HEAD + parts[True] + TESTS_BELOW + parts[False]


if __name__ == "__main__":
    LOCK.write_text(make_lock_text())
