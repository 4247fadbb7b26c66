"""The device of crosswise sections: it throws no coin, and records the word of somebody who is disguised.

The answer of such a respondent is a word, 0 *same* or 1 *different*; whoever is asked openly or directly is asked the
plain question, and the answer is recorded as it is.
"""

from collections.abc import Sequence

from privacy.grammar.question import Answers, given_code
from privacy.kinds.crosswise.section import CrosswiseSection


def sides(section: CrosswiseSection, modulus: int) -> list[int]:
    return []


def disguise(
    section: CrosswiseSection,
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
    given = given_code(question, answers[len(codes)])
    codes.append(given if is_open else question.recorded(given, question.is_turned(codes)))
