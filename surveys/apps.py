from django.apps import AppConfig
from django.core import checks as registry
from django.utils.translation import gettext_lazy as _


class SurveysConfig(AppConfig):
    name = "surveys"
    verbose_name = _("Surveys")

    def ready(self) -> None:
        from jobs import tick
        from surveys import actions, checks, timed

        actions.announce_all()
        registry.register(checks.triggers_are_there, registry.Tags.database)
        tick.register("surveys.open", timed.open_due)
        tick.register("surveys.close", timed.close_due)
        tick.register("surveys.destroy", timed.destroy_due)
