from django.apps import AppConfig
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ACTION_TEXTS: dict[str, str | Promise] = {
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
    "surveys.page-frozen": _("froze the page for its host"),
    "surveys.page-seen": _("saw the frozen page at its host"),
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
