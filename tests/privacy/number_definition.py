"""The law of a number's record, and of whole designs with numbers, drawn up from what a device does, coin by coin.

From the design's JSON and from nothing of the code under test.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from tests.privacy.law import hidden_questions, section_law

OPEN = 0
Law = dict[str, Fraction]


def numbers(section: dict[str, Any]) -> int:
    """How many numbers somebody may have."""
    (asked,) = section["questions"]
    if asked["law"] == "window":
        return int(asked["values"])
    points = asked["thresholds"]
    return int((points[-1] - points[0]) // asked.get("step", 1)) + 1


def number_law(section: dict[str, Any], index: int) -> dict[int, Fraction]:
    """The probability of every code, from the number `index` steps above the lowest."""
    (asked,) = section["questions"]
    return _window(asked, index) if asked["law"] == "window" else _thresholds(section["keep"], asked, index)


def _window(asked: dict[str, Any], index: int) -> dict[int, Fraction]:
    values, half, uniform = asked["values"], asked["window"], Fraction(asked["uniform"])
    law: dict[int, Fraction] = defaultdict(Fraction)
    for code in range(values):
        law[code] += uniform / values
    for shift in range(-half, half + 1):
        law[(index + shift) % values] += (1 - uniform) / (2 * half + 1)
    return dict(law)


def _thresholds(keep: str, asked: dict[str, Any], index: int) -> dict[int, Fraction]:
    points = asked["thresholds"]
    x = points[0] + asked.get("step", 1) * index
    law: dict[int, Fraction] = defaultdict(Fraction)
    for moved, chance in _moved(points, x, asked.get("mean", False)).items():
        for place, threshold in enumerate(points[1:]):
            drawn = chance / len(points[1:])
            law[2 * place + (moved >= threshold)] += drawn * Fraction(keep)
            for answer in (0, 1):
                law[2 * place + answer] += drawn * (1 - Fraction(keep)) / 2
    return dict(law)


def _moved(points: Sequence[int], x: int, mean: bool) -> dict[int, Fraction]:
    below = max(point for point in points if point <= x)
    above = min(point for point in points if point >= x)
    if not mean or below == above:
        return {x: Fraction(1)}
    return {above: Fraction(x - below, above - below), below: Fraction(above - x, above - below)}


def codes(section: dict[str, Any]) -> int:
    (asked,) = section["questions"]
    return int(asked["values"] if asked["law"] == "window" else 2 * len(asked["thresholds"][1:]))


def mixed_record_law(design: dict[str, Any], group: int, answers: Sequence[int]) -> Law:
    """As `record_law`, for designs that also have disguised numbers; an answer to a number is its index."""
    questions = [question for section in design["sections"] for question in section["questions"]]
    hidden = hidden_questions(questions, answers)
    law: Law = {"": Fraction(1)}
    first = 0
    for section in design["sections"]:
        places = list(range(first, first + len(section["questions"])))
        first += len(places)
        if section["kind"] != "number":
            part = section_law(section, places, hidden, group, answers)
        elif places[0] in hidden:
            part = {f"[{codes(section) + 1}]": Fraction(1)}
        else:
            part = {f"[{code}]": p for code, p in number_law(section, answers[places[0]]).items()}
        law = {text + more: p * q for text, p in law.items() for more, q in part.items()}
    return law


def laws_by_plain_answers(design: dict[str, Any]) -> Iterator[list[Law]]:
    """The laws of all truths that go with the same plain answers; everybody is disguised."""
    sizes, is_plain = [], []
    for section in design["sections"]:
        for question in section["questions"]:
            sizes.append(numbers(section) if section["kind"] == "number" else len(question["choices"]))
            is_plain.append(section["kind"] == "plain")
    alike = defaultdict(list)
    for answers in product(*map(range, sizes)):
        told = tuple(code for code, plain in zip(answers, is_plain, strict=True) if plain)
        alike[told].append(mixed_record_law(design, 1, answers))
    return iter(alike.values())


def most_amplified(laws: Sequence[Law]) -> Fraction:
    """The largest P(y|x) / P(y|x'), every record being possible for every truth."""
    assert all(law.keys() == laws[0].keys() for law in laws)
    return max(max(law[record] for law in laws) / min(law[record] for law in laws) for record in laws[0])
