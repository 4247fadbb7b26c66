"""Copied records: as many as the page says are found are found, and no alarm comes without any."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bench.coverage.section import Bar, Section, Value
from mining.error.identical import identical
from mining.error.unnoticed import unnoticed_copies
from privacy.designs import Design, parse
from privacy.records import DISGUISED
from privacy.simulation.disguise import disguise

COPIES_LEVEL = 0.001
"""So that single patterns have .0005."""
EVEN = {choices: [f"{1 / choices:.4f}"] * choices for choices in (2,)} | {7: ["0.1428"] * 6 + ["0.1432"]}
DESIGNS = {
    "one yes/no, keep .9": (("0.9", 1, 2, 0),),
    "three yes/no, keep .69": (("0.69", 3, 2, 0),),
    "seven choices, keep .5": (("0.5", 1, 7, 0),),
    "four yes/no, keep .47": (("0.47", 4, 2, 0),),
    "three sections of one, keep .5": (("0.5", 1, 2, 0),) * 3,
    "ten yes/no, keep .3": (("0.3", 10, 2, 0),),
    "4 + 4, two drawn of the first four": (("0.5", 4, 2, 2), ("0.5", 4, 2, 0)),
}


@dataclass(frozen=True)
class Copied:
    name: str
    n: int

    @cached_property
    def design(self) -> Design:
        names = iter(f"q{number}" for number in range(99))
        sections = [
            {
                "kind": "unrelated-question",
                "keep": keep,
                **({"asked": drawn} if drawn else {}),
                "questions": [
                    {
                        "name": next(names),
                        "choices": [f"c{code}" for code in range(choices)],
                        "noise": EVEN[choices],
                    }
                    for _question in range(many)
                ],
            }
            for keep, many, choices, drawn in DESIGNS[self.name]
        ]
        return parse(json.dumps({"format": "candor-design/1", "open_answers": False, "sections": sections}))


def copied_cells() -> list[Copied]:
    return [Copied(name, n) for name in DESIGNS for n in (100, 1_000)]


def copies(setting: Copied, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    design = setting.design
    group = np.full(setting.n, DISGUISED, np.uint8)
    most = [question.codes for question in design.questions]
    unnoticed = unnoticed_copies(design, setting.n, COPIES_LEVEL)
    n_found = alarms = 0
    for _survey in range(surveys):
        truth = np.stack([rng.integers(0, codes, setting.n) for codes in most]).astype(np.uint16)
        codes = disguise(design, group, truth, rng)
        alarms += identical(design, group, codes, COPIES_LEVEL).excess > 0
        if unnoticed is not None:
            codes[:, : unnoticed + 1] = codes[:, :1]
            n_found += identical(design, group, codes, COPIES_LEVEL).excess > 0
    cell = f"{setting.name}, {setting.n:,} records"
    if unnoticed is not None:
        yield Value("found at the stated number", f"{cell}: {unnoticed + 1}", n_found / surveys, surveys)
    yield Value("alarms without copies", cell, alarms / surveys, surveys)


SECTIONS = (
    Section(
        "copies",
        "Copied records",
        "One record more than the page says may go unnoticed; and honest records alone, at a level of .001.",
        copied_cells,
        copies,
        200,
        0,
        {"found at the stated number": Bar(1.0), "alarms without copies": Bar(0.01, most=True)},
    ),
)
