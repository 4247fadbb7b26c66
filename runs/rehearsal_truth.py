"""Compares what a rehearsal's run found with the true answers of its simulated respondents."""

from dataclasses import replace

import numpy as np
from django.db.models import QuerySet

from intake.rehearsal import truth as surveys_truth
from mining import truth
from mining.counts import padded
from privacy.designs import Design
from runs.models import Itemset, Run, numbers


def true_shares(run: Run) -> truth.RehearsalTruth | None:
    """The true answers of all simulated respondents, also of those whose records were not sealed when the run started.

    With arms of the disguised arm, the direct one beside it. None: nobody was simulated.
    """
    design = run.mined
    found = surveys_truth.read(run.survey) if design.rehearsal else None
    if found is None or not found.n:
        return None
    if design.has_arms and found.disguised:
        # Estimates are of the disguised arm alone.
        of = truth.RehearsalTruth.of_everybody(design, found.disguised.n, found.disguised.counts)
        return replace(of, direct=_direct(design, found, found.disguised))
    if not design.open_answers:
        return truth.RehearsalTruth.of_everybody(design, found.n, found.counts)
    apart = found.disguised
    return truth.RehearsalTruth(
        design, found.n, found.counts, truth.RehearsalTruth(design, apart.n, apart.counts) if apart else None
    )


def _direct(
    design: Design, everybody: surveys_truth.StoredTruth, disguised: surveys_truth.StoredTruth
) -> truth.RehearsalTruth:
    counts: dict[truth.Itemset, int] = {
        itemset: n - disguised.counts[itemset] for itemset, n in everybody.counts.items() if len(itemset) == 1
    }
    return truth.RehearsalTruth(design, everybody.n - disguised.n, counts)


def compared(run: Run, itemsets: QuerySet[Itemset] | None = None) -> truth.TruthComparison | None:
    """Compare the itemsets of a finished run, or these of them, in their order; None: nobody was simulated."""
    true = true_shares(run)
    if true is None:
        return None
    chosen = run.itemsets.all() if itemsets is None else itemsets
    rows = list(chosen.order_by("place").values_list("items", "support"))
    found = padded([numbers(items) for items, _support in rows])
    support = np.array([support for _items, support in rows], np.float64)
    return truth.compared(found, support, true, run.wanted)
