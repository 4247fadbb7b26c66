"""Codes of records and of true answers as mining sees them: one row for each question of `Design.mined`."""

from collections.abc import Iterator

import numpy as np

from privacy.designs.design import Design
from privacy.kinds.codes import Codes
from privacy.kinds.number.section import WindowSection
from privacy.kinds.place.mined_codes import item_of_cell
from privacy.kinds.place.section import PlaceSection

UNMINED = 3
"""The code of an answer of which mining sees no choice, the number of a `window`; *not applicable* stays."""


def mined_rows(design: Design, codes: Codes) -> Iterator[Codes]:
    """From the codes of records, questions x records, the rows of the mined design, in order."""
    first = 0
    for section in design.sections:
        rows = codes[first : first + len(section.questions)]
        first += len(section.questions)
        if isinstance(section, WindowSection):
            yield unmined(rows[0] == section.question.not_applicable)
        elif isinstance(section, PlaceSection):
            yield item_of_cell(section.question)[rows[0]]
        else:
            yield from rows


def mined_codes(design: Design, codes: Codes) -> Codes:
    """The rows of the mined design as one table; these codes themselves where it is the design itself."""
    if design.mined is design:
        return codes
    table = np.empty((len(design.mined.questions), codes.shape[1]), codes.dtype)
    for row, of in zip(table, mined_rows(design, codes), strict=True):
        row[:] = of
    return table


def unmined(hidden: np.typing.NDArray[np.bool_]) -> Codes:
    """The row of a number of which mining sees no answer."""
    # A question without choices: its code 0 is *not asked*, 1 *not applicable*.
    return np.where(hidden, np.uint8(1), np.uint8(UNMINED))
