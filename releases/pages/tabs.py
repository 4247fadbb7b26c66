"""The tab of releases on the pages of a survey, and their place in the navigation."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_lazy as _

from surveys.pages import register_tab
from ui import home, navigation

if TYPE_CHECKING:
    from accounts.models import Person
    from surveys.models import Survey


def register() -> None:
    register_tab("releases", _("Releases"), "releases:of_survey", has_releases, rank=60)
    navigation.register(_("Releases"), "releases:index", navigation.signed_in, rank=45)
    home.register_waiting(to_sign)


def to_sign(person: "Person") -> Iterator[home.Waiting]:
    """The releases that this reviewer can approve or refuse."""
    from releases.models import Release  # late for Django

    for release in Release.objects.to_review_by(person):
        url, action = release.get_absolute_url(), gettext("Open the release")
        yield home.Waiting(gettext("A release to approve"), release.title(), url, action)


def has_releases(survey: "Survey", person: "Person") -> bool:
    return survey.design_id is not None and survey.state != survey.State.DESTROYED
