"""What the history says of surveys."""

from django.utils.translation import gettext_lazy as _

from people.history_texts import announce


def announce_all() -> None:
    announce(
        {
            "surveys.created": _("began a survey"),
            "surveys.imported": _("imported a questionnaire"),
            "surveys.edited": _("edited the draft"),
            "surveys.duplicated": _("duplicated the survey"),
            "surveys.rehearsal-made": _("made a rehearsal of the survey"),
            "surveys.collaborator-added": _("added a collaborator"),
            "surveys.collaborator-changed": _("changed what a collaborator may do"),
            "surveys.collaborator-removed": _("removed a collaborator"),
            "surveys.scheduled": _("set the opening time"),
            "surveys.unscheduled": _("withdrew the opening time"),
            "surveys.not-opened": _("could not open the survey at the time set"),
            "surveys.opened": _("opened the survey"),
            "surveys.closed": _("closed the survey"),
            "surveys.reopened": _("opened the survey again"),
            "surveys.paused": _("paused the survey"),
            "surveys.resumed": _("resumed the survey"),
            "surveys.archived": _("archived the survey"),
            "surveys.destroyed": _("destroyed the survey"),
            "surveys.closes-changed": _("changed the closing time"),
            "surveys.cap-changed": _("changed the cap"),
            "surveys.destroy-on-changed": _("brought the day of destruction forward"),
            "surveys.settings-changed": _("changed the settings of the draft"),
            "surveys.weak-asked": _("asked a reviewer to allow weak settings"),
            "surveys.weak-allowed": _("allowed weak settings"),
            "surveys.weak-refused": _("refused weak settings"),
            "surveys.records-asked": _("asked a reviewer to allow record files"),
            "surveys.records-allowed": _("allowed record files"),
            "surveys.records-refused": _("refused record files"),
        }
    )
