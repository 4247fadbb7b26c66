"""Ready-made questionnaires of this site: an administrator marks a survey, and everybody may copy its
questionnaire (nothing else of the survey)."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from privacy.designs.design import DUTIES
from surveys import draft_json
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.survey_creation import create_survey_from_draft
from surveys.models import ReadyMade, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_count import count_plain_and_sensitive_questions

if TYPE_CHECKING:
    from accounts.models import Person

KEYS_OF_THE_ASKER = ("asker", "contact", "logo", "logo_alt", "leave_to", draft_json.SITES, *DUTIES)
"""Keys of a draft about the people who ask; a copy does not get them, since somebody else asks there."""


@dataclass(frozen=True)
class ReadyMadeQuestionnaire:
    """A ready-made questionnaire in the list of the page *New survey*.

    `pk` is the survey's id, `questions` the number of all questions, `sensitive` that of the sensitive ones.
    """

    pk: int
    title: str
    questions: int
    sensitive: int


def ready_made_surveys() -> QuerySet[Survey]:
    return Survey.objects.filter(ready_made__isnull=False).exclude(state=Survey.State.DESTROYED)


def list_ready_made_questionnaires() -> list[ReadyMadeQuestionnaire]:
    found = []
    for survey in ready_made_surveys().select_related("design"):
        sections = read_questionnaire(survey.questionnaire).sections
        plain, sensitive = count_plain_and_sensitive_questions(sections)
        found.append(ReadyMadeQuestionnaire(survey.pk, str(survey), plain + sensitive, sensitive))
    return found


def mark_ready_made(survey: Survey, person: "Person", now: datetime) -> None:
    """Marks the survey's questionnaire as ready-made, so that everybody may start from a copy."""
    if survey.state == Survey.State.DESTROYED:
        raise NotAllowed(_("This survey has been deleted. You cannot change it."))
    with transaction.atomic():
        _row, is_new = ReadyMade.objects.get_or_create(
            survey=survey, defaults={"person": person, "when": now}
        )
        if is_new:
            log_activity(person, "surveys.ready-made", survey, when=now)


def unmark_ready_made(survey: Survey, person: "Person", now: datetime) -> None:
    """Removes the mark "ready-made" from the survey's questionnaire."""
    with transaction.atomic():
        if ReadyMade.objects.filter(survey=survey).delete()[0]:
            log_activity(person, "surveys.ready-made-ended", survey, when=now)


def create_from_ready_made(survey: Survey, person: "Person", now: datetime) -> Survey:
    """Creates a draft from a ready-made questionnaire; this person is its owner, and named as the one who asks."""
    today = timezone.localdate(now)
    copied = draft_json.draft_for_copy(survey.questionnaire, today, rehearsal=False)
    draft = read_questionnaire(draft_json.draft_without_keys(copied, *KEYS_OF_THE_ASKER))
    asker = dict.fromkeys(draft.languages, person.name) if person.name else {}
    retention = draft_json.date_in_365_days(today).isoformat()
    own = replace(draft, asker=asker, contact=person.email, retention=retention)
    return create_survey_from_draft(person, own.as_json(), "surveys.created", now)
