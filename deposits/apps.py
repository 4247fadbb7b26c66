from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DepositsConfig(AppConfig):
    name = "deposits"
    verbose_name = _("Deposits")

    def ready(self) -> None:
        from accounts.history_texts import register_action_texts

        register_action_texts({"deposits.downloaded": _("downloaded a deposit of a report")})
