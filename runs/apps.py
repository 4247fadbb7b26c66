from django.apps import AppConfig
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ACTION_TEXTS: dict[str, str | Promise] = {
    "mining.started": _("started a mining run"),
    "mining.modelled": _("specified a model of a run"),
    "mining.checked": _("had a run checked by mlxtend"),
    "mining.margins": _("uploaded weights"),
}


class RunsConfig(AppConfig):
    name = "runs"
    verbose_name = _("Mining")
