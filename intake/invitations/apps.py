from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class InvitationsConfig(AppConfig):
    name = "intake.invitations"
    verbose_name = _("invitation links")

    def ready(self) -> None:
        from intake.invitations import views
        from people.history_texts import announce
        from surveys.pages import register_tab

        announce(
            {
                "intake.invitations-made": _("made invitation links"),
                "intake.invitations-mailed": _("sent invitations by email"),
                "intake.reminders-mailed": _("sent reminders by email"),
            }
        )
        register_tab("invitations", _("Invitations"), "invitations:invitations", views.may_invite, rank=30)
