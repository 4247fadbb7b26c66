"""Writing a changed draft down; opened surveys refuse."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _

from people.history import record
from surveys import draft as drafts
from surveys.draft import Draft
from surveys.models import Survey
from surveys.refused import NotReady, Refused
from surveys.terms import SettledOtherwise, Terms, digest_of

if TYPE_CHECKING:
    from people.models import Person


def change(survey: Survey, changed: Callable[[Draft], Draft], **columns: Any) -> None:
    """Apply a pure function to the draft as it is stored now, whoever else writes meanwhile."""
    with transaction.atomic():
        kept = _locked_draft(survey)
        Survey.objects.filter(pk=kept.pk).update(draft=changed(kept.draft), **columns)
    survey.refresh_from_db()


def _locked_draft(survey: Survey) -> Survey:
    kept = Survey.objects.locked(survey.pk)
    if kept.state != Survey.State.DRAFT:
        raise Refused(
            _("This survey is no longer a draft, so what it asks stays. Duplicate it to change it.")
        )
    return kept


@dataclass(frozen=True)
class Settings:
    """What the settings page asks of a draft: when it will end, the smallest batch, who may answer."""

    terms: Terms
    least: int
    invited: bool

    @property
    def digest(self) -> str:
        return digest_of(self)


def settings_of(survey: Survey) -> Settings:
    terms = Terms(survey.closes, survey.cap, drafts.retention(survey.draft))
    return Settings(terms, survey.least, survey.invited)


def settle(survey: Survey, person: "Person", wanted: Settings, base: str, now: datetime) -> bool:
    """`base` is the digest of what was looked at. True if that withdrew an opening time, set for other settings."""
    wrong = list(wanted.terms.problems(wanted.least, now))
    if wrong:
        raise NotReady(wrong)
    with transaction.atomic():
        kept = _locked_draft(survey)
        stored = settings_of(kept)
        if wanted == stored:
            return False
        if base != stored.digest:
            survey.refresh_from_db()
            raise SettledOtherwise
        retention = wanted.terms.destroy_on.isoformat() if wanted.terms.destroy_on else ""
        Survey.objects.filter(pk=kept.pk).update(
            draft=drafts.changed(kept.draft, least=wanted.least, retention=retention),
            closes=wanted.terms.closes,
            cap=wanted.terms.cap,
            invited=wanted.invited,
            opens=None,
        )
        record(person, "surveys.settings-changed", kept, when=now)
        if kept.opens is not None:
            record(person, "surveys.unscheduled", kept, when=now)
    survey.refresh_from_db()
    return kept.opens is not None
