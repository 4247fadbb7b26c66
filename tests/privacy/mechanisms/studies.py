"""Small designs with arms, drawn questions, random order and crosswise questions, coin by coin."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any

from privacy.designs import parse
from privacy.mechanisms import simulated as exact_simulated
from privacy.mechanisms.coins import Coins, RandomWords
from privacy.mechanisms.disguise import codes_of, order_of
from privacy.records import encode
from proof.record_law import DISGUISED, OPEN, StudyLaw, study_law, true_codes
from tests.privacy.mechanisms.exhaustive import Case
from tests.privacy.node import Node
from tests.privacy.questionnaires import HALF, crosswise, drawn, plain, question, sensitive, written


@dataclass(frozen=True, slots=True)
class Study:
    """One respondent of a design; `orders` are the numbers of what is in random order: blocks, then choices."""

    design: dict[str, Any]
    modulus: int
    group: int
    answers: tuple[int | None, ...]
    orders: tuple[int, ...] = ()

    @property
    def sides(self) -> list[int]:
        """Of all coins, the secrets last."""
        questions = [each for section in self.design["sections"] for each in section["questions"]]
        sections = Case("", self.design, self.modulus, self.group, self.answers).sides
        throws = [self.modulus] * (("direct" in self.design) + sum("shares" in each for each in questions))
        shuffles = [side for blocks in self.orders for side in range(blocks, 1, -1)]
        return [*sections, *throws, *shuffles, *[self.modulus] * sum("share" in each for each in questions)]

    @property
    def bits(self) -> int:
        return max(self.sides).bit_length()

    @property
    def stated(self) -> StudyLaw:
        return study_law(self.design, self.group, self.answers)


def closed(*sections: dict[str, Any], **more: Any) -> dict[str, Any]:
    return written(*sections, open_answers=False, **more)


THEFT = question("theft", "0.4", "0.6")
IN_A, IN_B = {"show_if": {"version": ["a"]}}, {"show_if": {"version": ["b"]}}
MILD = {"name": "mild", "choices": ["no", "yes"], **IN_A}
TURNED = crosswise("drugs", "0.25", turned_by="version")
VERSION = drawn("version", *HALF)
ARMS = closed(sensitive("0.5", THEFT), direct="0.3")
VERSIONS = written(plain(drawn("version", "0.3", "0.7"), MILD), sensitive("0.5", {**THEFT, **IN_B}))
RARE = written(crosswise("drugs", "0.2"))
FREQUENT = written(crosswise("drugs", "0.8"))
BOTH = written(plain(VERSION), TURNED)
HIDDEN = closed(plain(drawn("version", *HALF)), crosswise("drugs", "0.75", **IN_A), direct="0.5")
ROWS = {"choices": ["no", "partly", "yes"], "form": "scale", "of": "views"}
ORDERED = {
    **plain(
        {"name": "age", "choices": ["young", "old"]},
        {"name": "views a", **ROWS},
        {"name": "views b", **ROWS},
        {"name": "job", "choices": ["none", "some"]},
    ),
    "order": "random",
}
SHUFFLED = {
    **plain(
        {"name": "job", "choices": ["a", "b", "c", "none"], "form": "one", "shuffled": 3},
        {"name": "bus", "choices": ["no", "yes"], "form": "many", "of": "use", "shuffled": 2},
        {"name": "car", "choices": ["no", "yes"], "form": "many", "of": "use"},
        {"name": "else", "choices": ["no", "yes"], "form": "many", "of": "use"},
    ),
    "order": "random",
}
EVERYTHING = closed(
    plain(VERSION),
    {**sensitive("0.5", question("theft", *HALF), question("tax", *HALF), asked=1), "order": "random"},
    TURNED,
    direct="0.5",
)


def people(design: dict[str, Any], modulus: int, orders: tuple[int, ...] = ()) -> Iterator[Study]:
    """All true answers of all groups; the lot answers a drawn question."""
    questions = [each for section in design["sections"] for each in section["questions"]]
    groups = (OPEN, DISGUISED) if design["open_answers"] else (DISGUISED,)
    ranges = (range(true_codes(each)) if "shares" not in each else (None,) for each in questions)
    for group, answers in product(groups, product(*ranges)):
        yield Study(design, modulus, group, answers, orders)


STUDIES = {
    "arms": list(people(ARMS, 10)),
    "versions": list(people(VERSIONS, 10)),
    "a rare secret": list(people(RARE, 5)),
    "a frequent secret": list(people(FREQUENT, 5)),
    "turned": list(people(BOTH, 4)),
    "hidden": list(people(HIDDEN, 4)),
    "ordered": [Study(written(ORDERED), 2, DISGUISED, (1, 2, 0, 1), (3,))],
    "shuffled": [Study(written(SHUFFLED), 2, DISGUISED, (3, 1, 0, 1), (2, 3, 2))],
}
LONG = {"everything": list(people(EVERYTHING, 4, (2,)))}


def python_laws(studies: list[Study], simulated: ModuleType = exact_simulated) -> list[StudyLaw]:
    """For respondents of one design the share of coin tuples that give each group and answer text."""
    design, sides, bits = parse(json.dumps(studies[0].design)), studies[0].sides, studies[0].bits
    counts: list[Counter[tuple[int, str]]] = [Counter() for _ in studies]
    for tuple_of_words in product(*map(range, sides)):
        for study, count in zip(studies, counts, strict=True):
            left = iter(tuple_of_words)
            words = RandomWords(bits, left.__next__)
            group, codes = simulated.simulated_codes(design, study.group, study.answers, words, study.modulus)
            assert next(left, None) is None
            count[group, encode(design, codes)] += 1
    return [{key: Fraction(n, prod(sides)) for key, n in count.items()} for count in counts]


def javascript_reply(studies: list[Study], twin: Node, module: Path | None = None) -> dict[str, Any]:
    first = studies[0]
    reply: dict[str, Any] = twin.ask(
        "studies",
        module,
        design=json.loads(parse(json.dumps(first.design)).canonical),
        sides=first.sides,
        bits=first.bits,
        modulus=first.modulus,
        people=[{"group": study.group, "answers": study.answers} for study in studies],
    )
    return reply


def javascript_laws(studies: list[Study], twin: Node, module: Path | None = None) -> list[StudyLaw]:
    every = prod(studies[0].sides)
    return [
        {(int(key[0]), key[2:]): Fraction(n, every) for key, n in counts.items()}
        for counts in javascript_reply(studies, twin, module)["counts"]
    ]


def python_orders(study: Study) -> Counter[tuple[int, ...]]:
    """How many tuples of the device's coins give each order; the design has no secrets."""
    design = parse(json.dumps(study.design))
    tuples = product(*map(range, study.sides))
    return Counter(order_of(design, Coins(values, study.modulus)) for values in tuples)


def python_codes(study: Study) -> Counter[tuple[tuple[int, ...], ...]]:
    """How many tuples give each order of the choices of all questions."""
    design = parse(json.dumps(study.design))
    tuples = product(*map(range, study.sides))
    made = (Coins(values, study.modulus) for values in tuples)
    return Counter(
        tuple(codes_of(design, coins, place) for place in range(len(design.questions))) for coins in made
    )
