"""One at a time changes a report: whoever holds the row of its run, which destruction waits for too."""

from django.utils.translation import gettext as _

from mining.models import Run
from mining.reports.models import Review
from mining.reports.refused import Refused


def held(run: int) -> Review:
    """The report as it is stored now; nobody else changes it, nor what hangs from it, before the transaction ends."""
    review = Review.objects.filter(run=run).first() if Run.objects.held(run) else None
    if review is None:
        raise Refused(_("The answers of this survey have been destroyed."))
    return review
