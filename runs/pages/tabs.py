"""The tab of runs on the pages of a survey, and the history texts of mining."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from accounts.history_texts import announce
from surveys.tabs_and_warnings import register_tab

if TYPE_CHECKING:
    from accounts.models import Person
    from surveys.models import Survey


def announce_all() -> None:
    announce(
        {
            "mining.started": _("started a mining run"),
            "mining.modelled": _("specified a model of a run"),
            "mining.checked": _("had a run checked by mlxtend"),
            "mining.margins": _("uploaded weights"),
        }
    )
    register_tab("runs", _("Runs"), "runs:runs", has_runs, rank=40)


def has_runs(survey: "Survey", person: "Person") -> bool:
    return survey.design_id is not None and survey.state != survey.State.DESTROYED
