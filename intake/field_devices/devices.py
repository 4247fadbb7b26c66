"""Makes, lists and withdraws field devices, and deletes them with their keys."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from intake.batches.overwrite_deleted import schedule_overwriting
from intake.endpoint.keyed_hashes_of_secrets import (
    HashedTextKind,
    get_or_create_survey_secret,
    hash_with_secret,
)
from intake.field_devices.models import FieldDevice, FieldLot
from surveys.lifecycle.field_device_keys import has_field_devices
from surveys.models import FieldKeys, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

MADE, WITHDRAWN = "intake.field-device-made", "intake.field-device-withdrawn"
TICKET_BYTES = 16
LOT = 50
"""Number of tokens in a lot; the last lot of a device may have fewer."""
STEP = 5
"""Rounding step for the number of people that a device reports to have asked."""


def lot_size(people: int, lot: int) -> int:
    """Returns how many tokens a device for `people` people gets in its portion (lot) number `lot`, counted from 0; 0 or
    less if there is no such lot."""
    return min(LOT, people - LOT * lot)


@dataclass(frozen=True)
class DeviceRow:
    """A row of the researchers' list of devices; `fetched` is the number of its tokens that were signed."""

    device: FieldDevice
    fetched: int

    @property
    def asked_text(self) -> str:
        """About how many people the device asked, as it reports, for display."""
        if self.device.asked < STEP:
            return _("fewer than %(step)s") % {"step": STEP}
        return _("about %(asked)s") % {"asked": self.device.asked}


def list_devices(survey: Survey) -> list[DeviceRow]:
    devices = FieldDevice.objects.filter(survey=survey).prefetch_related("lots").order_by("label", "pk")
    return [device_row(device) for device in devices]


def device_row(device: FieldDevice) -> DeviceRow:
    return DeviceRow(device, sum(lot_size(device.people, lot.number) for lot in device.lots.all()))


def make_device_and_ticket(survey: Survey, person: "Person", label: str, people: int, now: datetime) -> str:
    """Stores a device that waits for its set-up; returns the ticket of its set-up link, of which only the
    hash is stored."""
    with transaction.atomic():
        locked = Survey.objects.get_locked_while_records_arrive(survey.pk)
        if why := set_up_obstacle(locked):
            raise NotAllowed(why)
        ticket = secrets.token_urlsafe(TICKET_BYTES)
        hash_ = hash_with_secret(get_or_create_survey_secret(survey.pk), HashedTextKind.TICKET, ticket)
        FieldDevice.objects.create(survey=survey, label=label, people=people, ticket=hash_)
        log_activity(person, MADE, survey, note=label, when=now)
    return ticket


def set_up_obstacle(survey: Survey) -> str:
    """Returns the reason, as a message, why no device of this survey can be set up; empty if devices can be."""
    if not has_field_devices(survey.questionnaire):
        return _("Field devices have to be chosen in the settings before a survey is opened.")
    if survey.state != Survey.State.OPEN:
        return _("A field device can be set up only while the survey is open.")
    return ""


def withdraw_device(survey: Survey, person: "Person", pk: int, now: datetime) -> None:
    """Invalidates a device's set-up link and secret. Tokens that it has fetched stay valid, since nobody knows which
    they are."""
    with transaction.atomic():
        devices = FieldDevice.objects.filter(survey=survey, pk=pk, is_withdrawn=False)
        device = devices.select_for_update().first()
        if device is None:
            raise NotAllowed(_("This device was withdrawn already."))
        FieldDevice.objects.filter(pk=device.pk).update(is_withdrawn=True)
        log_activity(person, WITHDRAWN, survey, note=device.label, when=now)


def on_finishing(survey: Survey, **kwargs: Any) -> None:
    delete_devices_and_keys(survey.pk)


def on_everything_deleted(survey: int, **kwargs: Any) -> None:
    delete_devices_and_keys(survey)


def delete_devices_and_keys(survey: int) -> None:
    """Deletes the survey's devices and their private keys, so that no record sealed by a device can be
    decrypted any more."""
    for table, key in ((FieldLot, "device__survey"), (FieldDevice, "survey"), (FieldKeys, "survey")):
        if table._default_manager.filter(**{key: survey}).delete()[0]:
            schedule_overwriting(table)
