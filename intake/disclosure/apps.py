from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DisclosureConfig(AppConfig):
    name = "intake.disclosure"
    verbose_name = _("disclosures")
