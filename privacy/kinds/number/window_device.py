"""The device of a `window`: its coins, and what they decide.

A section's coins:

1. one uniform coin below the modulus;
2. one shift coin below 2h + 1;
3. one coin below V.

If uniform coin/modulus < 1 - u, the third coin is sent: any number. Otherwise the number shifted by (shift coin - h),
modulo V.
"""

from collections.abc import Sequence

from privacy.grammar.node import PARTS
from privacy.grammar.question import Answers, given_code
from privacy.kinds.number.section import WindowSection


def sides(section: WindowSection, modulus: int) -> list[int]:
    question = section.question
    return [modulus, 2 * question.half + 1, question.values]


def disguise(
    section: WindowSection,
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
    uniform, shift, anywhere = coins
    if uniform * PARTS < question.uniform_parts * modulus:
        sent = anywhere
    else:
        sent = (true + shift - question.half) % question.values
    codes.append(true if is_open else sent)
