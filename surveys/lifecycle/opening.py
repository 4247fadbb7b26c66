"""Opens a survey: its draft is checked and frozen into a design, which never changes again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from accounts.models import History
from privacy import designs
from privacy.designs import hypothesis_plan as plans
from privacy.guarantee.repeated_surveys import check_lasting_sections, refuse_repeated_secrets
from surveys import draft_json
from surveys.kinds.protection_page_elements import NEVER, SettingsWarning
from surveys.kinds.read_draft import read_stored_questionnaire
from surveys.lifecycle import (
    asked_at,
    completion_code,
    field_device_keys,
    reviewer_approvals,
    token_signing_key,
)
from surveys.lifecycle.design_from_draft import freeze_design, freeze_design_cached, untranslated_phrases
from surveys.lifecycle.draft_problems import draft_problems
from surveys.lifecycle.earlier_designs import are_all_earlier_designs_stored, earlier_designs
from surveys.lifecycle.state_changes import setting_history_text, state_change_refusal_text
from surveys.models import Design, Logo, Plan, Survey
from surveys.questionnaire.closing_settings import EndSettings
from surveys.questionnaire.hypotheses import KEY, read_plan
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed, Problem, reason_text
from surveys.questionnaire.protection import find_weak_settings
from surveys.questionnaire.question_block_editing import all_blocks, question_text_with_fallback
from surveys.questionnaire.report_sentence_proposals import add_proposed_sentences, line_of_report

if TYPE_CHECKING:
    from accounts.models import Person

State = Survey.State
FINGERPRINT = 64

survey_opened = Signal()
"""Signal, sent with `survey`, `design` and `now` once it is opened, under its lock."""
"""Length of a fingerprint, with which the history note of a scheduled opening begins."""


DraftWarnings = Callable[[draft_json.Draft], Sequence[SettingsWarning]]
_draft_warnings: list[DraftWarnings] = []


def register_draft_warnings(warn: DraftWarnings) -> None:
    """Registers the function of `builder` that returns the warnings about a draft's settings, the gravest first."""
    _draft_warnings[:] = [warn]


@dataclass(frozen=True)
class OpeningChecklist:
    """The requirements that a draft does not meet yet.

    `design`: the design made from it, None if there are `problems`. `weak`: settings that protect less than
    usual; `answer`: the status of their approval by a reviewer.
    """

    problems: tuple[Problem, ...]
    design: designs.Design | None
    weak: tuple[Problem, ...]
    answer: reviewer_approvals.ApprovalStatus
    draft: draft_json.Draft

    @cached_property
    def in_english(self) -> list[tuple[str, int]]:
        """Languages without some translations, each with the number of phrases that its respondents will read in
        English."""
        untranslated = untranslated_phrases(self.draft)
        return [(code, len(missing.others)) for code, missing in untranslated.items() if missing.others]

    @cached_property
    def warnings(self) -> Sequence[SettingsWarning]:
        return _draft_warnings[0](self.draft) if self.design and _draft_warnings else ()

    @property
    def is_never_counted(self) -> bool:
        return any(warning.kind == NEVER for warning in self.warnings)

    @cached_property
    def quoted_questions(self) -> list[str]:
        """Texts of the questions that a report's sentences would quote, in some language of the survey."""
        draft = read_stored_questionnaire(self.draft)
        return [
            question_text_with_fallback(block, draft.first_language)
            for _position, block in all_blocks(draft)
            if any((line := line_of_report(draft, block, code)) and line.quotes for code in draft.languages)
        ]

    @property
    def is_ready_to_open(self) -> bool:
        return self.design is not None and (not self.weak or self.answer.allowed)


