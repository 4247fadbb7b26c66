"""Copied records: no alarm comes without any."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.coverage.section import Measures, Value, grid
from mining.error.copied_record_lower_bound import count_excess_copies
from privacy.records import DISGUISED
from privacy.simulation.disguise import disguise
from tests.privacy.questionnaires import design, question, sensitive

COPIES_LEVEL = 0.001
"""So that single patterns have .0005."""
NOISES = {2: ["0.5000"] * 2, 7: ["0.1428"] * 6 + ["0.1432"]}
DESIGNS = {
    "one yes/no, keep .9": (("0.9", 1, 2, 0),),
    "three yes/no, keep .69": (("0.69", 3, 2, 0),),
    "seven choices, keep .5": (("0.5", 1, 7, 0),),
    "four yes/no, keep .47": (("0.47", 4, 2, 0),),
    "three sections of one, keep .5": (("0.5", 1, 2, 0),) * 3,
    "ten yes/no, keep .3": (("0.3", 10, 2, 0),),
    "4 + 4, two drawn of the first four": (("0.5", 4, 2, 2), ("0.5", 4, 2, 0)),
}
"""By section: keep, questions, choices of each, and how many are drawn, if not all."""


@dataclass(frozen=True)
class Copied:
    name: str
    n: int


def copies(setting: Copied, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    sections = []
    for number, (keep, many, choices, drawn) in enumerate(DESIGNS[setting.name]):
        questions = [question(f"q{number}{index}", *NOISES[choices]) for index in range(many)]
        sections.append(sensitive(keep, *questions, **({"asked": drawn} if drawn else {})))
    asked = design(*sections, open_answers=False)
    group = np.full(setting.n, DISGUISED, np.uint8)
    most = [question.codes for question in asked.questions]
    alarms = 0
    for _survey in range(surveys):
        truth = np.stack([rng.integers(0, codes, setting.n) for codes in most]).astype(np.uint16)
        codes = disguise(asked, group, truth, rng)
        alarms += count_excess_copies(asked, group, codes.__getitem__, COPIES_LEVEL).excess > 0
    yield Value("alarms without copies", f"{setting.name}, {setting.n:,} records", alarms / surveys, surveys)


MEASURES: Measures = {"copies": (grid(Copied, DESIGNS, (100, 1_000)), copies)}
