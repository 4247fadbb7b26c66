"""Simulates the answers of many respondents to crosswise sections."""

import numpy as np

from privacy.grammar.json_node import PARTS
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.crosswise.section import CrosswiseSection
from privacy.kinds.simulation import Mask, SectionSimulation


class CrosswiseSimulation(SectionSimulation[CrosswiseSection]):
    """Simulates crosswise sections for many respondents at once."""

    def disguise(
        self, section: CrosswiseSection, is_open: Mask, truth: Codes, codes: Codes, rng: "np.random.Generator"
    ) -> None:
        """Writes the codes of simulated records, in place.

        Records where `is_open` is True keep the true answer; others flip it with the probability of the rarer answer to
        the secret.
        """
        share = section.question.secret_parts
        other = rng.integers(0, PARTS, len(is_open), np.uint16) < min(share, PARTS - share)
        turned = other & ~is_open & (truth[0] != section.question.true_hidden_code)
        codes[0] = truth[0] ^ turned.astype(truth.dtype)
