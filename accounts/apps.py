from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = _("People")

    def ready(self) -> None:
        from accounts import deactivated_account_activities, home_page_news
        from ui import home_page_items

        home_page_items.register_news(home_page_news.recent_news)
        home_page_items.register_waiting(home_page_news.propose_more_accounts)
        home_page_items.register_waiting(deactivated_account_activities.accounts_with_undecided_activities)
