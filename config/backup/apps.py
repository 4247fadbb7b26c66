from django.apps import AppConfig


class BackupConfig(AppConfig):
    name = "config.backup"
    label = "backup"

    def ready(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from accounts.history_texts import register_action_texts
        from config.backup import remembering
        from intake.batches import sealing
        from jobs import tick
        from surveys.lifecycle import states as lifecycle

        sealing.invitations_spent.connect(remembering.on_sealing, dispatch_uid="backup")
        lifecycle.survey_destroyed.connect(remembering.on_destruction, dispatch_uid="backup")
        register_action_texts({"backup.restored": _("restored a backup")})
        tick.register("backup", remembering.on_tick)
