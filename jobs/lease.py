"""A lease: a right that one process has at a time, decided by one conditional UPDATE. It expires when its holder dies.

A lease that ends later than a whole length from now counts as expired: it was taken before the clock was set back.
"""

from datetime import datetime, timedelta

from django.db.models import Q

from jobs.models import Lease

# Between reading the clock and asking for the lease, another may have renewed it.
MOMENT = timedelta(seconds=1)


def take(name: str, holder: str, now: datetime, length: timedelta) -> bool:
    """Take or renew the lease; False while another process has it."""
    ours = Lease.objects.filter(
        Q(holder=holder) | Q(until__lte=now) | Q(until__gt=now + length + MOMENT), name=name
    )
    if ours.update(holder=holder, until=now + length):
        return True
    # The first holder ever makes the row; of two, the second makes none and finds it taken.
    first = Lease(name=name, holder=holder, until=now + length)
    Lease.objects.bulk_create([first], ignore_conflicts=True)
    return Lease.objects.filter(name=name, holder=holder, until=first.until).exists()


def release(name: str, holder: str) -> None:
    Lease.objects.filter(name=name, holder=holder).delete()
