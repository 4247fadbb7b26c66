"""The device of grouped sections: its coins, and what they decide.

A section's coins:

1. only if s < N: s shuffle coins, the i-th (from 0) below N - i;
2. one keep coin below the modulus;
3. N noise coins below the modulus, one per question, asked or not.

The shuffle coins draw the questions that are asked (a Fisher-Yates shuffle that stops after s places: coin i swaps
places i and i + coin, the first s are drawn). If keep coin/modulus < keep, the section's true answers are sent.
Otherwise the answer to question j is the first choice whose cumulative noise probability is above its noise
coin/modulus. All comparisons are between integers.
"""

from bisect import bisect_right
from collections.abc import Sequence

from privacy.grammar.node import PARTS
from privacy.grammar.question import Answers, given_code
from privacy.kinds.grouped.section import UnrelatedQuestionSection


def sides(section: UnrelatedQuestionSection, modulus: int) -> list[int]:
    questions = len(section.questions)
    shuffle = range(questions, questions - section.asked, -1) if section.rotates else range(0)
    return [*shuffle, modulus, *[modulus] * questions]


def disguise(
    section: UnrelatedQuestionSection,
    coins: Sequence[int],
    modulus: int,
    is_open: bool,
    answers: Answers,
    codes: list[int],
) -> None:
    *shuffle, keep = coins[: -len(section.questions)]
    noise = coins[-len(section.questions) :]
    kept = is_open or keep * PARTS < section.keep_parts * modulus
    for question, asked, coin in zip(section.questions, drawn(section, shuffle), noise, strict=True):
        if not asked:
            codes.append(question.not_asked)
        elif not question.applies(codes):
            codes.append(question.not_applicable)
        else:
            true = given_code(question, answers[len(codes)])
            drawn_answer = bisect_right(question.cumulative, coin * PARTS // modulus)
            codes.append(true if kept else drawn_answer)


def drawn(section: UnrelatedQuestionSection, shuffle: Sequence[int]) -> list[bool]:
    """Which questions the shuffle coins draw; all of them where the section does not rotate."""
    order = list(range(len(section.questions)))
    for place, coin in enumerate(shuffle):
        order[place], order[place + coin] = order[place + coin], order[place]
    asked = set(order[: section.asked])
    return [place in asked for place in range(len(order))]
