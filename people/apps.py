from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PeopleConfig(AppConfig):
    name = "people"
    verbose_name = _("People")

    def ready(self) -> None:
        from look import home
        from people import home_sources

        home.register_news(home_sources.news)
        home.register_waiting(home_sources.first_account)
