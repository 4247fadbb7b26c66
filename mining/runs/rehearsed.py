"""What a rehearsal's run found against what its simulated respondents truly answered."""

import numpy as np
from django.db.models import QuerySet

from mining import truth
from mining.counts import filled
from mining.models import Itemset, Run, numbers
from surveys.intake import truth as kept


def compared(run: Run, itemsets: QuerySet[Itemset] | None = None) -> truth.Compared | None:
    """Of a run that is done, its itemsets or only these of them, in their order; None where nobody was simulated.

    The truth is that of all simulated respondents, those included whose records no batch held when the run started.
    """
    known = kept.read(run.survey) if run.content.rehearsal else None
    if known is None or not known.n:
        return None
    chosen = run.itemsets.all() if itemsets is None else itemsets
    rows = list(chosen.order_by("place").values_list("items", "support"))
    found = filled([numbers(items) for items, _support in rows])
    support = np.array([support for _items, support in rows], np.float64)
    return truth.compared(found, support, truth.Kept(run.content, known.n, known.counts), run.wanted)
