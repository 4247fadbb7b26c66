"""Simulates numbers disguised by a window for many respondents at once."""

from dataclasses import replace

import numpy as np

from privacy.grammar.json_node import PARTS
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.number.simulated_true_numbers import draw_usual_number_distribution, summarise_true_numbers
from privacy.kinds.number.window.section import WindowSection
from privacy.kinds.simulation import Mask, SectionSimulation, TrueNumber, UsualAnswers


class WindowSimulation(SectionSimulation[WindowSection]):
    """Simulates numbers by a window for many respondents at once."""

    def disguise(
        self, section: WindowSection, is_open: Mask, truth: Codes, codes: Codes, rng: "np.random.Generator"
    ) -> None:
        question, n = section.question, len(is_open)
        true = truth[0].astype(np.int64)
        shifted = (true + rng.integers(0, section.law.width, n) - question.half) % question.values
        anywhere = rng.integers(0, PARTS, n) < question.uniform_parts
        sent = np.where(anywhere, rng.integers(0, question.values, n), shifted)
        sent = np.where(is_open, true, sent)
        codes[0] = np.where(truth[0] == question.true_hidden_code, question.not_applicable, sent)

    def sum_true_numbers(self, section: WindowSection, row: Codes) -> TrueNumber:
        counts = np.bincount(row, minlength=section.question.values)
        return replace(summarise_true_numbers(section.question, row), counts=tuple(counts.tolist()))

    def usual_answers(self, section: WindowSection, rng: "np.random.Generator") -> list[UsualAnswers]:
        return [draw_usual_number_distribution(section.question, rng)]
