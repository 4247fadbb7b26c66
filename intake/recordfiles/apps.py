from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RecordFilesConfig(AppConfig):
    name = "intake.recordfiles"
    verbose_name = _("record files")

    def ready(self) -> None:
        from intake.recordfiles import offer, views
        from people.history_texts import announce
        from surveys.pages import register_tab

        announce({offer.ACTION: _("downloaded record files")})
        register_tab("records", _("Record files"), "recordfiles:records", views.has_records, rank=50)
