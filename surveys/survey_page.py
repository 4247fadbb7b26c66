"""Data of the overview page of one survey: its state, next step, guarantee and possible actions."""

from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from surveys import draft_json, tabs_and_warnings
from surveys.kinds.read_draft import read_stored_questionnaire
from surveys.lifecycle import ready_made_questionnaires, reviewer_approvals, state_changes, survey_creation
from surveys.lifecycle.next_step import next_step
from surveys.lifecycle.opening import opening_checklist
from surveys.lifecycle.record_counts import (
    TENTHS,
    ShownCounts,
    records_that_fill_a_batch,
    wait_counts_of_survey,
)
from surveys.models import Survey
from surveys.questionnaire.hypotheses import KEY, drafted_hypotheses
from surveys.questionnaire.protection import (
    EPSILON_PLACES,
    PRIOR,
    design_epsilon,
    find_weak_wording,
    person_protection,
    protects_only_inside_regions,
)
from surveys.questionnaire.question_count import count_plain_and_sensitive_questions
from surveys.tabs_and_warnings import url_or_empty

if TYPE_CHECKING:
    from accounts.models import Person

State = Survey.State


class PossibleAction(NamedTuple):
    """An action that the page offers as a link; `danger` marks one that deletes."""

    label: str | Promise
    url: str
    danger: bool = False


class SurveyPage:
    """Data of a survey's overview page for one person.

    `promised`: the design, or the design that the draft would become; `inside_only`, `has_open_answers` and
    `has_arms` tell for whom its epsilon holds. `questions`: numbers of plain and of sensitive questions.
    `on_the_way`: progress towards the first batch, from 0 to 1.
    """

    def __init__(self, survey: Survey, person: "Person", counts: ShownCounts, now: datetime) -> None:
        self.survey, self.person, self.counts = survey, person, counts
        is_draft, is_destroyed = survey.state == State.DRAFT, survey.state == State.DESTROYED
        self.step = next_step(survey, person, counts, now)
        self.checklist = opening_checklist(survey, now, reader=person) if is_draft else None
        self.design = survey.design.content if survey.design else None
        promised = self.promised = self.design or (self.checklist.design if self.checklist else None)
        self.epsilon = design_epsilon(promised, EPSILON_PLACES) if promised else None
        self.inside_only = promised is not None and protects_only_inside_regions(promised)
        self.has_arms = promised is not None and promised.has_arms
        self.weak_wording = list(find_weak_wording(self.design)) if self.design and not is_destroyed else []
        self.has_open_answers = promised is not None and promised.open_answers
        self.destroy_on = survey.destroy_on or draft_json.read_retention_date(survey.draft)
        questionnaire = read_stored_questionnaire(survey.questionnaire)
        self.questions = count_plain_and_sensitive_questions(questionnaire.sections)
        self.protection = person_protection(questionnaire, PRIOR)
        self.first_batch, self.on_the_way = records_that_fill_a_batch(survey.least), counts.tenths / TENTHS
        self.bar_step = -(-self.first_batch // TENTHS)
        self.waits = wait_counts_of_survey(survey)
        self.records = reviewer_approvals.record_files_approval_status(survey)
        self.warnings = [] if is_destroyed else tabs_and_warnings.warnings_for_survey(survey)
        self.may_mark_ready_made = survey.may(person, "library") and not is_destroyed
        self.is_ready_made = ready_made_questionnaires.ready_made_surveys().filter(pk=survey.pk).exists()
        self.may_pause = survey.may(person, "close") and not state_changes.pause_obstacle(survey)
        is_complete = self.checklist is not None and not self.checklist.problems
        may_try = is_complete and survey_creation.may_create_surveys(person)
        self.try_url = url_or_empty("rehearsal:try", survey.pk) if may_try else ""
        is_open_link = survey.state == State.OPEN and not survey.invited
        self.may_change_rate = is_open_link and survey.may(person, "edit")

    @cached_property
    def collection_progress(self) -> tuple[int, int, float] | None:
        """Progress while answers arrive: sealed answers rounded down to a multiple of `least`, the goal, and the share
        reached.

        None if the survey is not open, has no sealed answers or no goal, or shows only rounded counts.
        """
        survey, sealed = self.survey, self.counts.sealed
        goal = survey.cap or survey.expected
        if survey.state != State.OPEN or survey.has_rounded_counts or not sealed or not goal:
            return None
        counted = sealed - sealed % survey.least
        return counted, goal, counted / goal

    @cached_property
    def possible_actions(self) -> list[PossibleAction]:
        """Actions that this person may take now, besides the next step."""
        survey, pk = self.survey, self.survey.pk
        may = partial(survey.may, self.person)
        is_copied = bool(survey.questionnaire)
        records_wait = not (self.records.asked or self.records.allowed or survey.tools)
        plan = self.design.plan if self.design else drafted_hypotheses(survey.draft.get(KEY))
        decides = not survey.is_rehearsal and (self.checklist is None or self.checklist.weak)

        has_devices = self.design is not None and self.design.has_field_devices

        def can_become(state: Survey.State) -> bool:
            return not state_changes.state_change_obstacle(survey, state)

        actions = [
            (self.may_pause, _("Pause survey"), "surveys:pause"),
            (may("close") and can_become(State.CLOSED), _("Close survey"), "surveys:close"),
            (may("open") and can_become(State.OPEN), _("Open it again"), "surveys:reopen"),
            (may("finish") and can_become(State.FINISHED), _("Finish the survey"), "surveys:finish"),
            (
                has_devices and may("invite") and survey.state in (State.OPEN, State.CLOSED),
                _("Field devices"),
                "field:devices",
            ),
            (
                is_copied and survey_creation.may_create_surveys(self.person),
                _("Test or copy"),
                "surveys:duplicate",
            ),
            (is_copied, _("Export the questionnaire"), "importing:export"),
            (self.promised is not None, _("Study sheet"), "study-sheet:page"),
            (plan and may("hypotheses"), _("Hypotheses"), "surveys:hypotheses"),
            (
                records_wait and may("edit") and reviewer_approvals.current_fingerprint(survey, "records"),
                _("Ask for record files"),
                "surveys:ask",
            ),
            (decides and may("review"), _("Decide as a reviewer"), "surveys:review"),
            (may("destroy") and can_become(State.DESTROYED), _("Delete survey"), "surveys:destroy"),
        ]
        return [
            PossibleAction(label, url_or_empty(url_name, pk), danger=url_name == "surveys:destroy")
            for is_offered, label, url_name in actions
            if is_offered
        ]
