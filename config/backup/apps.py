from django.apps import AppConfig
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ACTION_TEXTS: dict[str, str | Promise] = {
    "backup.restored": _("restored a backup"),
}


class BackupConfig(AppConfig):
    name = "config.backup"
    label = "backup"
