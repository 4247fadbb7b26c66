"""Which models of a run a person may read: reviewers all that are fitted, everybody else the published ones."""

from typing import TYPE_CHECKING

from django.db.models import QuerySet
from django.urls import reverse

from reports.models import Review
from runs.models import Model, ModelJob

if TYPE_CHECKING:
    from people.models import Person


def models_of(review: Review, *, whole: bool) -> QuerySet[Model]:
    """In the order in which they were specified; `whole` for reviewers."""
    rows = Model.objects.filter(run=review.run_id).select_related("job", "publication__by")
    return (rows if whole else rows.filter(publication__isnull=False)).order_by("job__number")


def url_of(job: ModelJob, person: "Person") -> str:
    """Where this person reads the numbers of a model; empty where they may not."""
    model = Model.objects.filter(job=job).select_related("publication").first()
    review = Review.objects.filter(run=job.run_id).first()
    if model is None or review is None:
        return ""
    anchor = f"#model-{job.number}"
    if review.may(person, "review"):
        return reverse("admin:reports_review_models", args=[review.pk]) + anchor
    if hasattr(model, "publication") and review.may(person, "read"):
        return reverse("reports:models", args=[review.pk]) + anchor
    return ""
