"""The law of a record of a design with arms, drawn questions and crosswise questions, from its JSON alone.

The arm and the drawn questions are thrown first; the sections then follow `proof.record_law`.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from proof.record_law import record_law

Law = dict[tuple[int, str], Fraction]
"""The probability of each group and answer text."""
OPEN, DISGUISED = 0, 1


def study_law(design: dict[str, Any], group: int, answers: Sequence[int | None]) -> Law:
    """`group` counts only without arms; `answers` of drawn questions are ignored."""
    law: Law = {}
    for (sent, of_arm), (drawn, of_lots) in product(_arms(design, group), _lots(design)):
        given = [
            drawn.get(question["name"], code)
            for question, code in zip(_questions(design), answers, strict=True)
        ]
        for text, chance in record_law(_as_known(design, drawn), sent, given).items():
            law[sent, text] = law.get((sent, text), Fraction(0)) + of_arm * of_lots * chance
    return law


def _questions(design: dict[str, Any]) -> list[dict[str, Any]]:
    return [question for section in design["sections"] for question in section["questions"]]


def _arms(design: dict[str, Any], group: int) -> list[tuple[int, Fraction]]:
    if "direct" not in design:
        return [(group, Fraction(1))]
    direct = Fraction(design["direct"])
    return [(OPEN, direct), (DISGUISED, 1 - direct)]


def _lots(design: dict[str, Any]) -> Iterator[tuple[Mapping[str, int], Fraction]]:
    """All choices of the drawn questions with their probability."""
    drawn = [question for question in _questions(design) if question.get("form") == "drawn"]
    for codes in product(*(range(len(question["shares"])) for question in drawn)):
        chance = Fraction(1)
        for question, code in zip(drawn, codes, strict=True):
            chance *= Fraction(question["shares"][code])
        yield {question["name"]: code for question, code in zip(drawn, codes, strict=True)}, chance


def _as_known(design: dict[str, Any], drawn: Mapping[str, int]) -> dict[str, Any]:
    """The design with each crosswise section as a section that flips: yes and no swap with the rarer share."""
    return {**design, "sections": [_section(section, drawn) for section in design["sections"]]}


def _section(section: dict[str, Any], drawn: Mapping[str, int]) -> dict[str, Any]:
    if section["kind"] != "crosswise":
        return section
    (question,) = section["questions"]
    # Whether the secret or its opposite is asked, what differs from the truth does so as often as the rarer of both.
    flips = min(Fraction(question["share"]), 1 - Fraction(question["share"]))
    plain = {key: question[key] for key in ("name", "choices", "show_if") if key in question}
    noise = {**plain, "noise": ["1/2", "1/2"]}
    return {"kind": "unrelated-question", "keep": str(1 - 2 * flips), "questions": [noise]}
