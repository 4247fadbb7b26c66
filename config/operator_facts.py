"""What an operator looks for first, such as health, the last backup and mail, for the administration's first page."""

import shutil
from collections.abc import Iterator
from datetime import datetime
from time import monotonic

from django.conf import settings
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from accounts.models import Person
from candor import __version__
from config.backup.models import Backup
from config.health import MEGABYTE, PATIENCE, health_results
from jobs.job_state_changes import waiting_jobs
from ui.admin_site import OperatorFact
from ui.number_format import format_count


def operator_facts() -> Iterator[OperatorFact]:
    """Yields the facts in their order; one that needs something done is not `ok`."""
    failing = {name: found for name, found in health_results(monotonic() + PATIENCE).items() if not found.ok}
    words = "; ".join(f"{name}: {found.words}" for name, found in failing.items())
    free = shutil.disk_usage(settings.VAR).free
    made, checked = Backup.last_made(), Backup.last_checked()
    is_sent = settings.EMAIL_BACKEND.endswith("smtp.EmailBackend")
    new = Person.objects.filter(is_active=True, last_login=None).count()
    yield OperatorFact(_("Version"), __version__)
    yield OperatorFact(_("Health"), words or _("All checks pass."), not failing)
    megabytes = free // MEGABYTE
    is_enough = megabytes >= settings.LEAST_FREE_MEGABYTES
    yield OperatorFact(_("Free disk space"), _("%(n)s MB") % {"n": format_count(megabytes)}, is_enough)
    yield OperatorFact(_("Last backup"), _time(made), made is not None)
    yield OperatorFact(_("Last restore drill"), _time(checked), checked is not None)
    sent = _("sent by %(host)s") % {"host": settings.EMAIL_HOST} if is_sent else _("not sent; set MAIL_URL")
    yield OperatorFact(_("Mail"), sent, is_sent)
    yield OperatorFact(_("Jobs that wait"), format_count(waiting_jobs().count()))
    yield OperatorFact(_("Accounts that nobody has signed in to yet"), format_count(new))


def _time(moment: datetime | None) -> str:
    return date_format(timezone.localtime(moment), "DATETIME_FORMAT") if moment else _("never")
