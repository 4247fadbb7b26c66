from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RehearsalConfig(AppConfig):
    name = "intake.rehearsal"
    verbose_name = _("rehearsal")

    def ready(self) -> None:
        from accounts.history_texts import register_action_texts
        from intake.batches import automatic_sealing
        from intake.rehearsal import true_counts, views
        from surveys.tabs_and_warnings import register_tab

        register_action_texts({"intake.rehearsed": _("simulated answers")})
        register_tab("rehearse", _("Rehearse"), "rehearsal:rehearse", views.may_simulate_respondents, rank=40)
        automatic_sealing.everything_deleted.connect(true_counts.delete_true_counts, dispatch_uid="rehearsal")
