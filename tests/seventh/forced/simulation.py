"""Forced response for many simulated respondents at once."""

import numpy as np

from privacy.grammar.json_node import PARTS
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.simulation import Mask, SectionSimulation
from tests.seventh.forced.section import ForcedSection


class ForcedSimulation(SectionSimulation[ForcedSection]):
    def disguise(
        self, section: ForcedSection, is_open: Mask, truth: Codes, codes: Codes, rng: np.random.Generator
    ) -> None:
        n, (question,) = len(is_open), section.questions
        kept = is_open | (rng.integers(0, PARTS, n) < section.keep_parts)
        codes[0] = np.where(kept | (truth[0] == question.true_hidden_code), truth[0], rng.integers(0, 2, n))
