from django.apps import AppConfig
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ACTION_TEXTS: dict[str, str | Promise] = {
    "deposits.downloaded": _("downloaded a deposit of a report"),
}


class DepositsConfig(AppConfig):
    name = "deposits"
    verbose_name = _("Deposits")
