"""The last application: when it is ready, everything is loaded."""

import gc

from django.apps import AppConfig


class LoadedConfig(AppConfig):
    name = "config.start.loaded"
    label = "loaded"

    def ready(self) -> None:
        """Ends what `config.apps.ConfigConfig.import_models` has begun."""
        gc.freeze()
        gc.enable()
