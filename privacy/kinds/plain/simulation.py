"""Simulates plain sections: records hold the true answers."""

import numpy as np

from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.plain.section import PlainSection
from privacy.kinds.simulation import Mask, SectionSimulation


class PlainSimulation(SectionSimulation[PlainSection]):
    def disguise(
        self, section: PlainSection, is_open: Mask, truth: Codes, codes: Codes, rng: "np.random.Generator"
    ) -> None:
        codes[:] = truth
