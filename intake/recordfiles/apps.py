from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RecordFilesConfig(AppConfig):
    name = "intake.recordfiles"
    verbose_name = _("record files")

    def ready(self) -> None:
        from intake.batches import batches
        from intake.recordfiles import left, views
        from people.history_texts import announce
        from surveys import departures
        from surveys.pages import register_tab

        announce({left.ACTION: _("downloaded record files")})
        batches.register_pins(left.pinned_batches)
        departures.register("records", left.departures)
        register_tab("records", _("Record files"), "recordfiles:records", views.has_records, rank=50)
