"""Simulates plain sections: records hold the true answers."""

import numpy as np

from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.plain.section import PlainSection
from privacy.kinds.simulation import Mask, SectionSimulation, UsualAnswers, usual_shares


class PlainSimulation(SectionSimulation[PlainSection]):
    def disguise(
        self, section: PlainSection, is_open: Mask, truth: Codes, codes: Codes, rng: "np.random.Generator"
    ) -> None:
        codes[:] = truth

    def usual_answers(self, section: PlainSection, rng: "np.random.Generator") -> list[UsualAnswers]:
        return [usual_shares(question, rng) for question in section.questions]
