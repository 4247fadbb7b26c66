"""From the cell of a record to the choice that mining sees."""

import numpy as np

from privacy.kinds.codes import Codes
from privacy.kinds.place.section import PlaceQuestion


def item_of_cell(question: PlaceQuestion) -> Codes:
    """By code of a record the code that mining sees; where a rule hides the place, *not asked*."""
    return np.array(question.item_by_code, np.uint8)
