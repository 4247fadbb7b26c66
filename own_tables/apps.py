from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OwnTablesConfig(AppConfig):
    name = "own_tables"
    verbose_name = _("Own tables")
