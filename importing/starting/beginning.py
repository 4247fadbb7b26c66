"""Makes a new draft from one of the questionnaires to start from."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import timezone

from importing.starting.questionnaires import StartingQuestionnaire
from surveys import draft as drafts
from surveys.lifecycle.create import store
from surveys.models import Survey

if TYPE_CHECKING:
    from people.models import Person


def begin_from(
    questionnaire: StartingQuestionnaire, person: "Person", languages: Sequence[str], now: datetime
) -> Survey:
    """A draft in these languages; this person asks."""
    draft = replace(
        questionnaire.draft.in_languages(languages),
        asker=dict.fromkeys(languages, person.name) if person.name else {},
        contact=person.email,
        retention=drafts.in_a_year(timezone.localdate(now)).isoformat(),
    )
    return store(person, draft.as_json(), "surveys.created", now)