def opening_checklist(
    survey: Survey,
    now: datetime,
    weak_approval: Callable[[Survey, str], reviewer_approvals.ApprovalStatus] | None = None,
    reader: "Person | None" = None,
) -> OpeningChecklist:
    """Checks whether the draft can be opened, without changing it; problems are in the reader's language.

    `reader`: gets problems of hypotheses only if they may see these; None: whoever asks gets all.
    `weak_approval`: for many surveys, pass `reviewer_approvals.weak_settings_approvals(surveys)`, which reads all
    approvals in one query.
    """
    weak_approval = weak_approval or reviewer_approvals.weak_settings_approvals([survey])
    faults = draft_problems(survey.draft, timezone.localdate(now), settings.LEAST_FLOOR)
    end_settings = EndSettings(survey.closes, survey.cap, draft_json.read_retention_date(survey.draft))
    # `problems` has reported the day of destruction already, which is part of the draft.
    faults += [
        problem for problem in end_settings.find_problems(survey.least, now) if problem.path != "destroy_on"
    ]
    faults += completion_code.completion_code_mention_problems(survey.completion or "", survey.draft)
    words = _("is of another survey: save the settings of this one again")
    if not token_signing_key.has_no_foreign_invitation_key(survey, survey.draft):
        faults.append(Problem(draft_json.INVITATION_KEY, words))
    if not field_device_keys.has_no_foreign_field_keys(survey, survey.draft):
        faults.append(Problem(draft_json.SEALING_KEY, words))
    follows = draft_json.read_text(survey.draft, "follows")
    if follows and not are_all_earlier_designs_stored(follows):
        faults.append(Problem("follows", _("is not known here: stop comparing with it on the Study page")))
    elif follows and Design.load_parsed(follows).rehearsal and not survey.is_rehearsal:
        reason = _("is a rehearsal, which nobody real answered: stop comparing with it on the Study page")
        faults.append(Problem("follows", reason))
    logo = draft_json.read_text(survey.draft, "logo")
    if logo and not Logo.objects.filter(pk=logo).exists():
        faults.append(Problem("logo", _("is not stored here: upload it again on the page Logo and colour")))

    def checklist_of_problems(*problems: Problem) -> OpeningChecklist:
        return OpeningChecklist(problems, None, (), reviewer_approvals.ApprovalStatus(), survey.draft)

    if faults:
        return checklist_of_problems(*faults)
    design, earlier = freeze_design_cached(survey.draft), earlier_designs(follows)
    if reason := asked_at.problem_of_survey(survey, design):
        return checklist_of_problems(Problem(draft_json.ASKED_AT, reason))
    try:
        refuse_repeated_secrets(design, earlier)
    except designs.InputError as refusal:
        # The refusal names the question whose secret this is.
        names = [{question.name for question in section.questions} for section in design.sections]
        number = next(number for number, section in enumerate(names) if refusal.path in section)
        return checklist_of_problems(Problem(f"sections[{number}].questions[0].secret", reason_text(refusal)))
    try:
        check_lasting_sections(design, earlier)
        if survey.draft.get(KEY) and (reader is None or survey.may(reader, "hypotheses")):
            freeze_design(survey.draft)
    except designs.InputError as refusal:
        return checklist_of_problems(Problem(refusal.path, reason_text(refusal)))
    weak = tuple(find_weak_settings(design))
    answer = weak_approval(survey, design.fingerprint) if weak else reviewer_approvals.ApprovalStatus()
    return OpeningChecklist((), design, weak, answer, survey.draft)


def open_survey_now(survey: Survey, person: "Person | None", now: datetime) -> None:
    """Freezes the draft into a design and opens the survey; if impossible, raises InputRefused or NotAllowed
    and changes nothing."""
    with transaction.atomic():
        locked = Survey.objects.get_locked(survey.pk)
        design = check_and_freeze(locked, now)
        if design.host:
            design = asked_at.frozen_design(locked)
        # Opened by hand, it no longer has an opening time.
        opens = locked.opens if person is None else None
        is_frozen = Survey.objects.filter(pk=locked.pk, state=State.DRAFT, design=None).update(
            design=store_design(design),
            draft=add_proposed_sentences(locked.draft, read_stored_questionnaire(locked.draft)),
            state=State.OPEN,
            opens=opens,
            destroy_on=design.retention,
        )
        if not is_frozen:
            raise NotAllowed(state_change_refusal_text(State(locked.state), State.OPEN))
        if plan := read_plan(locked.draft.get(KEY)):
            Plan.objects.create(survey=locked, json=plan.canonical)
        Logo.objects.filter(pk=design.logo).update(is_public=True)
        locked.commands.all().delete()
        log_activity(person, "surveys.opened", locked, note=design.fingerprint, when=now)
        survey_opened.send(Survey, survey=locked, design=design, now=now)
    survey.refresh_from_db()


