"""The device of `thresholds`: its coins, and what they decide.

A section's coins:

1. those of a grouped section of N yes/no questions of which one is asked: a shuffle coin below N, a keep coin below the
   modulus, N noise coins below the modulus;
2. only with `mean`: one coin below L, the least common multiple of the gaps.

The shuffle coin draws the threshold. With `mean` the number x in (t_(i-1), t_i] is first moved up to t_i if the last
coin is below (x - t_(i-1)) L / (t_i - t_(i-1)), an integer, else down to t_(i-1). The rest is as in a grouped section:
the answer to "at least the threshold" is sent as it is, or replaced by the noise coin of the threshold.
"""

from bisect import bisect_left
from collections.abc import Sequence

from privacy.grammar.node import PARTS
from privacy.grammar.question import Answers, given_code
from privacy.kinds.number.form import ThresholdsQuestion, ThresholdsSection
from privacy.kinds.number.mined import HALVES


def sides(section: ThresholdsSection, modulus: int) -> list[int]:
    question = section.question
    thresholds = len(question.thresholds)
    move = [question.multiple] if question.mean else []
    return [thresholds, modulus, *[modulus] * thresholds, *move]


def disguise(
    section: ThresholdsSection,
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
    number = question.number(given_code(question, answers[len(codes)]))
    drawn, keep, *rest = coins
    if question.mean:
        number = moved(question, number, rest[-1])
    true = int(number >= question.thresholds[drawn])
    noise = int(rest[drawn] * PARTS >= HALVES[0] * modulus)
    kept = is_open or keep * PARTS < section.keep_parts * modulus
    codes.append(2 * drawn + (true if kept else noise))


def moved(question: ThresholdsQuestion, number: int, coin: int) -> int:
    """The point next above or below, as the coin (below L) decides; a number that is a point stays."""
    above = bisect_left(question.points, number)
    if question.points[above] == number:
        return number
    below = question.points[above - 1]
    gap = question.points[above] - below
    return question.points[above] if coin < (number - below) * (question.multiple // gap) else below
