"""What the history says of reports."""

from django.utils.translation import gettext_lazy as _

from people.history_texts import announce


def announce_all() -> None:
    announce(
        {
            "reports.waiting": _("finished a run, which waits for a reviewer"),
            "reports.accepted": _("accepted rules"),
            "reports.rejected": _("rejected rules"),
            "reports.more-data": _("asked for more data on rules"),
            "reports.published": _("published a report"),
            "reports.withdrawn": _("withdrew a report"),
        }
    )
