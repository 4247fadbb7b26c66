"""How long disguising takes: a million records in numpy against their random numbers, one record in Python.

python -m bench.disguise [--records 1000000] [--questions 40]
"""

import argparse
import json
from statistics import median
from time import perf_counter

import numpy as np

from privacy.designs import Design, parse
from privacy.grammar.node import PARTS
from privacy.mechanisms.coins import draw_coins, secure_words
from privacy.mechanisms.disguise import disguise as disguise_one
from privacy.records import DISGUISED
from privacy.simulation.disguise import CHUNK, disguise as disguise_all

REPEATS = 5
EXACT_RECORDS = 5_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--questions", type=int, default=40)
    asked = parser.parse_args()
    design = yes_no_design(asked.questions)
    drawing, disguising = numpy_seconds(design, asked.records)
    figures = {
        "records": asked.records,
        "questions": asked.questions,
        "numpy_random_numbers_seconds": round(drawing, 3),
        "numpy_disguise_seconds": round(disguising, 3),
        "ratio": round(disguising / drawing, 2),
        "exact_python_microseconds_per_record": round(exact_seconds(design) * 1e6, 1),
    }
    print(json.dumps(figures, indent=1))


def yes_no_design(questions: int) -> Design:
    """Sensitive yes/no questions in sections of ten."""
    names = [f"question {index}" for index in range(questions)]
    sections = [
        {
            "kind": "unrelated-question",
            "keep": "0.5000",
            "questions": [{"name": name, "choices": ["no", "yes"]} for name in names[first : first + 10]],
        }
        for first in range(0, questions, 10)
    ]
    return parse(json.dumps({"format": "candor-design/1", "sections": sections}))


def numpy_seconds(design: Design, records: int) -> tuple[float, float]:
    """Medians: drawing the same random numbers and nothing else, and disguising."""
    rng = np.random.default_rng(1)
    truth = (rng.random((len(design.questions), records)) < 0.3).astype(np.uint8)
    group = np.full(records, DISGUISED, np.uint8)
    coins = len(design.questions) + len(design.sections)
    drawing, disguising = [], []
    for _ in range(REPEATS):
        started = perf_counter()
        for start in range(0, records, CHUNK):
            for _coin in range(coins):
                rng.integers(0, PARTS, min(CHUNK, records - start), np.uint16)
        drawing.append(perf_counter() - started)
        started = perf_counter()
        disguise_all(design, group, truth, rng)
        disguising.append(perf_counter() - started)
    return median(drawing), median(disguising)


def exact_seconds(design: Design) -> float:
    words = secure_words()
    answers = [0] * len(design.questions)
    started = perf_counter()
    for _ in range(EXACT_RECORDS):
        disguise_one(design, draw_coins(design, words), DISGUISED, answers)
    return (perf_counter() - started) / EXACT_RECORDS


if __name__ == "__main__":
    main()
