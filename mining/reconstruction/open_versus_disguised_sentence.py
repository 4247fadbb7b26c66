"""Sentences on the result of the test that compares open and disguised respondents."""

from collections.abc import Callable

import numpy as np

from mining.queries_and_counters import Item
from mining.reconstruction.open_versus_disguised_test import GroupTestResult
from privacy.grammar.reader_language import ENGLISH, Language

MOST_NAMED = 3


def group_test_sentence(
    test: GroupTestResult, item_name: Callable[[Item], str], language: Language = ENGLISH
) -> str:
    """Returns sentences on whether open and disguised people answer alike (the group test), for a reader who chooses an
    estimator."""
    _ = language.gettext
    if not test.items:
        return _(
            "Too few answered in one of the two groups to compare people who chose no disguise with the others."
        )
    return (
        _difference_sentence(test, item_name, language)
        if test.any_differs
        else _no_difference_sentence(test, item_name, language)
    )


def _no_difference_sentence(
    test: GroupTestResult, item_name: Callable[[Item], str], language: Language
) -> str:
    _ = language.gettext
    # Where no difference is found four times out of five, even the largest may be missed.
    missable = np.nan_to_num(np.fmax(test.more, test.fewer), nan=1.0)
    largest = int(np.argmax(missable))
    missed = {"points": f"{100 * missable[largest]:.1f}", "item": item_name(test.items[largest])}
    if len(test.items) == 1:
        return (
            _(
                "No difference was found between people who chose no disguise and the others in the answer that was "
                "compared. This does not show that they are alike: a difference of %(points)s percentage points "
                "(%(item)s) would have been missed one time in five, a smaller one more often."
            )
            % missed
        )
    return _(
        "No difference was found between people who chose no disguise and the others in the answers that were "
        "compared. This does not show that they are alike: a difference of %(points)s percentage points (%(item)s) "
        "would have been missed one time in five if this answer were tested alone, and more often among the %(many)s "
        "answers that were compared; a smaller one still more often."
    ) % (missed | {"many": len(test.items)})


def _difference_sentence(test: GroupTestResult, item_name: Callable[[Item], str], language: Language) -> str:
    _ = language.gettext
    rows = sorted(np.flatnonzero(test.differs), key=lambda row: float(test.p[row]))
    named = [
        _("%(item)s (%(open)s %% of the answers not disguised, %(disguised)s %% of the disguised ones)")
        % {
            "item": item_name(test.items[row]),
            "open": f"{100 * test.open[row]:.0f}",
            "disguised": f"{100 * test.disguised[row]:.0f}",
        }
        for row in rows[:MOST_NAMED]
    ]
    more = len(rows) - len(named)
    if more:
        named.append(
            language.ngettext("%(count)s more answer", "%(count)s more answers", more) % {"count": more}
        )
    return _(
        "People who chose no disguise are not like the others: %(answers)s. The pooled and the combined estimates "
        "assume that they are, and would mislead here; the stratified one does not."
    ) % {"answers": "; ".join(named)}
