"""The device of a place: one coin below Z, which decides the cell that is sent (privacy/kinds/place/law.py).

Inside a region, W sides of the coin send each near cell, in their order, then V sides each other cell of the regions,
by number. Outside, the first m (W - V) sides send the cell itself, then V sides each cell of the regions, by number.
"""

from collections.abc import Sequence

from privacy.grammar.question import Answers, given_code
from privacy.kinds.place.section import PlaceSection


def sides(section: PlaceSection, modulus: int) -> list[int]:
    return [section.law.sides]


def disguise(
    section: PlaceSection,
    coins: Sequence[int],
    modulus: int,
    is_open: bool,
    answers: Answers,
    codes: list[int],
) -> None:
    question = section.question
    if not question.applies(codes):
        codes.append(question.not_applicable)
        return
    true = given_code(question, answers[len(codes)])
    codes.append(true if is_open else section.law.sent(true, coins[0]))
