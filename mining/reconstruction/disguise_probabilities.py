"""The law of a design as arrays: the keep probability of each question, the noise of each item."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mining.queries_and_counters import VARIANTS
from privacy.designs import Design

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DisguiseProbabilities:
    """Keep and noise probabilities of a design as arrays.

    `section`, `sensitive` and `keep` are by question, `noise` (the probability under noise) by item; a plain
    question has 1 and 0. Items of one `kind` have the same keep and noise. `unprotected`, by item: sensitive and
    without noise, so that it is true where a disguised record has it; such an item counts as a plain answer in
    floors. An item of scores has keep 1 and noise 0: its scores are of the true answers already.
    """

    section: NDArray[np.int32]
    sensitive: NDArray[np.bool_]
    keep: Floats
    noise: Floats
    kind: NDArray[np.int32]
    unprotected: NDArray[np.bool_]

    @classmethod
    def from_design(cls, design: Design) -> "DisguiseProbabilities":
        section: list[int] = []
        sensitive: list[bool] = []
        keep: list[float] = []
        noise: list[float] = []
        unprotected: list[bool] = []
        kinds: dict[tuple[float, float], int] = {}
        kind: list[int] = []
        for index, part in enumerate(design.sections):
            count = len(part.questions)
            section += [index] * count
            sensitive += [part.sensitive] * count
            mined = part.mined_law
            keep += [mined.keep] * count
            for question, choices in zip(part.questions, mined.noise_parts, strict=True):
                chances = [choice / mined.noise_whole for choice in choices]
                chances *= VARIANTS if question.scored else 1
                noise += chances
                kind += [kinds.setdefault((mined.keep, chance), len(kinds)) for chance in chances]
                unprotected += [part.sensitive and not (chance or question.scored) for chance in chances]
        return cls(
            np.array(section, np.int32),
            np.array(sensitive),
            np.array(keep),
            np.array(noise),
            np.array(kind, np.int32),
            np.array(unprotected, np.bool_),
        )
