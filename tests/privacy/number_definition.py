"""The law of a number's record, and of whole designs with numbers, drawn up from what a device does, coin by coin.

From the design's JSON and from nothing of the code under test.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from proof.record_law import classes_law, codes, hidden_questions, section_law, true_codes, window_law

DISGUISED = 1
Law = dict[str, Fraction]


def numbers(section: dict[str, Any]) -> int:
    """How many numbers somebody may have."""
    return true_codes(section["questions"][0])


def number_law(section: dict[str, Any], index: int) -> dict[int, Fraction]:
    """The probability of every code, from the number `index` steps above the lowest."""
    (asked,) = section["questions"]
    of = window_law if asked["law"] == "window" else classes_law
    return {code: chance for code, chance in enumerate(of(section, asked, DISGUISED, index)) if chance}


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
            part = {f"[{codes(section['questions'][0]) + 1}]": Fraction(1)}
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
