"""Disguises a million simulated respondents at once, with numpy.

The laws are those of the devices of `privacy/kinds`, but the random numbers and their timing do not protect a person:
for simulations only. Answers are codes, one row per question.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privacy.designs.design import Design
from privacy.designs.record import OPEN
from privacy.kinds.codes import Codes
from privacy.kinds.grouped import simulation as grouped
from privacy.kinds.grouped.form import UnrelatedQuestionSection
from privacy.kinds.plain import simulation as plain
from privacy.kinds.plain.form import PlainSection

CHUNK = 1 << 13
"""Respondents at a time, so that their random numbers stay in the processor's cache."""


class SectionSimulation(Protocol):
    """The module `simulation` of a kind; each takes sections of its own kind only."""

    def disguise(
        self, section: Any, is_open: NDArray[np.bool_], truth: Codes, codes: Codes, rng: np.random.Generator
    ) -> None:
        """Write the codes of a section's questions, one row each, in place."""
        ...


SIMULATIONS: Mapping[str, SectionSimulation] = MappingProxyType(
    {PlainSection.kind: plain, UnrelatedQuestionSection.kind: grouped}
)


def disguise(design: Design, group: NDArray[np.uint8], truth: Codes, rng: np.random.Generator) -> Codes:
    """The codes of the records of respondents with these true codes (*not applicable* included).

    Needs, beyond its result, memory for one chunk; costs about what its random numbers cost.
    """
    codes = np.empty_like(truth)
    for start in range(0, truth.shape[1], CHUNK):
        chunk = slice(start, start + CHUNK)
        _disguise_chunk(design, group[chunk] == OPEN, truth[:, chunk], codes[:, chunk], rng)
    return codes


def _disguise_chunk(
    design: Design, is_open: NDArray[np.bool_], truth: Codes, codes: Codes, rng: np.random.Generator
) -> None:
    first = 0
    for section in design.sections:
        rows = slice(first, first + len(section.questions))
        SIMULATIONS[section.kind].disguise(section, is_open, truth[rows], codes[rows], rng)
        first = rows.stop
