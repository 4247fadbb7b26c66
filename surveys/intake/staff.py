"""What this room adds to the researcher's side: tabs of every survey, and words of the history."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from people.actions import announce
from surveys.pages import register_tab

if TYPE_CHECKING:
    from people.models import Person
    from surveys.models import Survey


def announce_all() -> None:
    announce(
        {
            "intake.invitations-made": _("made invitations"),
            "intake.invitations-mailed": _("sent invitations by mail"),
            "intake.reminders-mailed": _("sent reminders by mail"),
            "intake.rehearsed": _("let simulated respondents answer"),
            "intake.records-downloaded": _("downloaded record files"),
        }
    )
    register_tab("invitations", _("Invitations"), "intake-staff:invitations", may_invite, rank=30)
    register_tab("rehearse", _("Rehearse"), "intake-staff:rehearse", may_rehearse, rank=40)
    register_tab("records", _("Record files"), "intake-staff:records", has_records, rank=50)


def may_invite(survey: "Survey", person: "Person") -> bool:
    return survey.state != survey.State.DESTROYED and survey.may(person, "invite")


def may_rehearse(survey: "Survey", person: "Person") -> bool:
    return survey.is_rehearsal and survey.state == survey.State.OPEN and survey.may(person, "run")


def has_records(survey: "Survey", person: "Person") -> bool:
    return survey.design_id is not None and survey.state != survey.State.DESTROYED
