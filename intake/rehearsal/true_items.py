"""True answers as mining sees them, and beside them what is true of whole numbers and places."""

from collections.abc import Iterator

import numpy as np

from privacy.designs import Design, Section
from privacy.kinds.codes import Codes
from privacy.kinds.simulation import TrueNumber
from privacy.simulation.kinds import simulation_of


def true_items(design: Design, truth: Codes) -> Codes:
    """The true codes of the questions of `design.mined`; these themselves where there are no numbers or places."""
    if design.mined is design:
        return truth
    return np.concatenate([simulation_of(of).true_items(of, rows) for of, rows in _sections(design, truth)])


def true_numbers(design: Design, truth: Codes) -> dict[str, TrueNumber]:
    """By the name of a number or place."""
    found = {}
    for section, rows in _sections(design, truth):
        question = section.questions[0]
        true = simulation_of(section).true_number(section, rows[0][rows[0] != question.true_hidden])
        if true:
            found[question.name] = true
    return found


def _sections(design: Design, truth: Codes) -> Iterator[tuple[Section, Codes]]:
    first = 0
    for section in design.sections:
        rows = slice(first, first + len(section.questions))
        first = rows.stop
        yield section, truth[rows]
