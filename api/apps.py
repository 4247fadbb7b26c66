from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ApiConfig(AppConfig):
    name = "api"
    verbose_name = _("API")

    def ready(self) -> None:
        from people.history_texts import announce

        announce({"api.token-made": _("made a token"), "api.token-ended": _("ended a token")})
