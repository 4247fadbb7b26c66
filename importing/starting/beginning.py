"""Makes a new draft from one of the questionnaires to start from."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import timezone

from importing.starting.questionnaires import Questionnaire, in_languages
from surveys import draft as drafts
from surveys.create import store
from surveys.draft import Draft
from surveys.models import Survey

if TYPE_CHECKING:
    from people.models import Person


def begin_from(
    questionnaire: Questionnaire, person: "Person", languages: Sequence[str], now: datetime
) -> Survey:
    """A draft in these languages; this person asks."""
    draft: Draft = {
        **in_languages(questionnaire.draft, languages),
        "asker": dict.fromkeys(languages, person.name) if person.name else {},
        "contact": person.email,
        "retention": drafts.in_a_year(timezone.localdate(now)).isoformat(),
    }
    return store(person, draft, "surveys.created", now)
