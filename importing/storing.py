"""Makes a new draft of an imported questionnaire."""

from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import timezone

from privacy.designs.design import LEAST
from surveys import draft as drafts
from surveys.kinds.presets import followed
from surveys.lifecycle.create import store
from surveys.models import Survey
from surveys.questionnaire.questionnaire import Questionnaire

if TYPE_CHECKING:
    from people.models import Person

DEFAULTS = {"minutes": drafts.MINUTES, "least": LEAST, "expected": drafts.EXPECTED}
"""Values of a new draft, for keys that the file leaves out."""


def bring_in(person: "Person", draft: Questionnaire, now: datetime) -> Survey:
    whole = {**DEFAULTS, **followed(draft).as_json()}
    dated = drafts.copy_of(whole, timezone.localdate(now), rehearsal=draft.rehearsal)
    return store(person, dated, "surveys.imported", now)
