"""Processor time and memory that a sensitive number or place adds to the counting of a run over a million records.

./run bench code_counts [--records 1000000]     By ten plain questions of four choices; takes half a minute.

`items`: the columns of the regions of a place, which runs make of the cells; `estimating`: the node of the report,
most of it the illustration.
"""

import argparse
import json
import time
import tracemalloc
from math import isqrt
from typing import Any

import numpy as np

from mining.counting.code_counts import CodeCounts
from mining.kinds.place.finding import place_node
from privacy.designs import Design, parse
from privacy.kinds.place.section import PlaceSection
from privacy.records.columns import Columns, pack, read

TURNS = 7
CLASSES, CHOICES = 10, 4
NUMBERS: dict[str, dict[str, Any]] = {
    "window of 1,001 values": {"law": "window", "values": 1_001, "window": 100, "uniform": "0.5"},
    "window of 65,000 values": {"law": "window", "values": 65_000, "window": 1_000, "uniform": "0.5"},
    "5 limits": {"law": "classes", "limits": list(range(1, 6)), "cuts": 1},
    "20 limits": {"law": "classes", "limits": list(range(1, 21)), "cuts": 1},
}


def place(cells: int, regions: int, inside: int, near: int) -> dict[str, Any]:
    """A square map of cells, the first of which lie in regions of the same size."""
    side, size = isqrt(cells), inside // regions
    named = [{"name": f"c{at}", "at": [at % side, at // side]} for at in range(cells)]
    of = [[f"c{at}" for at in range(region * size, (region + 1) * size)] for region in range(regions)]
    chosen = [{"name": f"r{at}", "cells": names} for at, names in enumerate(of)]
    return {"cells": named, "regions": chosen, "near": near, "odds": "20"}


PLACES = {
    "place of 400 cells, 5 regions": place(400, 5, 300, 4),
    "place of 4,096 cells, 4 regions": place(4_096, 4, 4_000, 20),
    "place of 4,096 cells, 100 regions": place(4_096, 100, 4_000, 9),
}


def measured(asked: dict[str, Any], n: int) -> dict[str, Any]:
    keep = {"keep": "0.5"} if asked.get("law") == "classes" else {}
    kind = "number" if "law" in asked else "place"
    plain = [{"name": f"p{at}", "choices": [f"c{code}" for code in range(CHOICES)]} for at in range(CLASSES)]
    sections = [
        {"kind": "plain", "questions": plain},
        {"kind": kind, "questions": [{"name": "asked"} | asked], **keep},
    ]
    design = parse(json.dumps({"format": "candor-design/1", "open_answers": True, "sections": sections}))
    rng = np.random.default_rng(1)
    codes = rng.integers(0, CHOICES, (CLASSES + 1, n)).astype(np.uint16)
    codes[-1] = rng.integers(0, design.questions[-1].codes, n)
    columns = read(design, pack(design, rng.integers(0, 2, n).astype(np.uint8), codes))
    seconds = []
    for _ in range(TURNS):
        began = time.process_time()
        counts = CodeCounts.of(design, [columns])
        seconds.append(time.process_time() - began)
    tracemalloc.start()
    CodeCounts.of(design, [columns])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    times = {
        "seconds": round(min(seconds), 3),
        "peak_mb": round(peak / 1e6, 1),
        "stored": len(counts.to_bytes()),
    }
    return times | (of_place(design, columns, counts) if kind == "place" else {})


def of_place(design: Design, columns: Columns, counts: CodeCounts) -> dict[str, Any]:
    began = time.process_time()
    section = design.sections[-1]
    assert isinstance(section, PlaceSection)
    place_node(section, counts.by_group[CLASSES])
    estimating = time.process_time() - began
    tracemalloc.start()
    began = time.process_time()
    columns.choice(CLASSES, 0)
    items = time.process_time() - began
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "estimating": round(estimating, 3),
        "items": {"seconds": round(items, 3), "peak_mb": round(peak / 1e6, 1)},
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench code_counts", description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    records = parser.parse_args().records
    print(
        json.dumps({name: measured(number, records) for name, number in (NUMBERS | PLACES).items()}, indent=1)
    )


if __name__ == "__main__":
    main()
