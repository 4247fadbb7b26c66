"""From the cell of a record to the choice that mining sees."""

import numpy as np

from privacy.kinds.codes import Codes
from privacy.kinds.place.form import PlaceQuestion


def item_of_cell(question: PlaceQuestion) -> Codes:
    """By code of a record the code that mining sees; where a rule hides the place, *not asked*."""
    law = question.law
    items = np.full(question.not_applicable + 1, len(law.regions), np.uint8)
    for place, region in enumerate(law.regions):
        items[list(region)] = place
    items[[question.not_asked, question.not_applicable]] = len(question.item_choices)
    return items
