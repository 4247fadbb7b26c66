"""Makes static/vendor/vega.min.js from exact npm packages: `python -m look.vendoring.vega`.

package-lock.json names every package with the SHA-512 that npm publishes for it, bundle.json what must come out.
Nothing is written unless both agree, and a test compares what is committed with the latter.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SOURCES = ("package.json", "package-lock.json", "vega.js")
TARGET, SHA256 = (json.loads((HERE / "bundle.json").read_text())[key] for key in ("target", "sha256"))


class BundleMismatch(Exception):
    """The bundle is not the one that bundle.json names."""


def make(folder: Path) -> bytes:
    """Install the packages into this empty folder and bundle them; a few seconds, and the network."""
    for name in SOURCES:
        shutil.copy(HERE / name, folder)
    run(folder, "npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund")
    run(
        folder,
        "node",
        "node_modules/esbuild/bin/esbuild",
        "vega.js",
        "--bundle",
        "--minify",
        "--format=esm",
        "--target=es2022",
        "--charset=utf8",
        "--log-level=error",
        # Vega-Lite takes four small functions from the whole of Vega, and an older parser beside Vega's own.
        "--alias:vega=vega-util",
        "--alias:vega-expression=vega-expression",
        "--outfile=vega.min.js",
        "--metafile=made.json",
    )
    inputs = json.loads((folder / "made.json").read_text())["inputs"]
    return (folder / "vega.min.js").read_bytes() + licences(folder, inputs).encode()


def run(folder: Path, *words: str) -> None:
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def licences(folder: Path, inputs: list[str]) -> str:
    """A comment with the packages in the bundle and their licences."""
    lines = [line for package in sorted(packages(inputs)) for line in licence_lines(folder / package)]
    return "\n * ".join(["/*!", "What this file holds, and whose it is:", *lines]) + "\n */\n"


def packages(inputs: list[str]) -> set[str]:
    found = (re.match(r"(?:.*/)?node_modules/(?:@[^/]+/)?[^/]+", path) for path in inputs)
    return {match[0] for match in found if match}


def licence_lines(package: Path) -> Iterator[str]:
    about = json.loads((package / "package.json").read_text())
    yield f"{about['name']} {about['version']}, {about['license']}"
    for licence in sorted(package.glob("LICENSE*")):
        text = licence.read_text()
        yield from (f"  {line.strip()}" for line in text.splitlines() if line.startswith("Copyright"))


def verified(made: bytes) -> bytes:
    digest = hashlib.sha256(made).hexdigest()
    if digest != SHA256:
        raise BundleMismatch(f"{TARGET}: the bundle has the SHA-256 {digest}, not {SHA256}")
    return made


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        try:
            made = verified(make(Path(folder)))
        except BundleMismatch as difference:
            print(difference, file=sys.stderr)
            return 1
    (ROOT / TARGET).write_bytes(made)
    print(f"{TARGET}: {len(made):,} bytes")
    return 0
