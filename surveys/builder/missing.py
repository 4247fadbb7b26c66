"""What is missing in a draft, as shown above every page of the builder."""

from collections.abc import Sequence

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from surveys.draft import Draft
from surveys.problems import Problem, problems


def missing_in(draft: Draft) -> list[Problem]:
    return problems(draft, timezone.localdate(), settings.LEAST_FLOOR)


def missing_text(found: Sequence[Problem]) -> str:
    if not found:
        return _("Nothing is missing")
    words = ngettext("%(count)s thing is missing", "%(count)s things are missing", len(found))
    return words % {"count": len(found)}
