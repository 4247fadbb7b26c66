"""Studies drawn at random, each with a part of its own: a kind of question, arms, weights, a model, a wave before."""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mining.parameters import Parameters
from privacy.designs import Design, parse
from tests.mining.disclosure.random_surveys import any_place, people
from tests.mining.disclosure.told_cells import Records
from tests.privacy.questionnaires import (
    HALF,
    UNDERSTOOD,
    classes,
    crosswise,
    drawn,
    plain,
    question,
    sensitive,
    subset,
    window,
)

PARTS = (
    "two sections",
    "rotating",
    "classes",
    "window",
    "place",
    "subset",
    "crosswise",
    "arms",
    "weights",
    "model",
    "wave",
    "understanding",
)
IN_MARCH, NOT_IN_MARCH = {"en": "Were you born in March?"}, {"en": "Were you born in another month?"}


@dataclass(frozen=True)
class RandomStudy:
    """`parameters`: of the run of each publication, the last one after finishing where `finishes`. `earlier`: the
    design that it repeats."""

    part: str
    records: Records
    parameters: tuple[Parameters, ...]
    finishes: bool
    margins: str = ""
    model: dict[str, Any] = field(default_factory=dict)
    earlier: Design | None = None

    @property
    def design(self) -> Design:
        return self.records.design

    @property
    def stages(self) -> int:
        return len(self.parameters) - self.finishes

    @property
    def publications(self) -> list[tuple[int, bool]]:
        """The last stage of each, and whether it uses open records."""
        uses_open = self.design.has_group_open
        told = [(stage, False) for stage in range(self.stages)]
        return [*told, (self.stages - 1, uses_open)] if self.finishes else told


def random_study(seed: int) -> RandomStudy:
    rng = np.random.default_rng(seed)
    part = PARTS[seed % len(PARTS)]
    design = random_design(part, rng)
    earlier = None
    if part == "wave":
        earlier = design
        design = parse(json.dumps({**json.loads(design.canonical), "follows": design.fingerprint}))
    least_open = 0.5 if part == "arms" else float(rng.choice([0.05, 0.2]))
    sizes = [int(rng.integers(150, 300)), *([int(rng.integers(20, 120))] if rng.random() < 0.5 else [])]
    drawn_people = [people(design, n, least_open, rng) for n in sizes]
    group = np.concatenate([groups for groups, _codes in drawn_people])
    codes = np.concatenate([sent for _groups, sent in drawn_people], axis=1).astype(np.uint16)
    records = Records(design, group.astype(np.uint8), codes, np.repeat(np.arange(len(sizes)), sizes))
    finishes = part == "arms" or bool(rng.random() < 0.5)
    absences = bool(rng.random() < 0.25)
    parameters = tuple(
        Parameters(float(rng.choice([0.05, 0.1])), 0.2, absences=absences, max_size=size)
        for size in [int(rng.choice([2, 3])), *([2] * (len(sizes) - 1 + finishes))]
    )
    first = [choice.name for choice in design.questions[0].choices]
    margins = "p0,share\n" + "".join(f"{name},{1 / len(first)}\n" for name in first)
    return RandomStudy(
        part,
        records,
        parameters,
        finishes,
        margins if part == "weights" else "",
        {"item": "s0=yes", "on": ["p1"]} if part == "model" else {},
        earlier,
    )


def random_design(part: str, rng: np.random.Generator) -> Design:
    """Three plain questions with rare classes, one perhaps behind another; a section of two questions, one perhaps
    behind a rule, and the part."""
    asked: list[dict[str, Any]] = [
        {
            "name": f"p{number}",
            "choices": [f"c{code}" for code in range(int(rng.integers(2, 4 + (number == 0))))],
        }
        for number in range(3)
    ]
    some = asked[0]["choices"][: int(rng.integers(1, len(asked[0]["choices"])))]
    rule = {"show_if": {"p0": some}}
    if rng.random() < 0.4:
        asked[2] |= rule
    ruled = rule if rng.random() < 0.4 else {}
    control = [{"name": "moon", "choices": ["no", "yes"], "known": "0.0000"}] if part == "arms" else []
    turned = [drawn("version", *HALF)] if part == "crosswise" else []
    rest: dict[str, list[dict[str, Any]]] = {
        "two sections": [sensitive("0.8", question("t0", "0.4", "0.6", **ruled))],
        "rotating": [sensitive("0.8", *(question(f"t{number}", *HALF) for number in range(3)), asked=2)],
        "classes": [classes("n", "0.7", 0, 2, 4, 7, **ruled)],
        "window": [window("n", 7, 1, "0.4", **ruled)],
        "place": [{"kind": "place", "questions": [any_place(rng, asked[0]["choices"])]}],
        "subset": [subset(5, 2, "0.7", **ruled)],
        "crosswise": [
            crosswise(
                "x",
                "0.2500",
                secret=IN_MARCH,
                turned=NOT_IN_MARCH,
                turned_by="version",
            )
        ],
        "arms": [sensitive("0.7", question("mars", *HALF, known="0.0000"))],
        "understanding": [UNDERSTOOD],
    }
    sections = [
        plain(*asked, *control, *turned),
        sensitive("0.7", question("s0", *HALF), question("s1", *HALF, **ruled)),
        *rest.get(part, []),
    ]
    arms = {"open_answers": False, "direct": "0.5"} if part == "arms" else {"open_answers": True}
    more = {"understanding": True} if part == "understanding" else {}
    said = {"format": "candor-design/1", "least": 40, "title": {"en": f"Study of {part}"}, **arms, **more}
    return parse(json.dumps({**said, "sections": sections}))
