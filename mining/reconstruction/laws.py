"""The law of a design as arrays: the keep probability of each question, the noise of each item."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privacy.designs import Design

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Laws:
    """`section`, `sensitive` and `keep` by question, `noise` (the probability under noise) by item; plain: 1 and 0.

    Items of one `kind` have the same keep and noise. `unprotected`, by item: sensitive and without noise, so that it is
    true where a disguised record has it; such an item counts as a plain answer in floors.
    """

    section: NDArray[np.int32]
    sensitive: NDArray[np.bool_]
    keep: Floats
    noise: Floats
    kind: NDArray[np.int32]
    unprotected: NDArray[np.bool_]

    @classmethod
    def of(cls, design: Design) -> "Laws":
        section: list[int] = []
        sensitive: list[bool] = []
        keep: list[float] = []
        noise: list[float] = []
        unprotected: list[bool] = []
        kinds: dict[tuple[float, float], int] = {}
        kind: list[int] = []
        for place, part in enumerate(design.sections):
            count = len(part.questions)
            section += [place] * count
            sensitive += [part.sensitive] * count
            mined = part.mined
            keep += [mined.keep] * count
            chances_of = [parts for chances in mined.noise_parts for parts in chances]
            noise += [parts / mined.noise_whole for parts in chances_of]
            unprotected += [part.sensitive and not parts for parts in chances_of]
        item = 0
        for question, p in zip(design.questions, keep, strict=True):
            chances = noise[item : item + question.codes]
            kind += [kinds.setdefault((p, chance), len(kinds)) for chance in chances]
            item += question.codes
        return cls(
            np.array(section, np.int32),
            np.array(sensitive),
            np.array(keep),
            np.array(noise),
            np.array(kind, np.int32),
            np.array(unprotected, np.bool_),
        )
