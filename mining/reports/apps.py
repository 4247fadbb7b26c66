from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ReportsConfig(AppConfig):
    name = "mining.reports"
    label = "reports"
    verbose_name = _("Reports")

    def ready(self) -> None:
        from jobs import tick
        from look import navigation
        from mining.reports import actions, findings, publishing, run_links
        from mining.runs import access, findings as found_with_a_run
        from surveys import lifecycle

        actions.announce_all()
        found_with_a_run.register("coherent", findings.coherent, findings.foresee_coherent)
        found_with_a_run.register("forged", findings.forged_by_one_percent)
        found_with_a_run.register("groups", findings.groups, findings.foresee_groups)
        found_with_a_run.register("pairs", findings.pairs)
        access.register(run_links.published, run_links.links, run_links.told)
        tick.register("reports", publishing.take_in)
        lifecycle.survey_destroyed.connect(publishing.on_destruction, dispatch_uid="reports")
        navigation.register(
            _("Reports"),
            "reports:index",
            navigation.signed_in,
            hint=_("What surveys have found, once a reviewer has published it."),
            rank=40,
        )
