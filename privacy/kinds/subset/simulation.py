"""Simulates subset selection for many respondents at once."""

import numpy as np

from privacy.grammar.json_node import PARTS
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.simulation import Mask, SectionSimulation
from privacy.kinds.subset.scores import set_ranks
from privacy.kinds.subset.section import SubsetSection


class SubsetSimulation(SectionSimulation[SubsetSection]):
    def disguise(
        self, section: SubsetSection, is_open: Mask, truth: Codes, codes: Codes, rng: "np.random.Generator"
    ) -> None:
        question, n = section.question, len(is_open)
        true = truth[0].astype(np.intp)
        hidden = truth[0] == question.true_hidden_code
        kept = rng.integers(0, PARTS, n) < section.keep_parts
        # The members are the choices with the smallest keys.
        keys = rng.random((n, len(question.choices)))
        keys[np.arange(n), np.where(hidden, 0, true)] = np.where(kept, -1.0, 2.0)
        members = np.sort(np.argpartition(keys, question.size - 1, axis=1)[:, : question.size], axis=1)
        sent = np.where(is_open, question.set_count + true, set_ranks(members, len(question.choices)))
        codes[0] = np.where(hidden, question.not_applicable, sent)
