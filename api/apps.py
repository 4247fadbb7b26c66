from datetime import timedelta

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ApiConfig(AppConfig):
    name = "api"
    verbose_name = _("API")

    def ready(self) -> None:
        from accounts import credentials
        from accounts.history_texts import register_action_texts
        from api import idempotency
        from api.webhooks import outbox
        from jobs import tick
        from releases.lifecycle import release_decisions
        from reports.review import report_state_changes
        from surveys.lifecycle import state_changes as lifecycle

        register_action_texts(
            {
                "api.token-made": _("made a token"),
                "api.token-ended": _("ended a token"),
                "api.webhook-added": _("added a webhook"),
                "api.webhook-ended": _("ended a webhook"),
            }
        )
        credentials.all_ended.connect(outbox.on_credentials_ended, dispatch_uid="webhooks")
        report_state_changes.report_published.connect(outbox.on_report_published, dispatch_uid="webhooks")
        release_decisions.release_approved.connect(outbox.on_release_approved, dispatch_uid="webhooks")
        lifecycle.survey_closed.connect(outbox.on_survey_closed, dispatch_uid="webhooks")
        tick.register_periodic_function("webhooks", outbox.on_tick)
        tick.register_periodic_function(
            "api.replies", idempotency.delete_old_replies, every=timedelta(hours=1)
        )
        tick.register_periodic_function("webhooks.forget", outbox.delete_old_events, every=timedelta(hours=1))
