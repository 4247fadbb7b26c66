from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = _("People")

    def ready(self) -> None:
        from accounts import deactivated_account_activities, home_page_items
        from ui import home

        home.register_news(home_page_items.recent_news)
        home.register_waiting(home_page_items.propose_more_accounts)
        home.register_waiting(deactivated_account_activities.accounts_with_undecided_activities)
