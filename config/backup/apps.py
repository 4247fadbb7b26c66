from django.apps import AppConfig


class BackupConfig(AppConfig):
    name = "config.backup"
    label = "backup"

    def ready(self) -> None:
        """Connects the list of changes that no restore may undo to sealing, destruction and the tick."""
        from django.utils.translation import gettext_lazy as _

        from accounts.history_texts import register_action_texts
        from config.backup import irreversible_changes
        from intake.batches import sealing
        from jobs import tick
        from surveys.lifecycle import state_changes as lifecycle

        sealing.invitations_spent.connect(irreversible_changes.on_sealing, dispatch_uid="backup")
        lifecycle.survey_destroyed.connect(irreversible_changes.on_destruction, dispatch_uid="backup")
        register_action_texts({"backup.restored": _("restored a backup")})
        tick.register_periodic_function("backup", irreversible_changes.on_tick)
