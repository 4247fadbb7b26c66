from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class IntakeConfig(AppConfig):
    name = "intake"
    verbose_name = _("answers")

    def ready(self) -> None:
        from builder.pages import respondents_page
        from intake.batches import batches, due
        from intake.endpoint import waiting
        from intake.pages import pages
        from jobs import tick
        from surveys.lifecycle import counts, states as lifecycle

        counts.register(batches.count, waiting.waits_of)
        respondents_page.register("intake/answer.html", pages.respondent_context)
        lifecycle.survey_closed.connect(due.on_closing, dispatch_uid="intake")
        lifecycle.survey_finishing.connect(due.on_finishing, dispatch_uid="intake")
        lifecycle.survey_destroyed.connect(due.on_destruction, dispatch_uid="intake")
        tick.register("intake", due.tick)
