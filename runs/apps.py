from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RunsConfig(AppConfig):
    name = "runs"
    verbose_name = _("Mining")

    def ready(self) -> None:
        from intake.batches import batches
        from jobs import warmup
        from runs import destruction, kernel_cache, pinning
        from runs.pages import tabs
        from surveys.lifecycle import states as lifecycle

        tabs.announce_all()
        warmup.register(kernel_cache.warm_up)
        batches.register_pins(pinning.pinned_batches)
        lifecycle.survey_destroyed.connect(destruction.on_destruction, dispatch_uid="runs")
