"""Random studies: a design with plain and sensitive questions, and records of two waves of simulated people."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy.designs import Design, parse
from privacy.records import RecordRow, write_records
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from tests.privacy.questionnaires import (
    classes,
    crosswise,
    place_in_row,
    plain,
    sensitive,
    subset,
    written,
)

AGES = ["18-39", "40-59", "60+"]


@dataclass(frozen=True)
class RandomStudy:
    """`records` and `again` are the record files of two waves with one design."""

    name: str
    design: Path
    records: Path
    again: Path


def random_study(folder: Path, number: int) -> RandomStudy:
    """The study of this number, with its files in the folder."""
    rng = np.random.default_rng(number)
    design = random_design(rng)
    study = RandomStudy(
        str(number),
        folder / f"design-{number}.json",
        folder / f"records-{number}.csv",
        folder / f"again-{number}.csv",
    )
    study.design.write_text(json.dumps(design.as_json()) if number % 2 else design.canonical)
    for path in (study.records, study.again):
        with path.open("w", newline="") as file:
            write_records(file, design, _records(design, rng), withhold=True)
    return study


def random_design(rng: np.random.Generator) -> Design:
    rule: dict[str, Any] = {"show_if": {"work": ["employed", "=self"]}}

    def hidden() -> dict[str, Any]:
        return rule if rng.random() < 0.3 else {}

    sections = [
        plain(
            {"name": "work", "choices": ["employed", "=self", "not"][: rng.integers(2, 4)]},
            {"name": "年龄", "form": "scale", "choices": AGES[: rng.integers(2, 4)], **hidden()},
        )
    ]
    rule["show_if"]["work"] = rule["show_if"]["work"][: rng.integers(1, 3)]
    if len(sections[0]["questions"][0]["choices"]) == 2:
        rule["show_if"]["work"] = ["employed"]
    for section in range(rng.integers(1, 3)):
        questions = [_question(rng, f"s{section}{place}", **hidden()) for place in range(rng.integers(1, 4))]
        asked = {"asked": int(rng.integers(1, len(questions) + 1))} if rng.random() < 0.4 else {}
        sections.append(sensitive(f"{rng.integers(2000, 9500) / 10000:.4f}", *questions, **asked))
    if rng.random() < 0.3:
        sections.append(crosswise("tax", rng.choice(["0.2466", "0.7", "0.0833"]), **hidden()))
    if rng.random() < 0.3:
        cells = int(rng.integers(5, 8))
        regions = {"north": [0, 1], "-south": [2, 3, 4]}
        sections.append(place_in_row("home", regions, cells, int(rng.integers(1, 3)), "6.50", **hidden()))
    if rng.random() < 0.3:
        sections.append(subset(6, 2, "0.6"))
        rest = {"rest": 4} if rng.random() < 0.7 else {}
        sections.append(classes("debt", "0.7", 0, 10, 20, 40, **rest, **hidden()))
    kind = rng.integers(3)
    more = {"open_answers": bool(kind == 1), **({"direct": "0.4", "least": 200} if kind == 2 else {})}
    return parse(json.dumps(written(*sections, **more)))


def _question(rng: np.random.Generator, name: str, **more: Any) -> dict[str, Any]:
    """Of two to four choices, with a noise law that is sometimes far from even, or the default."""
    choices = ["no", "yes"] if rng.random() < 0.5 else ["a", "=b", "c", "d"][: rng.integers(2, 5)]
    asked = {"name": name, "choices": choices, **more}
    if rng.random() < 0.2:
        return asked
    cuts = np.sort(rng.choice(np.arange(1, 10_000), len(choices) - 1, replace=False))
    parts = np.diff([0, *cuts, 10_000])
    return {**asked, "noise": [f"{part / 10_000:.4f}" for part in parts]}


def _records(design: Design, rng: np.random.Generator) -> list[RecordRow]:
    """Of few people or of many; shares are often near 0 or 1, and open people differ from the others."""
    sources = [
        Independent(tuple(tuple(rng.dirichlet([0.7] * question.true_codes)) for question in design.questions))
        for _group in range(2)
    ]
    n = int(10 ** rng.uniform(2.1, 3.3))
    population = Population(sources[0], sources[1], 0.3 * design.open_answers)
    group, truth = population.draw(design, n, rng)
    codes: NDArray[Any] = disguise(design, group, truth, rng)
    return [RecordRow(int(arm), tuple(row)) for arm, row in zip(group, codes.T.tolist(), strict=True)]
