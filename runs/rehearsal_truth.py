"""Compares what a rehearsal's run found with the true answers of its simulated respondents."""

import numpy as np
from django.db.models import QuerySet

from intake.rehearsal import truth as surveys_truth
from mining import truth
from mining.counts import padded
from runs.models import Itemset, Run
from runs.result_rows import numbers


def true_shares(run: Run) -> truth.RehearsalTruth | None:
    """The true answers of all simulated respondents, also of those whose records were not sealed when the run started.

    With arms of the disguised arm, the direct one beside it. None: nobody was simulated.
    """
    design = run.mined
    true_counts = surveys_truth.read(run.survey) if design.rehearsal else None
    if true_counts is None or not true_counts.everybody.n:
        return None
    everybody = truth.PopulationTruth(design, true_counts.everybody.n, true_counts.everybody.counts)
    disguised = truth.PopulationTruth(design, true_counts.disguised.n, true_counts.disguised.counts)
    if design.has_arms:
        # Estimates are of the disguised arm alone.
        return truth.RehearsalTruth(disguised, disguised, _difference(everybody, disguised))
    return truth.RehearsalTruth(everybody if run.n_open else disguised, disguised)


def _difference(everybody: truth.PopulationTruth, disguised: truth.PopulationTruth) -> truth.PopulationTruth:
    counts: dict[truth.Itemset, int] = {
        itemset: n - disguised.counts[itemset] for itemset, n in everybody.counts.items() if len(itemset) == 1
    }
    return truth.PopulationTruth(everybody.design, everybody.n - disguised.n, counts)


def compared(run: Run, itemsets: QuerySet[Itemset] | None = None) -> truth.TruthComparison | None:
    """Compare the itemsets of a finished run, or these of them, in their order; None: nobody was simulated."""
    true = true_shares(run)
    if true is None:
        return None
    chosen = run.itemsets.all() if itemsets is None else itemsets
    rows = list(chosen.order_by("place").values_list("items", "support"))
    rows_of_items = padded([numbers(items) for items, _support in rows])
    support = np.array([support for _items, support in rows], np.float64)
    return truth.compared(rows_of_items, support, true, run.wanted, run.stored_verdict)
