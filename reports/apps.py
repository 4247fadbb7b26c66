from django.apps import AppConfig
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ACTION_TEXTS: dict[str, str | Promise] = {
    "reports.waiting": _("finished a run, which waits for a reviewer"),
    "reports.accepted": _("accepted rules"),
    "reports.rejected": _("rejected rules"),
    "reports.more-data": _("asked for more data on rules"),
    "reports.model-decided": _("decided on a model"),
    "reports.model-published": _("published a model"),
    "reports.undone": _("undid a decision on a rule"),
    "reports.published": _("published a report"),
    "reports.withdrawn": _("withdrew a report"),
    "reports.public-opened": _("opened the public page of a report"),
    "reports.public-closed": _("closed the public page of a report"),
}


class ReportsConfig(AppConfig):
    name = "reports"
    verbose_name = _("Reports")
