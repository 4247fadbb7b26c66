from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ReleasesConfig(AppConfig):
    name = "releases"
    verbose_name = _("Releases")

    def ready(self) -> None:
        from jobs import warmup
        from releases import kernel_cache

        warmup.register(kernel_cache.warm_up)
