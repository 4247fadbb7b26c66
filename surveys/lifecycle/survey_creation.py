"""Creates surveys: a new draft, a copy, a rehearsal, a new wave, or one survey for each of several rounds."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from privacy.mechanisms.permanent_draws import study_fingerprint
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.kinds.apply_protection_presets import apply_presets
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import asked_at, token_signing_key
from surveys.models import Design, Survey
from surveys.questionnaire import hypotheses
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.questionnaire import Questionnaire

if TYPE_CHECKING:
    from accounts.models import Person


def may_create_surveys(person: "Person") -> bool:
    return person.is_researcher or person.is_superuser


def create_new_survey(
    person: "Person",
    title: str,
    language: str,
    now: datetime,
    change_questionnaire: Callable[[Questionnaire], Questionnaire] = apply_presets,
) -> Survey:
    """Creates a survey whose draft is the usual new draft, changed by `change_questionnaire`."""
    today = timezone.localdate(now)
    draft = draft_json.new_draft_with_two_sections(
        title, language, today, asker=person.name, contact=person.email
    )
    return create_survey_from_draft(
        person, change_questionnaire(read_questionnaire(draft)).as_json(), "surveys.created", now
    )


def create_survey_from_draft(person: "Person", draft: Draft, action: str, now: datetime) -> Survey:
    """Creates a survey with this draft; `action` is the key of its entry in the history."""
    with transaction.atomic():
        # A file may name the keys of another survey.
        draft = draft_json.draft_without_keys(draft, *draft_json.OWN_KEYS)
        survey = _create_survey(person, draft)
        log_activity(person, action, survey, when=now)
    return survey


def duplicate_survey(
    survey: Survey, person: "Person", now: datetime, *, rehearsal: bool = False, as_new_wave: bool = False
) -> Survey:
    """Creates a draft with the same questions, and with open link or invitations like the original.

    `as_new_wave`: the copy is a new wave, which asks again and is compared with this survey; the wave of a rehearsal is
    a rehearsal.
    """
    if not survey.questionnaire:
        raise NotAllowed(_("Nothing is left of this draft that could be copied."))
    rehearsal = rehearsal or (as_new_wave and survey.is_rehearsal)
    draft = draft_json.draft_for_copy(survey.questionnaire, timezone.localdate(now), rehearsal=rehearsal)
    if survey.design_id is None and survey.owner_id == person.pk:
        # Only the owner and reviewers see hypotheses; frozen ones belong to the survey that was opened.
        plan = hypotheses.plan_for_copy(survey.questionnaire.get(hypotheses.KEY), hypotheses.random_salt())
        draft = draft_json.draft_with_values(draft, plan=plan) if plan else draft
    if as_new_wave:
        if not may_have_new_wave(survey):
            raise NotAllowed(
                _("Only a survey that was opened can be asked again. Choose a new survey instead.")
            )
        draft = draft_json.draft_with_values(draft, follows=survey.design_id)
        design = Design.load_parsed(survey.design_id)
        if design.lasting_sections:
            draft = draft_json.draft_with_values(draft, study=study_fingerprint(design))
    with transaction.atomic():
        copy = _create_survey(person, draft, invited=survey.invited)
        if draft_json.read_text(survey.questionnaire, draft_json.INVITATION_KEY):
            _add_invitation_key(copy)
        action = "surveys.rehearsal-made" if rehearsal else "surveys.duplicated"
        log_activity(person, action, survey, when=now)
        log_activity(person, "surveys.created", copy, when=now)
    return copy


def create_parallel_rounds(survey: Survey, person: "Person", rounds: int, now: datetime) -> list[Survey]:
    """Creates one draft for each round, all with the same questions and by invitation; each person will be
    invited to one of them."""
    if not survey.questionnaire:
        raise NotAllowed(_("Nothing is left of this draft that could be copied."))
    if any(section.is_lasting for section in read_questionnaire(survey.questionnaire).sections):
        raise NotAllowed(
            _(
                "A disguise of this survey lasts, for people who are asked again. End that on the Protection "
                "page first."
            )
        )
    draft = draft_json.draft_for_copy(survey.questionnaire, timezone.localdate(now), rehearsal=False)
    surveys = []
    with transaction.atomic():
        for number in range(1, rounds + 1):
            title = {code: f"{words} ({number}/{rounds})" for code, words in draft["title"].items()}
            copy = draft_json.draft_with_values(draft, rounds=rounds, title=title)
            surveys.append(_create_survey(person, copy, invited=True))
            if token_signing_key.exchanges_invitations_by_default(copy):
                _add_invitation_key(surveys[-1])
            log_activity(person, "surveys.created", surveys[-1], when=now)
        log_activity(person, "surveys.duplicated", survey, when=now)
    return surveys


def _create_survey(person: "Person", draft: Draft, *, invited: bool = False) -> Survey:
    survey = Survey(owner=person, draft=draft, invited=invited)
    # A copy or a file names the records of another survey.
    survey.draft = asked_at.with_own_record_address(survey, draft)
    survey.save()
    return survey


def _add_invitation_key(survey: Survey) -> None:
    survey.draft = token_signing_key.add_invitation_key_to_draft(survey, survey.draft)
    survey.save(update_fields=["draft"])


def may_have_new_wave(survey: Survey) -> bool:
    """True if the survey can be repeated as a new wave: it was opened, and is no rehearsal unless its
    disguise is lasting."""
    design = Design.load_parsed(survey.design_id) if survey.design_id else None
    return design is not None and (not design.rehearsal or bool(design.lasting_sections))


def would_copy_repeat_sensitive_questions(survey: Survey) -> bool:
    """True if a copy of this survey would ask people the same sensitive questions a second time."""
    return (
        may_have_new_wave(survey)
        and not survey.is_rehearsal
        and read_questionnaire(survey.questionnaire).has_disguised_sections
    )
