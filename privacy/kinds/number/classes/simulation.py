"""Simulates numbers disguised by classes for many respondents at once."""

import numpy as np
from numpy.typing import NDArray

from privacy.grammar.json_node import PARTS
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.number.classes.law import interval_code
from privacy.kinds.number.classes.section import REST_PARTS, ClassesQuestion, ClassesSection
from privacy.kinds.number.simulated_true_numbers import draw_usual_number_distribution, summarise_true_numbers
from privacy.kinds.simulation import Mask, SectionSimulation, TrueNumber, UsualAnswers


class ClassesSimulation(SectionSimulation[ClassesSection]):
    """Simulates numbers by classes for many respondents at once."""

    def disguise(
        self, section: ClassesSection, is_open: Mask, truth: Codes, codes: Codes, rng: "np.random.Generator"
    ) -> None:
        question, n = section.question, len(is_open)
        number = question.low + question.step * truth[0].astype(np.int64)
        true = np.searchsorted(question.limits, number, side="right")
        drawn = _draw_limit_indexes(question, n, rng)
        kept = rng.integers(0, PARTS, n) < section.keep_parts
        sent = np.where(kept, (drawn <= true).sum(axis=0), rng.integers(0, question.cuts + 1, n))
        bounds = np.concatenate([np.zeros((1, n), np.int64), drawn, np.full((1, n), question.classes)])
        a = np.where(is_open, true, np.take_along_axis(bounds, sent[None], 0)[0])
        z = np.where(is_open, true + 1, np.take_along_axis(bounds, sent[None] + 1, 0)[0])
        answered = interval_code(question.classes, a, z)
        if question.rest and section.rest_keep_parts is not None:
            move = rng.integers(0, question.widest_class_span, n) < number - np.array(question.starts)[true]
            kept = is_open | (rng.integers(0, PARTS, n) < section.rest_keep_parts)
            bit = np.where(kept, move, rng.integers(0, 2, n))
            answered = np.where(
                rng.integers(0, REST_PARTS, n) < question.rest, question.n_intervals + bit, answered
            )
        codes[0] = np.where(truth[0] == question.true_hidden_code, question.not_applicable, answered)

    def true_item_codes(self, section: ClassesSection, rows: Codes) -> Codes:
        """Returns the class of each true number; the number of classes if the question does not apply."""
        question = section.question
        numbers = question.low + question.step * rows[0].astype(np.int64)
        classes = np.searchsorted(question.limits, numbers, side="right")
        hidden = rows[0] == question.true_hidden_code
        return np.where(hidden, question.classes, classes)[None].astype(rows.dtype)

    def sum_true_numbers(self, section: ClassesSection, row: Codes) -> TrueNumber:
        return summarise_true_numbers(section.question, row)

    def usual_answers(self, section: ClassesSection, rng: "np.random.Generator") -> list[UsualAnswers]:
        return [draw_usual_number_distribution(section.question, rng)]


def _draw_limit_indexes(question: ClassesQuestion, n: int, rng: "np.random.Generator") -> NDArray[np.int64]:
    """Draws the limits of each device; returns their indexes, ascending, limit x respondent."""
    limits = np.repeat(np.arange(1, len(question.limits) + 1)[:, None], n, axis=1)
    if question.cuts == len(limits):
        return limits
    shuffled = rng.permuted(limits, axis=0)
    return np.sort(shuffled[: question.cuts], axis=0)
