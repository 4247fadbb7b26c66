"""Sentences that explain results in the reader's language, for modules without Django."""

from django.utils.translation import gettext as _


def backtest_caveat() -> str:
    """Returns the caveat shown with every result of a backtest."""
    return _(
        "The backtest assumes every rule is exactly as strong as estimated. Reported rules tend"
        " to be overestimated (winner’s curse), so expect 10 to 25 percentage points less in"
        " practice. This is not the probability that a rule is true."
    )
