from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RunsConfig(AppConfig):
    name = "runs"
    verbose_name = _("Mining")

    def ready(self) -> None:
        from intake.batches import batches
        from jobs import pages, tick, warmup
        from runs import checking, copies, kernel_cache, storing
        from runs.pages import tabs
        from surveys import pages as survey_warnings
        from surveys.lifecycle import states as lifecycle

        tabs.announce_all()
        warmup.register(kernel_cache.warm_up)
        batches.register_pins(storing.pinned_batches)
        batches.register_pins(copies.unexamined_batches)
        tick.register("copies", copies.examine_due, copies.EVERY)
        pages.register_fact(copies.operators_fact)
        pages.register_fact(checking.operators_fact)
        survey_warnings.register_warnings(copies.warnings)
        lifecycle.survey_destroyed.connect(storing.delete_runs, dispatch_uid="runs")
