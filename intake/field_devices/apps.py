from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class FieldConfig(AppConfig):
    name = "intake.field_devices"
    label = "field"
    verbose_name = _("field devices")

    def ready(self) -> None:
        from accounts.history_texts import register_action_texts
        from intake.batches import automatic_sealing
        from intake.field_devices import devices
        from surveys.lifecycle import state_changes as lifecycle

        register_action_texts(
            {
                devices.MADE: _("made a set-up link for a field device"),
                devices.WITHDRAWN: _("withdrew a field device"),
            }
        )
        lifecycle.survey_finishing.connect(devices.on_finishing, dispatch_uid="field")
        automatic_sealing.everything_deleted.connect(devices.on_everything_deleted, dispatch_uid="field")
