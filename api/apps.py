from django.apps import AppConfig
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ACTION_TEXTS: dict[str, str | Promise] = {
    "api.token-made": _("made a token"),
    "api.token-ended": _("ended a token"),
    "api.webhook-added": _("added a webhook"),
    "api.webhook-ended": _("ended a webhook"),
}


class ApiConfig(AppConfig):
    name = "api"
    verbose_name = _("API")
