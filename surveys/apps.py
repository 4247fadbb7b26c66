"""The Django app of surveys: registers its history texts, scheduled tasks, system checks and pages."""

from datetime import timedelta
from typing import TYPE_CHECKING

from django.apps import AppConfig
from django.core import checks as registry
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from accounts.models import Person
    from surveys.models import Survey

HISTORY_TEXTS: dict[str, str | Promise] = {
    "surveys.created": _("began a survey"),
    "surveys.imported": _("imported a questionnaire"),
    "surveys.edited": _("edited the draft"),
    "surveys.duplicated": _("duplicated the survey"),
    "surveys.rehearsal-made": _("made a rehearsal of the survey"),
    "surveys.collaborator-added": _("added a collaborator"),
    "surveys.collaborator-changed": _("changed what a collaborator may do"),
    "surveys.collaborator-removed": _("removed a collaborator"),
    "surveys.collaborator-joined": _("accepted an invitation to work on the survey"),
    "surveys.people-invited": _("invited somebody to work on the survey"),
    "surveys.reviewer-proposed": _("proposed a reviewer"),
    "surveys.reviewer-accepted": _("accepted to review the survey"),
    "surveys.reviewer-removed": _("removed a proposed reviewer"),
    "surveys.invitation-removed": _("took an invitation to work on the survey or review it back"),
    "surveys.invitation-declined": _("declined an invitation to work on the survey or review it"),
    "surveys.scheduled": _("set the opening time"),
    "surveys.unscheduled": _("withdrew the opening time"),
    "surveys.not-opened": _("could not open the survey at the time set"),
    "surveys.opened": _("opened the survey"),
    "surveys.closed": _("closed the survey"),
    "surveys.reopened": _("opened the survey again"),
    "surveys.paused": _("paused the survey"),
    "surveys.resumed": _("resumed the survey"),
    "surveys.finished": _("finished the survey"),
    "surveys.destroyed": _("deleted the survey"),
    "surveys.ready-made": _("marked its questionnaire as ready-made"),
    "surveys.ready-made-ended": _("ended that its questionnaire is ready-made"),
    "surveys.closes-changed": _("changed the closing time"),
    "surveys.cap-changed": _("changed the cap"),
    "surveys.at-once-changed": _("changed how many answers are expected at once"),
    "surveys.destroy-on-changed": _("brought the deletion date forward"),
    "surveys.settings-changed": _("changed the settings of the draft"),
    "surveys.sites-changed": _("changed which sites may show the survey"),
    "surveys.weak-asked": _("requested approval of weak settings"),
    "surveys.weak-allowed": _("approved weak settings"),
    "surveys.weak-refused": _("refused weak settings"),
    "surveys.records-asked": _("requested approval of record files"),
    "surveys.records-allowed": _("approved record files"),
    "surveys.records-refused": _("refused record files"),
    "surveys.deposit-asked": _("requested approval of records in a deposit for the world"),
    "surveys.deposit-allowed": _("approved records in a deposit for the world"),
    "surveys.deposit-refused": _("refused records in a deposit for the world"),
}


class SurveysConfig(AppConfig):
    name = "surveys"
    verbose_name = _("Surveys")

    def ready(self) -> None:
        from accounts import deactivated_account_activities
        from accounts.history_texts import register_action_texts
        from accounts.second_factor import factors
        from jobs import tick
        from surveys import triggers
        from surveys.lifecycle import due_surveys, survey_people

        register_action_texts(HISTORY_TEXTS)
        deactivated_account_activities.register_activity_source(
            due_surveys.active_surveys_of_switched_off_account
        )
        registry.register(triggers.check_triggers_exist, registry.Tags.database)
        tick.register_periodic_function("surveys.open", due_surveys.open_due_surveys)
        tick.register_periodic_function("surveys.close", due_surveys.close_due_or_full_surveys)
        tick.register_periodic_function("surveys.destroy", due_surveys.destroy_due_surveys)
        tick.register_periodic_function(
            "surveys.people", survey_people.delete_lapsed_invitations, every=timedelta(hours=1)
        )
        factors.register_reviewer_test(survey_people.may_review_without_role)
        tick.register_periodic_function(
            "surveys.logos", due_surveys.delete_unused_logos, every=timedelta(hours=1)
        )
        register_pages()


def register_pages() -> None:
    from surveys import home_cards, tabs_and_warnings  # late for Django
    from surveys.lifecycle import survey_people  # late for Django
    from ui import home_page_items, navigation  # late for Django

    def has_reviewer_role(request: HttpRequest) -> bool:
        return request.user.is_authenticated and request.user.is_reviewer

    def may_edit_draft(survey: "Survey", person: "Person") -> bool:
        return survey.state == "draft" and survey.may(person, "edit")

    def shows_settings_tab(survey: "Survey", person: "Person") -> bool:
        return survey.may(person, "edit" if survey.state == "draft" else "close")

    navigation.register_entry(_("Surveys"), "surveys:index", navigation.is_signed_in, rank=20)
    navigation.register_entry(_("Approvals"), "surveys:queue", has_reviewer_role, rank=30)
    home_page_items.register_waiting(home_cards.waiting_approval_items)
    home_page_items.register_waiting(home_cards.waiting_invitation_items)
    home_page_items.register_waiting(survey_people.proposed_reviewer_items)
    home_page_items.register_cards(home_cards.newest_survey_cards)
    tabs_and_warnings.register_tab("overview", _("Overview"), "surveys:survey", rank=0)
    tabs_and_warnings.register_tab("edit", _("Edit"), "builder:edit", may_edit_draft, rank=10)
    tabs_and_warnings.register_tab("preview", _("Preview"), "builder:preview", rank=20)
    tabs_and_warnings.register_tab("settings", _("Settings"), "surveys:settings", shows_settings_tab, rank=60)
    tabs_and_warnings.register_tab("people", _("People"), "surveys:people", rank=70)
    tabs_and_warnings.register_tab("history", _("Activity log"), "surveys:history", rank=80)
