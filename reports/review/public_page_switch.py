"""Opens and closes the public page of a report, which everybody with its address can read."""

import secrets
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import site_address
from accounts.activity_log import log_activity
from accounts.deactivated_account_activities import ContinuingActivity
from reports.models import Review
from surveys.questionnaire.problems_and_refusals import NotAllowed
from ui import pdf

if TYPE_CHECKING:
    from accounts.models import Person

TOKEN_BYTES = 16
CACHED_MINUTES = 5
"""Minutes for which browsers and caches may show the page without asking whether it is still open."""


def public_page_url(review: Review) -> str:
    """Returns the full address of the public page; empty if it is closed."""
    token = review.public_token
    return site_address.site_url(reverse("public:page", args=[token])) if token else ""


def open_page(review: Review, person: "Person", now: datetime) -> None:
    """Opens the public page at a new random address; an earlier address never leads to it again."""
    with transaction.atomic():
        _require_right_to_share(review, person)
        rows = Review.objects.filter(pk=review.pk, state=Review.State.PUBLISHED, public_token=None)
        if not rows.update(public_token=secrets.token_urlsafe(TOKEN_BYTES)):
            raise NotAllowed(_("This report has a public page already."))
        log_activity(person, "reports.public-opened", review.survey, note=f"{review.run}.", when=now)


def close_page(review: Review, person: "Person", now: datetime) -> None:
    """Closes the public page; its address no longer works."""
    with transaction.atomic():
        _require_right_to_share(review, person)
        _close(review, person, now)


def open_pages_of_owner(person: "Person") -> Iterator[ContinuingActivity]:
    """Yields the open public pages of published reports on this person's surveys."""
    published = Review.objects.filter(run__survey__owner=person, state=Review.State.PUBLISHED)
    for review in published.exclude(public_token=None):
        yield ContinuingActivity(
            f"page-{review.pk}",
            _("Public page: %(survey)s, %(report)s") % {"survey": review.survey, "report": review},
            _("Everybody with its address reads it. Ended: the address leads nowhere."),
            public_page_url(review),
            partial(_close, review),
        )


def _close(review: Review, person: "Person", now: datetime) -> None:
    with transaction.atomic():
        rows = Review.objects.filter(pk=review.pk).exclude(public_token=None)
        if not rows.update(public_token=None):
            raise NotAllowed(_("This report has no public page."))
        log_activity(person, "reports.public-closed", review.survey, note=f"{review.run}.", when=now)


def _require_right_to_share(review: Review, person: "Person") -> None:
    if not Review.objects.get_locked(review.pk).may(person, "share"):
        raise NotAllowed(_("Only the owner of a survey shares its published report."))


def sharing_context(person: "Person", review: Review) -> dict[str, Any]:
    """Returns the template context on printing and on the public page, for the page of files."""
    return {
        "may_share": review.may(person, "share"),
        "public_address": public_page_url(review),
        "cached_minutes": CACHED_MINUTES,
        "offers_pdf": pdf.is_pdf_available(),
        "missing_packages": ", ".join(pdf.missing_packages()),
        "papers": pdf.PAPERS,
    }
