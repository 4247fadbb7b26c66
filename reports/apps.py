from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ReportsConfig(AppConfig):
    name = "reports"
    verbose_name = _("Reports")

    def ready(self) -> None:
        from accounts import deactivated_account_activities
        from accounts.history_texts import register_action_texts
        from builder.pages import preview
        from jobs import tick
        from reports.pages import home_cards
        from reports.review import public_page_switch, report_links_for_runs, report_state_changes
        from reports.sentences.draft_sentence_preview import example_sentences
        from runs import mlxtend_check, result_reading_permissions
        from surveys import home_cards as surveys_home
        from surveys.lifecycle import next_step, state_changes as lifecycle
        from ui import home_page_items, navigation

        register_action_texts(
            {
                "reports.waiting": _("finished a run, which waits for a reviewer"),
                "reports.accepted": _("accepted rules"),
                "reports.rejected": _("rejected rules"),
                "reports.more-data": _("asked for more data on rules"),
                "reports.model-decided": _("decided on a model"),
                "reports.model-published": _("published a model"),
                "reports.undone": _("undid a decision on a rule"),
                "reports.published": _("published a report"),
                "reports.withdrawn": _("withdrew a report"),
                "reports.public-opened": _("opened the public page of a report"),
                "reports.public-closed": _("closed the public page of a report"),
            }
        )
        deactivated_account_activities.register_activity_source(public_page_switch.open_pages_of_owner)
        result_reading_permissions.register_report_functions(report_links_for_runs)
        tick.register_periodic_function("reports", report_state_changes.create_reviews_of_finished_runs)
        mlxtend_check.engines_disagreed.connect(
            report_state_changes.email_owner_of_disputed_report, dispatch_uid="reports"
        )
        lifecycle.survey_destroyed.connect(
            report_state_changes.schedule_report_overwriting, dispatch_uid="reports"
        )
        navigation.register_entry(
            _("Reports"),
            "reports:index",
            navigation.is_signed_in,
            rank=40,
            also="/app/admin/reports/review/",
        )
        home_page_items.register_waiting(home_cards.reports_to_review)
        home_page_items.register_news(home_cards.report_news)
        home_page_items.acts_shown_as_findings.add("reports.published")
        surveys_home.register_finding_getter(home_cards.first_finding_in)
        preview.register_example_sentences(example_sentences)
        next_step.register_report_steps(home_cards.next_report_steps)
