from datetime import timedelta

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

EVERY = timedelta(seconds=10)


class ForgeryConfig(AppConfig):
    name = "runs.forgery"
    label = "forgery"
    verbose_name = _("Forged records")

    def ready(self) -> None:
        from intake.batches import batches
        from jobs import pages, tick
        from runs.forgery import measuring, warning
        from surveys import survey_warnings
        from surveys.lifecycle import states as lifecycle

        tick.register("forgery", measuring.start_due, EVERY)
        pages.register_fact(warning.operators_fact)
        batches.register_pins(measuring.unmeasured_ends)
        survey_warnings.register(warning.warnings)
        lifecycle.survey_destroyed.connect(measuring.on_destruction, dispatch_uid="forgery")
