"""Simulated numbers, for all laws of numbers: sums of true numbers, and random usual answers."""

import numpy as np

from privacy.grammar.question import Question
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.number.number_question import NumberQuestion
from privacy.kinds.simulation import TrueNumber, UsualNumber

MEDIANS = (0.1, 0.3)
"""Range of the random base median of a number, as parts of the question's range; the share who deny
nothing raises it."""


def summarise_true_numbers(question: NumberQuestion, row: Codes) -> TrueNumber:
    """Sums the true numbers of respondents; `row`: codes of people to whom the question applies."""
    steps = int(row.sum(dtype=np.int64))
    return TrueNumber(len(row), question.low * len(row) + question.step * steps)


def draw_usual_number_distribution(question: Question, rng: "np.random.Generator") -> UsualNumber:
    """Returns a distribution of usual answers to a number question, with a random median."""
    return UsualNumber(question.true_codes, rng.uniform(*MEDIANS))
