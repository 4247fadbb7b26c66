from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ReportsConfig(AppConfig):
    name = "mining.reports"
    label = "reports"
    verbose_name = _("Reports")

    def ready(self) -> None:
        from jobs import tick
        from look import navigation
        from mining.reports import actions, findings, on_runs, publishing
        from mining.runs import findings as found_with_a_run, reading
        from surveys import lifecycle

        actions.announce_all()
        found_with_a_run.register("coherent", findings.coherent)
        found_with_a_run.register("forged", findings.forged_by_one_percent)
        found_with_a_run.register("groups", findings.groups)
        found_with_a_run.register("pairs", findings.pairs)
        reading.register(on_runs.published, on_runs.links)
        tick.register("reports", publishing.take_in)
        lifecycle.survey_destroyed.connect(publishing.on_destruction, dispatch_uid="reports")
        navigation.register(
            _("Reports"),
            "reports:index",
            navigation.signed_in,
            hint=_("What surveys have found, once a reviewer has published it."),
            rank=40,
        )
