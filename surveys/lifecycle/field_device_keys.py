"""The two keys of a survey with field devices: one signs their tokens, one decrypts their sealed records.

Both public halves are in the draft, and so in the design and its fingerprint: a server cannot give each
device different keys, which would identify the device. Keys are made when the switch is saved, belong to one
survey, and never change after opening.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.utils.translation import gettext as _

from privacy.blind_signatures.protocol import PrivateKey
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.field_record_encryption import make_sealing_key, public_sealing_key
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.token_signing_key import key_from_primes, make_primes
from surveys.models import FieldKeys, Survey
from surveys.questionnaire.problems_and_refusals import Problem

KEYS = (draft_json.TOKEN_KEY, draft_json.SEALING_KEY)
SWITCH = "field_devices"
"""Name of the setting that switches field devices on."""


def add_field_keys_to_draft(survey: Survey, draft: Draft) -> Draft:
    """Adds the public halves of the survey's keys to the draft; creates the keys if there are none."""
    row = FieldKeys.objects.filter(survey=survey).first()
    if row is None:
        row = FieldKeys.objects.create(survey=survey, primes=make_primes(), sealing=make_sealing_key()[0])
    return draft_json.draft_with_values(draft, **_public_keys(row))


def delete_field_keys_from_draft(survey: Survey, draft: Draft) -> Draft:
    """Deletes the survey's keys, and removes their public halves from the draft."""
    FieldKeys.objects.filter(survey=survey).delete()
    return draft_json.draft_without_keys(draft, *KEYS)


def has_field_devices(draft: Draft) -> bool:
    return any(draft_json.read_text(draft, key) for key in KEYS)


def private_field_token_key(survey: int) -> PrivateKey | None:
    """Returns the private key that signs tokens of the survey's field devices; None if there is no such key, or it was
    deleted."""
    primes = FieldKeys.objects.filter(survey=survey).values_list("primes", flat=True).first()
    return key_from_primes(bytes(primes)) if primes else None


def private_sealing_key(survey: int) -> bytes | None:
    """Returns the private key that decrypts records of the survey's field devices; None if there is no such key, or it
    was deleted."""
    key = FieldKeys.objects.filter(survey=survey).values_list("sealing", flat=True).first()
    return bytes(key) if key else None


def field_grace_period(survey: Survey) -> timedelta:
    """Returns how long after its closing the survey accepts waiting records of its field devices; 0 without field
    devices."""
    has_devices = survey.design is not None and survey.design.content.has_field_devices
    return timedelta(days=settings.FIELD_GRACE_DAYS if has_devices else 0)


def sending_deadline(survey: Survey, now: datetime) -> datetime | None:
    """Returns the time until which field devices may still send records to a closed survey; None if they may not."""
    if survey.state != Survey.State.CLOSED or survey.closed_at is None:
        return None
    end = survey.closed_at + field_grace_period(survey)
    return end if end > now else None


def has_no_foreign_field_keys(survey: Survey, draft: Draft) -> bool:
    """True if the draft has no keys, or this survey's own.

    Keys that came with a file or a copy belong to another survey, and decrypt nothing here.
    """
    if not has_field_devices(draft):
        return True
    row = FieldKeys.objects.filter(survey=survey).first()
    named = {key: draft_json.read_text(draft, key) for key in KEYS}
    return row is not None and _public_keys(row) == named


def field_device_problems(draft: Draft, completion: str) -> Iterator[Problem]:
    """Yields the reasons why this draft cannot be answered on field devices: a lasting disguise, or a completion code.

    A field device asks many people, one after the other, and identifies none.
    """
    if any(section.is_lasting for section in read_questionnaire(draft).sections):
        yield Problem(
            SWITCH,
            _(
                "are not possible where a disguise lasts: it needs a person’s code, and a device keeps nothing of a"
                " person"
            ),
        )
    if completion or draft_json.start_page_promises_completion_code(draft):
        yield Problem(
            SWITCH,
            _(
                "are not possible with a completion code: it comes with the reply to a record, when the person has left"
            ),
        )


def _public_keys(row: FieldKeys) -> dict[str, str]:
    token_key = key_from_primes(bytes(row.primes)).public.text
    return dict(zip(KEYS, (token_key, public_sealing_key(bytes(row.sealing))), strict=True))
