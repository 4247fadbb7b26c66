"""What is missing in a draft, as shown above every page of the builder."""

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from builder.settings.warnings import settings_warnings
from surveys.kinds.settings import USELESS, points
from surveys.lifecycle.draft_problems import problems
from surveys.questionnaire.problems import Problem
from surveys.questionnaire.questionnaire import Questionnaire


def missing_in(draft: Questionnaire) -> list[Problem]:
    return problems(draft.as_json(), timezone.localdate(), settings.LEAST_FLOOR)


def missing_text(draft: Questionnaire) -> str:
    items = missing_in(draft)
    if not items:
        margin = max((warning.margin for warning in settings_warnings(draft)), default=0.0)
        if margin > USELESS:
            return _("Nothing is missing, but a margin of error is ± %(points)s points") % {
                "points": points(margin)
            }
        return _("Nothing is missing")
    words = ngettext("%(count)s thing is missing", "%(count)s things are missing", len(items))
    return words % {"count": len(items)}
