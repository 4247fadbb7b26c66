from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DisclosureConfig(AppConfig):
    name = "intake.disclosure"
    verbose_name = _("disclosures")

    def ready(self) -> None:
        from intake.batches import batches
        from intake.disclosure import ledger
        from surveys.lifecycle import states as lifecycle

        batches.register_pins(ledger.disclosed_batches)
        lifecycle.survey_finishing.connect(ledger.on_finishing, dispatch_uid="disclosure")
        lifecycle.survey_destroyed.connect(ledger.on_destruction, dispatch_uid="disclosure")
