"""Every coin tuple of a small design, through the whole road from words to record."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any

from privacy.designs import parse
from privacy.mechanisms import coins as exact_coins, disguise as exact_disguise
from tests.privacy.law import choice_name, record_law
from tests.privacy.node import MODULE, Node
from tests.privacy.questionnaires import MIXED, ONE, ROTATING, THREE, TWO, TWO_OF_THREE, TWO_SECTIONS

OPEN, DISGUISED = 0, 1


@dataclass(frozen=True, slots=True)
class Case:
    """One respondent of a small design, with coins of so many sides that all tuples can be tried."""

    name: str
    design: dict[str, Any]
    modulus: int
    group: int
    answers: tuple[int | None, ...]

    @property
    def sides(self) -> list[int]:
        sides: list[int] = []
        for section in self.design["sections"]:
            if section["kind"] != "plain":
                n = len(section["questions"])
                asked = section.get("asked", n)
                sides += [n - i for i in range(asked)] if asked < n else []
                sides += [self.modulus] * (1 + n)
        return sides

    @property
    def bits(self) -> int:
        """Words just wide enough that every word below n is the coin itself."""
        return max(self.sides).bit_length()

    @property
    def stated(self) -> dict[str, Fraction]:
        return record_law(self.design, self.group, self.answers)


def cases(name: str, design: dict[str, Any], modulus: int = 10) -> Iterator[Case]:
    """All true answers of all groups."""
    questions = [question for section in design["sections"] for question in section["questions"]]
    names = [[choice_name(choice) for choice in question["choices"]] for question in questions]
    for group, *answers in product((OPEN, DISGUISED), *(range(len(choices)) for choices in names)):
        yield Case(f"{name} {group} {answers}", design, modulus, group, tuple(answers))


QUICK = [
    Case("fine", ONE, 100, DISGUISED, (1,)),
    *cases("two", TWO),
    Case("mixed", MIXED, 10, DISGUISED, (2, 0)),
    Case("rotating, shown", ROTATING, 10, DISGUISED, (0, 1, 1)),
    Case("rotating, hidden", ROTATING, 10, DISGUISED, (1, None, 0)),
    Case("rotating, hidden, open", ROTATING, 10, OPEN, (1, 1, 0)),
]
LONG = [
    *cases("fine", ONE, 100),
    *cases("mixed", MIXED),
    *cases("two sections", TWO_SECTIONS),
    *cases("rotating", ROTATING),
    *list(cases("three", THREE))[::5],
    *list(cases("two of three", TWO_OF_THREE))[::7],
]


def python_law(
    case: Case, coins: ModuleType = exact_coins, disguise: ModuleType = exact_disguise
) -> dict[str, Fraction]:
    """The share of coin tuples that give each answer text."""
    design = parse(json.dumps(case.design))
    counts: Counter[str] = Counter()
    for tuple_of_words in product(*map(range, case.sides)):
        left = iter(tuple_of_words)
        words = coins.Words(case.bits, left.__next__)
        thrown = coins.draw_coins(design, words, case.modulus)
        assert next(left, None) is None
        counts[disguise.disguise(design, thrown, case.group, case.answers).answers] += 1
    return shares(counts, case.sides)


def javascript_law(case: Case, twin: Node, module: Path = MODULE) -> dict[str, Fraction]:
    reply = twin.ask(
        "law",
        module,
        design=json.loads(parse(json.dumps(case.design)).canonical),
        sides=case.sides,
        bits=case.bits,
        group=case.group,
        answers=case.answers,
        modulus=case.modulus,
    )
    assert "counts" in reply, "coins were left over"
    return shares(reply["counts"], case.sides)


def shares(counts: dict[str, int], sides: Sequence[int]) -> dict[str, Fraction]:
    assert sum(counts.values()) == prod(sides)
    return {text: Fraction(count, prod(sides)) for text, count in counts.items()}
