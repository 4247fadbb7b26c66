"""By what rights a report was decided on, as each decision stores it; no setting of today is asked."""

from typing import Any

from django.db.models import QuerySet

from reports.models import Decision, ModelDecision, ModelPublication, Publication
from runs.models import Run
from surveys.models import Approval
from surveys.permission import Basis


def bases_used(run: Run) -> frozenset[Basis]:
    """The rights by which anybody decided on a rule or a model, published, or allowed settings and files.

    Also of decisions that were taken back: whoever took part did.
    """
    rows: list[QuerySet[Any]] = [
        Decision.objects.filter(rule__run=run),
        ModelDecision.objects.filter(model__run=run),
        ModelPublication.objects.filter(model__run=run),
        Publication.objects.filter(run=run),
        Approval.objects.filter(survey=run.survey_id, fingerprint=run.design),
    ]
    first, *others = (
        kind.exclude(basis=None).order_by().values_list("basis", flat=True).distinct() for kind in rows
    )
    return frozenset(map(Basis, first.union(*others)))
