"""The device of plain sections: it throws no coin and sends answers as they are given."""

from collections.abc import Sequence

from privacy.grammar.question import Answers, given_code
from privacy.kinds.plain.section import PlainSection


def sides(section: PlainSection, modulus: int) -> list[int]:
    return []


def disguise(
    section: PlainSection,
    coins: Sequence[int],
    modulus: int,
    is_open: bool,
    answers: Answers,
    codes: list[int],
) -> None:
    for question in section.questions:
        if question.applies(codes):
            codes.append(given_code(question, answers[len(codes)]))
        else:
            codes.append(question.not_applicable)
