"""Simulated numbers, for both laws of numbers: their sums, and usual answers."""

import numpy as np

from privacy.grammar.question import Question
from privacy.kinds.codes import Codes
from privacy.kinds.number.number_question import NumberQuestion
from privacy.kinds.simulation import TrueNumber, UsualNumber

MEDIANS = (0.1, 0.3)
"""Between which parts of its range the median of a number lies, before it rises with the share that is not denied."""


def sum_numbers(question: NumberQuestion, row: Codes) -> TrueNumber:
    """Sums the true numbers of one row of codes, without those to whom the question does not apply."""
    steps = int(row.sum(dtype=np.int64))
    return TrueNumber(len(row), question.low * len(row) + question.step * steps)


def usual_number(question: Question, rng: np.random.Generator) -> UsualNumber:
    """Returns usual numbers as answers to a question, with a random median."""
    return UsualNumber(question.true_codes, rng.uniform(*MEDIANS))
