"""Processor time and memory that a sensitive number adds to the counting of a run over a million records.

./run bench code_counts [--records 1000000]     By ten plain questions of four choices; takes half a minute.
"""

import argparse
import json
import time
import tracemalloc
from typing import Any

import numpy as np

from mining.counting.code_counts import CodeCounts
from privacy.designs import parse
from surveys.intake.columns import pack, read

TURNS = 7
CLASSES, CHOICES = 10, 4
NUMBERS: dict[str, dict[str, Any]] = {
    "window of 1,001 values": {"law": "window", "values": 1_001, "window": 100, "uniform": "0.5"},
    "window of 65,000 values": {"law": "window", "values": 65_000, "window": 1_000, "uniform": "0.5"},
    "5 thresholds": {"law": "thresholds", "thresholds": list(range(6))},
    "20 thresholds": {"law": "thresholds", "thresholds": list(range(21))},
}


def measured(number: dict[str, Any], n: int) -> dict[str, float]:
    keep = {"keep": "0.5"} if number["law"] == "thresholds" else {}
    plain = [{"name": f"p{at}", "choices": [f"c{code}" for code in range(CHOICES)]} for at in range(CLASSES)]
    sections = [
        {"kind": "plain", "questions": plain},
        {"kind": "number", "questions": [{"name": "number"} | number], **keep},
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
    return {
        "seconds": round(min(seconds), 3),
        "peak_mb": round(peak / 1e6, 1),
        "stored": len(counts.to_bytes()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench code_counts", description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    records = parser.parse_args().records
    print(json.dumps({name: measured(number, records) for name, number in NUMBERS.items()}, indent=1))


if __name__ == "__main__":
    main()
