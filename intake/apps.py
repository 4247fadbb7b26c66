from django.apps import AppConfig
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ACTION_TEXTS: dict[str, str | Promise] = {
    "intake.invitations-made": _("made invitation links"),
    "intake.invitations-mailed": _("sent invitations by email"),
    "intake.reminders-mailed": _("sent reminders by email"),
    "intake.records-downloaded": _("downloaded record files"),
}


class IntakeConfig(AppConfig):
    name = "intake"
    verbose_name = _("answers")
