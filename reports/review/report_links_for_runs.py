"""Gives the pages of runs links to reports, and published rows to compare; registered in
`runs.result_reading_permissions`.
"""

from typing import TYPE_CHECKING

from django.utils import timezone
from django.utils.translation import gettext as _

from reports.models import Review
from reports.review import read_published_content, report_emails, report_state_changes
from runs.models import Run
from runs.result_reading_permissions import ReadableRows, RunLink
from surveys.tabs_and_warnings import url_or_empty

if TYPE_CHECKING:
    from accounts.models import Person


def published_rows(run: Run) -> ReadableRows | None:
    """Returns the published rows of a run: single answers, accepted rules, and the itemsets of these rules."""
    review = Review.objects.filter(run=run, state=Review.State.PUBLISHED).select_related("run").first()
    if review is None:
        return None
    itemsets = read_published_content.published_itemsets(review) | read_published_content.published_answers(
        review
    )
    return ReadableRows(itemsets, read_published_content.published_rules(review).order_by("place"))


def gets_report_email(run: Run, person: "Person") -> bool:
    """Returns True if the report of the run is not decided yet, and this person gets an e-mail when it is published."""
    review = Review.objects.filter(run=run).first()
    return (review is None or review.is_open) and report_emails.gets_publication_email(run.survey, person)


def report_links(run: Run, person: "Person") -> list[RunLink]:
    report_state_changes.create_reviews_of_finished_runs(timezone.now())
    review = Review.objects.filter(run=run).first()
    if review is None:
        return []
    if review.may(person, "read") or review.may(person, "read-undecided"):
        return [RunLink(_("Read the report"), url_or_empty("reports:shares", run.pk))]
    if review.may(person, "review"):
        return [RunLink(_("Review it"), review.reviewer_url)]
    return []
