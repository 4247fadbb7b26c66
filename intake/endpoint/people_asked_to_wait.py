"""Counts how many people were asked to wait with their record, and how many of them came back, without
revealing anything about one person.

A process counts in its memory for a minute, rounds each count to a multiple of 20, up or down at random, and
adds it to the row of the survey and hour. The sum is right on average, and one person more or less changes a
count in one case of twenty: somebody who sent all other waiting records learns nearly nothing of the
remaining one.

A device says in its next try that it was counted ("Candor-Again: 1", the same for everybody). Anyone can
leave that out or invent it, so the counts are what devices say: they correct no estimate, and are no counts
of records. Some people are counted at each try: those without JavaScript, and those whom the reply did not
reach. A flood is refused before its survey is known, and counts nobody.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from secrets import randbelow
from threading import Lock

from django.db import DatabaseError, InterfaceError
from django.db.models import F, Sum
from django.utils import timezone

from intake.endpoint.delayed_call import Later, call_in_a_minute
from intake.models import WaitCount
from surveys.lifecycle.record_counts import WaitCounts

logger = logging.getLogger(__name__)
STEP = 20


@dataclass(slots=True)
class Tally:
    """Counts for one survey: people `asked` to wait, and people who `returned` and whose record was then stored."""

    asked: int = 0
    returned: int = 0


Write = Callable[[int, Tally], None]


def round_randomly(n: int, below: Callable[[int], int] = randbelow) -> int:
    """Rounds n up or down to a multiple of 20 at random, so that the expected result is n."""
    low, rest = divmod(n, STEP)
    return STEP * (low + (below(STEP) < rest))


class WaitCounter:
    """Counts in memory, by survey, the people who are asked to wait and those who return; `flush` stores the counts.

    `write` stores the counts of one survey; `later` schedules the flush after a minute.
    """

    def __init__(self, write: Write, later: Later) -> None:
        self._write, self._later = write, later
        self._counts: dict[int, Tally] = {}
        self._lock = Lock()

    def count(self, survey: int, *, asked: int = 0, returned: int = 0) -> None:
        with self._lock:
            is_first = not self._counts
            tally = self._counts.setdefault(survey, Tally())
            tally.asked += asked
            tally.returned += returned
        if is_first:
            self._later(self.flush)

    def flush(self) -> None:
        """Stores all counts; those that the database refuses are kept for the next flush."""
        with self._lock:
            counts, self._counts = self._counts, {}
        for survey, tally in counts.items():
            try:
                self._write(survey, tally)
            except (DatabaseError, InterfaceError) as error:
                logger.error("people who were asked to wait are counted later: %s", type(error).__name__)
                self.count(survey, asked=tally.asked, returned=tally.returned)


def add_to_hourly_counts(survey: int, tally: Tally) -> None:
    """Rounds the counts at random, adds them to the survey's row of this hour, and logs one line."""
    asked, returned = round_randomly(tally.asked), round_randomly(tally.returned)
    if not asked and not returned:
        return
    row, _is_new = WaitCount.objects.get_or_create(survey_id=survey, hour=start_of_hour(timezone.now()))
    WaitCount.objects.filter(pk=row.pk).update(asked=F("asked") + asked, returned=F("returned") + returned)
    logger.warning(
        "survey %s: in a minute about %s people were asked to wait, and %s who had waited came back",
        survey,
        asked,
        returned,
    )


def start_of_hour(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


WAITS = WaitCounter(add_to_hourly_counts, call_in_a_minute)


# --- what people are told


def total_wait_counts(survey: int) -> WaitCounts:
    rows = WaitCount.objects.filter(survey=survey)
    return WaitCounts(**rows.aggregate(asked=Sum("asked", default=0), returned=Sum("returned", default=0)))


def count_asked_lately(now: datetime) -> int:
    """Returns how many people of all surveys were asked to wait in this hour and the one before."""
    rows = WaitCount.objects.filter(hour__gte=start_of_hour(now) - timedelta(hours=1))
    return int(rows.aggregate(asked=Sum("asked", default=0))["asked"])
