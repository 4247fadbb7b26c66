from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class IntakeConfig(AppConfig):
    name = "intake"
    verbose_name = _("answers")

    def ready(self) -> None:
        from accounts.history_texts import register_action_texts
        from builder.pages import preview
        from intake.batches import automatic_sealing, sealed_batch_reader
        from intake.endpoint import people_asked_to_wait
        from intake.invitations import researcher_views as invitations
        from intake.pages import respondent_views
        from intake.recordfiles import download, views as record_files
        from jobs import tick
        from surveys.lifecycle import record_counts, state_changes as lifecycle
        from surveys.tabs_and_warnings import register_tab

        register_action_texts(
            {
                "intake.invitations-made": _("made invitation links"),
                "intake.invitations-mailed": _("sent invitations by email"),
                "intake.reminders-mailed": _("sent reminders by email"),
                download.ACTION: _("downloaded record files"),
            }
        )
        register_tab(
            "invitations", _("Invitations"), "invitations:invitations", invitations.may_invite, rank=30
        )
        register_tab(
            "records", _("Record files"), "recordfiles:records", record_files.has_record_file_page, rank=50
        )
        record_counts.register_counters(
            sealed_batch_reader.count_records, people_asked_to_wait.total_wait_counts
        )
        preview.register_respondents_page(respondent_views.preview)
        lifecycle.survey_closed.connect(automatic_sealing.on_closing, dispatch_uid="intake")
        lifecycle.survey_finishing.connect(automatic_sealing.expire_keys_on_finishing, dispatch_uid="intake")
        lifecycle.survey_destroyed.connect(automatic_sealing.on_destruction, dispatch_uid="intake")
        tick.register_periodic_function("intake", automatic_sealing.on_tick)
