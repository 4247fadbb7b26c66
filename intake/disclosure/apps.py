from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DisclosureConfig(AppConfig):
    name = "intake.disclosure"
    verbose_name = _("disclosures")

    def ready(self) -> None:
        from intake.batches import sealed_batch_reader, sealing
        from intake.disclosure import count_and_publish_full_quotas, ledger
        from surveys.lifecycle import quota_states, state_changes as lifecycle

        sealed_batch_reader.register_merge_boundaries(ledger.last_batches_of_disclosures)
        sealing.batch_sealed.connect(count_and_publish_full_quotas.on_batch_sealed, dispatch_uid="quotas")
        quota_states.register_full_quota_finder(count_and_publish_full_quotas.full_quotas_by_survey)
        lifecycle.survey_finishing.connect(ledger.select_open_records_on_finishing, dispatch_uid="disclosure")
        lifecycle.survey_destroyed.connect(ledger.on_destruction, dispatch_uid="disclosure")
