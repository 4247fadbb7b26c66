"""The probability of each group and answer text by brute force, for designs with arms, drawn or crosswise questions."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from proof.record_probabilities import DISGUISED, OPEN, record_law

StudyLaw = dict[tuple[int, str], Fraction]
"""Probability of each group and answer text of a record."""


def group_and_record_law(design: dict[str, Any], group: int, answers: Sequence[int | None]) -> StudyLaw:
    """Returns the probability of each group and answer text for a design with a direct arm, drawn or crosswise
    questions.

    Arm and drawn answers are drawn first. `group` is used only without arms; `answers` to drawn questions are ignored.
    """
    law: StudyLaw = {}
    questions = [question for section in design["sections"] for question in section["questions"]]
    direct = Fraction(design.get("direct", 0))
    arms = [(OPEN, direct), (DISGUISED, 1 - direct)] if direct else [(group, Fraction(1))]
    flipping = {**design, "sections": [_flipping_section(section) for section in design["sections"]]}
    for (arm, p_arm), (drawn, p_drawn) in product(arms, _drawn_answers(questions)):
        truth = [drawn.get(question["name"], code) for question, code in zip(questions, answers, strict=True)]
        for text, chance in record_law(flipping, arm, truth).items():
            law[arm, text] = law.get((arm, text), Fraction(0)) + p_arm * p_drawn * chance
    return law


def _drawn_answers(questions: list[dict[str, Any]]) -> Iterator[tuple[Mapping[str, int], Fraction]]:
    """Yields all combinations of answers to the questions that the device answers at random, with their probability."""
    drawn = [question for question in questions if question.get("form") == "drawn"]
    for codes in product(*(range(len(question["shares"])) for question in drawn)):
        chance = Fraction(1)
        for question, code in zip(drawn, codes, strict=True):
            chance *= Fraction(question["shares"][code])
        yield {question["name"]: code for question, code in zip(drawn, codes, strict=True)}, chance


def _flipping_section(section: dict[str, Any]) -> dict[str, Any]:
    """Converts a crosswise section to one that flips yes and no with the probability of the rarer answer
    to the secret."""
    if section["kind"] != "crosswise":
        return section
    (question,) = section["questions"]
    # Whether the secret or its opposite is asked, the answer differs from the truth as often as the rarer of both.
    flips = min(Fraction(question["share"]), 1 - Fraction(question["share"]))
    plain = {key: question[key] for key in ("name", "choices", "show_if") if key in question}
    noise = {**plain, "noise": ["1/2", "1/2"]}
    return {"kind": "unrelated-question", "keep": str(1 - 2 * flips), "questions": [noise]}
