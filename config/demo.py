"""What ./run demo shows: two people, and a rehearsal that simulated respondents answer."""

import json
import secrets
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from people import demo as cast
from people.models import Person
from surveys import opening
from surveys.intake import rehearsing
from surveys.models import Survey

QUESTIONNAIRE = Path(__file__).with_name("demo.json")
RESPONDENTS = 20_000


@dataclass(frozen=True)
class Seeded:
    passwords: dict[str, tuple[str, str]]
    survey: Survey | None


def seed(now: datetime, *, empty: bool = False) -> Seeded:
    """Each start gives new passwords; the survey is made once, at the first."""
    chosen = {part: secrets.token_urlsafe(12) for part in cast.CAST}
    people = cast.seed(now, chosen)
    survey = None if empty else demonstration(people["researcher"], now)
    return Seeded({part: (people[part].username, chosen[part]) for part in cast.CAST}, survey)


def demonstration(owner: Person, now: datetime) -> Survey:
    questionnaire = json.loads(QUESTIONNAIRE.read_text())
    found = Survey.objects.filter(owner=owner, draft__title=questionnaire["title"]).order_by("pk").first()
    if found:
        return found
    survey = Survey.objects.create(owner=owner, draft={**questionnaire, "expected": RESPONDENTS})
    opening.open_now(survey, owner, now)
    rehearsing.start(survey, owner, RESPONDENTS, now)
    return survey
