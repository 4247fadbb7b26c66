"""Stores changes of a draft and of its settings; refused once the survey has been opened."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.lifecycle import completion_code, field_device_keys, token_signing_key
from surveys.models import Survey
from surveys.questionnaire.closing_settings import EndSettings, SettingsConflict, settings_digest
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person


def edit_stored_draft(survey: Survey, edit: Callable[[Draft], Draft], **columns: Any) -> None:
    """Replaces the stored draft by `edit(draft)`, under a lock; `columns` are further columns of the row to set."""
    with transaction.atomic():
        locked = _load_locked_draft(survey)
        Survey.objects.filter(pk=locked.pk).update(draft=edit(locked.draft), **columns)
    survey.refresh_from_db()


def _load_locked_draft(survey: Survey) -> Survey:
    locked = Survey.objects.get_locked(survey.pk)
    if locked.state != Survey.State.DRAFT:
        raise NotAllowed(
            _("This survey is no longer a draft, so what it asks stays. Duplicate it to change it.")
        )
    return locked


@dataclass(frozen=True)
class DraftSettings:
    """Settings of a draft: its end, its smallest batch, whether people are invited, and the completion code.

    `exchanged`: invitations are exchanged for tokens (surveys.lifecycle.token_signing_key). `field_devices`:
    devices without a network may ask many people (surveys.lifecycle.field_device_keys).
    """

    end_settings: EndSettings
    least: int
    invited: bool
    completion: str = ""
    exchanged: bool = False
    field_devices: bool = False

    @property
    def digest(self) -> str:
        return settings_digest(self)


def stored_settings(survey: Survey) -> DraftSettings:
    end_settings = EndSettings(
        survey.closes, survey.cap, draft_json.read_retention_date(survey.draft), survey.at_once
    )
    exchanged = bool(draft_json.read_text(survey.draft, draft_json.INVITATION_KEY))
    field_devices = field_device_keys.has_field_devices(survey.draft)
    return DraftSettings(
        end_settings, survey.least, survey.invited, survey.completion or "", exchanged, field_devices
    )


def save_settings_and_unschedule_opening(
    survey: Survey, person: "Person", settings: DraftSettings, seen_digest: str, now: datetime
) -> bool:
    """Saves a draft's settings; returns True if that removed a scheduled opening time.

    `seen_digest` is the digest of the settings that the person saw; raises `SettingsConflict` if they have changed
    since.
    """
    wrong = [
        *settings.end_settings.find_problems(settings.least, now),
        *completion_code.completion_problems(settings.completion),
    ]
    if wrong:
        raise InputRefused(wrong)
    with transaction.atomic():
        locked = _load_locked_draft(survey)
        stored = stored_settings(locked)
        if settings.field_devices:
            # Looked for among locked rows: somebody may set a lasting disguise meanwhile.
            wrong = [*field_device_keys.field_device_problems(locked.draft, settings.completion)]
            if wrong:
                raise InputRefused(wrong)
        if settings == stored:
            return False
        if seen_digest != stored.digest:
            survey.refresh_from_db()
            raise SettingsConflict
        draft = (
            token_signing_key.add_invitation_key_to_draft(locked, locked.draft)
            if settings.exchanged
            else token_signing_key.delete_invitation_key_from_draft(locked, locked.draft)
        )
        draft = (
            field_device_keys.add_field_keys_to_draft(locked, draft)
            if settings.field_devices
            else field_device_keys.delete_field_keys_from_draft(locked, draft)
        )
        retention = settings.end_settings.destroy_on.isoformat() if settings.end_settings.destroy_on else ""
        Survey.objects.filter(pk=locked.pk).update(
            draft=draft_json.draft_with_values(draft, least=settings.least, retention=retention),
            closes=settings.end_settings.closes,
            cap=settings.end_settings.cap,
            at_once=settings.end_settings.at_once,
            invited=settings.invited,
            completion=settings.completion or None,
            opens=None,
        )
        log_activity(person, "surveys.settings-changed", locked, when=now)
        if locked.opens is not None:
            log_activity(person, "surveys.unscheduled", locked, when=now)
    survey.refresh_from_db()
    return locked.opens is not None
