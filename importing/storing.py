"""Makes a new draft of an imported questionnaire."""

from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import timezone

from privacy.designs.design import LEAST
from surveys import draft as drafts
from surveys.create import store
from surveys.draft import Draft
from surveys.kinds.presets import followed
from surveys.models import Survey

if TYPE_CHECKING:
    from people.models import Person

DEFAULTS = {
    "contact": "",
    "minutes": drafts.MINUTES,
    "least": LEAST,
    "retention": "",
    "open_answers": False,
    "rehearsal": False,
    "expected": drafts.EXPECTED,
}
"""Values of a new draft, for keys that the file leaves out."""


def bring_in(person: "Person", draft: Draft, now: datetime) -> Survey:
    whole = {**DEFAULTS, **followed(draft)}
    dated = drafts.copy_of(whole, timezone.localdate(now), rehearsal=whole["rehearsal"] is True)
    return store(person, dated, "surveys.imported", now)
