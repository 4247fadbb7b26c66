from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = _("People")

    def ready(self) -> None:
        from accounts import home_sources, left_behind
        from ui import home

        home.register_news(home_sources.recent_news)
        home.register_waiting(home_sources.invite_first_account)
        home.register_waiting(left_behind.undecided_accounts)
