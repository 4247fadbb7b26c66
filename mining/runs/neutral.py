"""A run as it is shown to whoever may not see its numbers: it waits, it runs, it is over.

That a size is counted at all says that something smaller was frequent; whoever chooses the thresholds would learn every
support from how far the runs come. So neither words nor the fraction nor what a page shows between two counts differs.
"""

from copy import copy

from django.utils.translation import gettext_noop

from jobs.models import State
from jobs.words import Words
from mining.models import Run


def neutral(run: Run) -> Run:
    shown = copy(run)
    shown.fraction, shown.words = None, {}
    if run.live and run.level:
        _unbroken(shown)
    if shown.state == State.RUNNING:
        shown.words = Words(gettext_noop("The records are being counted")).stored()
    return shown


def _unbroken(run: Run) -> None:
    """After each count of its shards a run waits for a worker; whoever saw that could number the counts."""
    if run.state == State.QUEUED:
        run.heartbeat = None
    if run.state == State.QUEUED or not run.worker:
        # As many as when it is claimed next.
        run.attempts += 1
    run.state = State.RUNNING
