"""What a reviewer is told when something cannot be done with a report."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from mining.reports.models import Review
from surveys.refused import Refused

if TYPE_CHECKING:
    from people.models import Person

__all__ = ["Refused", "may_review"]


def may_review(review: Review, person: "Person") -> None:
    if not review.may(person, "review"):
        raise Refused(_("Nobody reviews a survey that they own, work on or have worked on."))
