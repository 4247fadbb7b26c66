"""The tab of releases on the pages of a survey, and their place in the navigation."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from look import navigation
from surveys.pages import register_tab

if TYPE_CHECKING:
    from people.models import Person
    from surveys.models import Survey


def register() -> None:
    from releases.models import Release  # late for Django

    register_tab("releases", _("Releases"), "releases:of_survey", has_releases, rank=60)
    navigation.register(
        _("Releases"),
        "releases:index",
        navigation.signed_in,
        hint=_(
            "Anonymised tables: from answers to surveys that are not disguised, or from a table of your own."
        ),
        rank=45,
        waiting=lambda person: len(Release.objects.to_review_by(person)),
    )


def has_releases(survey: "Survey", person: "Person") -> bool:
    return survey.design_id is not None and survey.state != survey.State.DESTROYED
