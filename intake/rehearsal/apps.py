from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RehearsalConfig(AppConfig):
    name = "intake.rehearsal"
    verbose_name = _("rehearsal")

    def ready(self) -> None:
        from accounts.history_texts import announce
        from intake.batches import due
        from intake.rehearsal import truth, views
        from surveys.tabs_and_warnings import register_tab

        announce({"intake.rehearsed": _("simulated answers")})
        register_tab("rehearse", _("Rehearse"), "rehearsal:rehearse", views.may_rehearse, rank=40)
        due.everything_deleted.connect(truth.forget, dispatch_uid="rehearsal")
