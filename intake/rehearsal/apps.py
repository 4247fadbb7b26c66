from django.apps import AppConfig
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ACTION_TEXTS: dict[str, str | Promise] = {
    "intake.rehearsed": _("simulated answers"),
}


class RehearsalConfig(AppConfig):
    name = "intake.rehearsal"
    verbose_name = _("rehearsal")
