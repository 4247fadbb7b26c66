"""The page of one survey."""

from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from privacy import designs
from surveys import draft as drafts, pages
from surveys.kinds.reading import read_questionnaire
from surveys.lifecycle import create, review, states as lifecycle
from surveys.lifecycle.counts import TENTHS, ShownCounts, Waits, due_at, waits
from surveys.lifecycle.next_step import NextStep, next_step
from surveys.lifecycle.opening import Checklist, checklist
from surveys.models import Survey
from surveys.pages import address
from surveys.questionnaire.hypotheses import KEY, drafted_hypotheses
from surveys.questionnaire.protection import EPSILON_PLACES, epsilon, inside_only

if TYPE_CHECKING:
    from decimal import Decimal

    from accounts.models import Person

State = Survey.State


class Action(NamedTuple):
    label: str | Promise
    url: str
    danger: bool = False


@dataclass(frozen=True)
class SurveyPage:
    survey: Survey
    person: "Person"
    counts: ShownCounts
    now: datetime

    @cached_property
    def step(self) -> NextStep:
        return next_step(self.survey, self.person, self.counts, self.now)

    @cached_property
    def checklist(self) -> Checklist | None:
        return checklist(self.survey, self.now) if self.survey.state == State.DRAFT else None

    @cached_property
    def design(self) -> designs.Design | None:
        return self.survey.design.content if self.survey.design else None

    @property
    def inside_only(self) -> bool:
        """Whether that holds for people inside the regions of a place only."""
        return self._promised is not None and inside_only(self._promised)

    @property
    def has_arms(self) -> bool:
        """Whether some people are asked directly, to whom nothing of that applies."""
        return self._promised is not None and self._promised.has_arms

    @property
    def epsilon(self) -> "Decimal | None":
        return epsilon(self._promised, EPSILON_PLACES) if self._promised else None

    @property
    def _promised(self) -> designs.Design | None:
        """The design, or what the draft would become."""
        return self.design or (self.checklist.design if self.checklist else None)

    @property
    def destroy_on(self) -> date | None:
        return self.survey.destroy_on or drafts.retention(self.survey.draft)

    @property
    def questions(self) -> tuple[int, int]:
        """How many are plain, and how many sensitive."""
        sections = read_questionnaire(self.survey.questionnaire).sections
        plain, sensitive = (
            sum(len(section.questions) for section in sections if section.sensitive is wanted)
            for wanted in (False, True)
        )
        return plain, sensitive

    @property
    def first_batch(self) -> int:
        return due_at(self.survey.least)

    @property
    def on_the_way(self) -> float:
        """Progress towards the first batch, from 0 to 1."""
        return self.counts.tenths / TENTHS

    @cached_property
    def waits(self) -> Waits:
        return waits(self.survey)

    @property
    def may_change_rate(self) -> bool:
        return (
            self.survey.state == State.OPEN
            and not self.survey.invited
            and self.survey.may(self.person, "edit")
        )

    @cached_property
    def records(self) -> review.ApprovalStatus:
        return review.records_status(self.survey)

    @property
    def records_could_leave(self) -> bool:
        open_question = not (self.records.asked or self.records.allowed)
        return open_question and bool(review.current(self.survey, "records"))

    @property
    def has_hypotheses(self) -> bool:
        """Frozen ones, or those of the draft."""
        if self.design:
            return bool(self.design.plan)
        return bool(drafted_hypotheses(self.survey.draft.get(KEY)))

    @cached_property
    def warnings(self) -> list[pages.SurveyWarning]:
        return pages.warnings_for_survey(self.survey) if self.survey.state != State.DESTROYED else []

    @property
    def may_pause(self) -> bool:
        return self.survey.may(self.person, "close") and not lifecycle.pause_obstacle(self.survey)

    @cached_property
    def actions(self) -> list[Action]:
        """Further actions of this person on the survey."""
        survey, pk = self.survey, self.survey.pk
        steps = [
            ("close", State.CLOSED, Action(_("Close survey"), address("surveys:close", pk))),
            ("open", State.OPEN, Action(_("Open it again"), address("surveys:reopen", pk))),
            ("finish", State.FINISHED, Action(_("Finish the survey"), address("surveys:finish", pk))),
        ]
        actions = [
            action
            for may, after, action in steps
            if survey.may(self.person, may) and not lifecycle.obstacle(survey, after)
        ]
        if self.may_pause:
            actions.insert(0, Action(_("Pause survey"), address("surveys:pause", pk)))
        if create.may_begin(self.person) and survey.questionnaire:
            actions.append(Action(_("Test or copy"), address("surveys:duplicate", pk)))
        if survey.questionnaire:
            actions.append(Action(_("Export the questionnaire"), address("importing:export", pk)))
        if self._promised is not None:
            actions.append(Action(_("Study sheet"), address("study-sheet:page", pk)))
        if survey.may(self.person, "hypotheses") and self.has_hypotheses:
            actions.append(Action(_("Hypotheses"), address("surveys:hypotheses", pk)))
        if survey.may(self.person, "edit") and self.records_could_leave:
            actions.append(Action(_("Ask for record files"), address("surveys:ask", pk)))
        decides = not survey.is_rehearsal and (self.checklist is None or self.checklist.weak)
        if survey.may(self.person, "review") and decides:
            actions.append(Action(_("Decide as a reviewer"), address("surveys:review", pk)))
        if survey.may(self.person, "destroy") and not lifecycle.obstacle(survey, State.DESTROYED):
            actions.append(Action(_("Delete survey"), address("surveys:destroy", pk), danger=True))
        return actions
