"""Disguises many simulated respondents at once, with numpy: a million in one call.

The laws are those of the devices of `privacy/kinds`, but the random numbers and their timing do not protect a person:
for simulations only. Answers are codes, one row per question.
"""

import numpy as np
from numpy.typing import NDArray

from privacy.designs.design import Design
from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.kinds.answer_code_array_type import Codes
from privacy.records.record import DISGUISED, OPEN
from privacy.simulation.simulation_registry import find_simulation

CHUNK = 1 << 13
"""Number of respondents simulated at a time, so that their random numbers stay in the processor's cache."""


def disguise(design: Design, group: NDArray[np.uint8], truth: Codes, rng: "np.random.Generator") -> Codes:
    """Disguises respondents with these groups and true codes; returns the codes of their records. Both codes are
    question x respondent, unlike a data frame.

    `Question.true_hidden_code` is the true code if a rule hides a question. Needs, besides its result, memory for
    one chunk; takes about the time that drawing its random numbers takes.
    """
    if truth.shape != (len(design.questions), len(group)):
        raise InputError("truth", _("must have a row for each question and a column for each respondent"))
    if not ((group == OPEN) | (group == DISGUISED)).all():
        raise InputError("group", _("must be OPEN or DISGUISED for each respondent"))
    most = max(question.not_applicable for question in design.questions)
    codes = np.empty(truth.shape, np.promote_types(truth.dtype, np.min_scalar_type(most)))
    for start in range(0, truth.shape[1], CHUNK):
        chunk = slice(start, start + CHUNK)
        _disguise_chunk(design, group[chunk] == OPEN, truth[:, chunk], codes[:, chunk], rng)
    return codes


def _disguise_chunk(
    design: Design, is_open: NDArray[np.bool_], truth: Codes, codes: Codes, rng: "np.random.Generator"
) -> None:
    first = 0
    for section in design.sections:
        rows = slice(first, first + len(section.questions))
        find_simulation(section).disguise(section, is_open, truth[rows], codes[rows], rng)
        first = rows.stop
