"""Counts of a survey's records, exact and rounded for display; functions of `intake` count them."""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from surveys.models import Survey


class Counts(NamedTuple):
    """Exact numbers of records: `sealed` in batches, `waiting` in the inbox."""

    sealed: int = 0
    waiting: int = 0

    @property
    def received(self) -> int:
        return self.sealed + self.waiting

    def as_shown_to_people(self, least: int, *, rounded: bool = False) -> "ShownCounts":
        """Returns the counts that a person may see; `least` is the survey's smallest batch.

        `rounded` is for surveys with answers sent openly: the sealed count is rounded down to a multiple of
        `least`. A report states how many answers are disguised, so an exact total would reveal how many of
        the newest answers are open. For the same reason the waiting count then has three steps only: it
        changes with each sealing, and would reveal how many records were sealed.
        """
        tenths = min(TENTHS, TENTHS * self.waiting // records_that_fill_a_batch(least))
        following = tenths + 1
        if rounded and self.sealed > 0 and tenths < TENTHS:
            # Only whether a closing would seal.
            would_seal = tenths >= TENTHS_OF_LEAST
            tenths, following = (TENTHS_OF_LEAST, TENTHS) if would_seal else (0, TENTHS_OF_LEAST)
        return ShownCounts(self.sealed - self.sealed % least * rounded, least, tenths, following)


def records_that_fill_a_batch(least: int) -> int:
    """Returns the number of waiting records that fills a batch: 2.5 times `least` (intake/batches/sealing.py)."""
    return 2 * least + least // 2


TENTHS = 10
"""Number of steps in which the waiting records are shown, from 0 to the `records_that_fill_a_batch(least)` at which
they are sealed. The exact number is never shown: a person who looked every second would learn when each answer came."""
TENTHS_OF_LEAST = 4
"""Number of steps (of TENTHS) reached when `least` records wait."""


class ShownCounts(NamedTuple):
    """Counts that people may see. The waiting records are given in tenths of a full batch, from `tenths` to below
    `next`."""

    sealed: int
    least: int
    tenths: int
    next: int

    @property
    def waiting_at_least(self) -> int:
        """Lower bound of the waiting records."""
        return -(-self.tenths * records_that_fill_a_batch(self.least) // TENTHS)

    @property
    def waiting_at_most(self) -> int | None:
        """Upper bound of the waiting records; None if a batch is due."""
        return (
            -(-self.next * records_that_fill_a_batch(self.least) // TENTHS) - 1
            if self.tenths < TENTHS
            else None
        )

    @property
    def seals_at_closing(self) -> bool:
        return self.waiting_at_least >= self.least

    @property
    def has_visible_answers(self) -> bool:
        """True if the counts show that somebody has answered."""
        return bool(self.sealed or self.tenths)

    @property
    def received_at_least(self) -> int:
        return self.sealed + self.waiting_at_least


class WaitCounts(NamedTuple):
    """Counts of people who were asked to send their record later, and of those who then did; each rounded to
    about 20."""

    asked: int = 0
    returned: int = 0

    @property
    def people_who_did_not_return(self) -> int:
        """Upper bound of the number of people who did not return, accurate to about 20."""
        return max(0, self.asked - self.returned)


Count = Callable[[Collection[int]], Mapping[int, Counts]]
CountWaits = Callable[[int], WaitCounts]
_count: list[Count] = []
_count_waits: list[CountWaits] = []


def register_counters(count: Count, count_waits: CountWaits) -> None:
    """Registers the functions that count: `count(survey ids)` counts records in a few queries,
    `count_waits(survey id)` people asked to wait."""
    _count[:], _count_waits[:] = [count], [count_waits]


def wait_counts_of_survey(survey: "Survey") -> WaitCounts:
    """Returns how many people were asked to send their record later, and how many of them did."""
    return _count_waits[0](survey.pk) if _count_waits else WaitCounts()


def counts_of_surveys(surveys: Collection["Survey"]) -> dict[int, Counts]:
    ids = [survey.pk for survey in surveys]
    counts = _count[0](ids) if _count and ids else {}
    return {pk: counts.get(pk, Counts()) for pk in ids}


def counts_of_survey(survey: "Survey") -> Counts:
    return counts_of_surveys([survey])[survey.pk]


def shown_counts_of_surveys(surveys: Collection["Survey"]) -> dict[int, ShownCounts]:
    received = counts_of_surveys(surveys)
    return {
        survey.pk: received[survey.pk].as_shown_to_people(survey.least, rounded=survey.has_rounded_counts)
        for survey in surveys
    }


def shown_counts_of_survey(survey: "Survey") -> ShownCounts:
    return shown_counts_of_surveys([survey])[survey.pk]
