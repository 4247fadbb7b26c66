"""The warning on a survey's page and in lists where records look forged; it never says how many."""

from collections.abc import Collection, Mapping

from django.db.models import Count
from django.utils.translation import gettext as _

from runs.forgery import measuring
from runs.forgery.models import Measured
from surveys.models import Survey
from surveys.survey_warnings import SurveyWarning


def warnings(surveys: Collection[Survey]) -> Mapping[int, SurveyWarning]:
    affected = measuring.surveys_with_excess([survey.pk for survey in surveys])
    if not affected:
        return {}
    words = SurveyWarning(
        _("looks forged"),
        _("Some answers look forged"),
        _(
            "More disguised answers are identical than the disguise explains, so someone has probably sent copies. "
            "If they still arrive, pause the survey. Invitation links prevent this: each of them counts once."
        ),
    )
    return dict.fromkeys(affected, words)


def operators_fact() -> tuple[str, int]:
    """For operators."""
    totals = Measured.objects.filter(excess__gt=0).aggregate(n=Count("survey", distinct=True))
    return _("Surveys in which answers look forged"), totals["n"]