def check_and_freeze(survey: Survey, now: datetime) -> designs.Design:
    """Returns the design made from the draft; raises InputRefused or NotAllowed if the survey may not be opened."""
    if survey.state != State.DRAFT:
        raise NotAllowed(state_change_refusal_text(State(survey.state), State.OPEN))
    ready = opening_checklist(survey, now)
    if ready.design is None:
        raise InputRefused(ready.problems)
    if not ready.is_ready_to_open:
        raise NotAllowed(_("These settings protect less than usual, and no reviewer has approved them."))
    return ready.design


def store_design(design: designs.Design) -> Design:
    """Stores a design unless an identical one is stored; returns its row, which surveys can share."""
    if not Design.objects.filter(pk=design.fingerprint).exists():
        row = Design(fingerprint=design.fingerprint, json=design.canonical)
        Design.objects.bulk_create([row], ignore_conflicts=True)
    return Design.objects.get(pk=design.fingerprint)


def schedule_opening(survey: Survey, person: "Person", opens: datetime, now: datetime) -> None:
    """Schedules the time at which the survey opens by itself, unless the draft is changed before that time."""
    with transaction.atomic():
        locked = Survey.objects.get_locked(survey.pk)
        design = check_and_freeze(locked, now)
        if design.host:
            asked_at.frozen_design(locked)
        if opens <= now:
            raise InputRefused([Problem("opens", _("is over already"))])
        if locked.closes is not None and opens >= locked.closes:
            raise InputRefused([Problem("opens", _("is not before the closing time"))])
        if design.retention is not None and timezone.localdate(opens) >= design.retention:
            raise InputRefused([Problem("opens", _("must be before the deletion date"))])
        Survey.objects.filter(pk=locked.pk, state=State.DRAFT).update(opens=opens)
        note = f"{design.fingerprint} {setting_history_text(opens)}"
        log_activity(person, "surveys.scheduled", locked, note=note, when=now)
    survey.refresh_from_db()


def unschedule_opening(survey: Survey, person: "Person", now: datetime) -> None:
    """Cancels the scheduled opening time."""
    with transaction.atomic():
        if Survey.objects.filter(pk=survey.pk, state=State.DRAFT, opens__isnull=False).update(opens=None):
            log_activity(person, "surveys.unscheduled", survey, when=now)
    survey.refresh_from_db()


def open_survey_as_scheduled(survey: Survey, now: datetime) -> None:
    """Opens a survey whose scheduled time has come; if it cannot be opened, removes the time and logs the reason."""
    try:
        with transaction.atomic():
            locked = Survey.objects.get_locked(survey.pk)
            if locked.opens is None or locked.opens > now:
                return  # withdrawn or put off since the tick looked
            entries = History.objects.about(locked).filter(what="surveys.scheduled")
            agreed = entries.order_by("-pk").values_list("note", flat=True).first() or ""
            if agreed[:FINGERPRINT] != reviewer_approvals.current_fingerprint(locked, "weak"):
                raise NotAllowed(_("The draft was changed after the opening time was set."))
            open_survey_now(locked, None, now)
    except NotAllowed as reason:
        with transaction.atomic():
            waiting = Survey.objects.filter(pk=survey.pk, state=State.DRAFT, opens__lte=now)
            if waiting.update(opens=None):
                log_activity(None, "surveys.not-opened", survey, note=str(reason), when=now)
    survey.refresh_from_db()


def load_frozen_plan(survey: Survey) -> plans.Plan | None:
    """Returns the survey's plan of hypotheses, checked against the SHA-256 in its design; None if it has none."""
    row = Plan.objects.filter(survey=survey.pk).first()
    if row is None or survey.design is None:
        return None
    plan = plans.parse_plan(row.json)
    plans.check_plan_fingerprint(plan, survey.design.content.plan)
    return plan
