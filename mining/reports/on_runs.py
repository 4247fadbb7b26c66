"""What reports add to the pages of runs: where to read a report, and which rows everybody may compare."""

from typing import TYPE_CHECKING

from django.db.models import Q
from django.utils.translation import gettext as _

from mining.models import Run
from mining.reports import deciding
from mining.reports.models import Review
from mining.runs.reading import Link, Readable
from surveys.pages import address

if TYPE_CHECKING:
    from people.models import Person


def published(run: Run) -> Readable | None:
    """The rows of what was published: single answers, accepted rules, and the itemsets that these consist of."""
    if not Review.objects.filter(run=run, state=Review.State.PUBLISHED).exists():
        return None
    rules = deciding.accepted(run).order_by("place")
    itemsets = run.itemsets.filter(Q(size=1) | deciding.parts_of(rules))
    return Readable(itemsets, rules, whole=False)


def links(run: Run, person: "Person") -> list[Link]:
    review = Review.objects.filter(run=run).first()
    if review is None:
        return []
    if review.state == Review.State.PUBLISHED and review.may(person, "read"):
        return [Link(_("Read the report"), address("reports:shares", run.pk))]
    if review.may(person, "review"):
        return [Link(_("Review it"), address("admin:reports_review_shares", run.pk))]
    return []
