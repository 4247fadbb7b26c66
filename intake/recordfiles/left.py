"""The record files that left a survey, as the history knows them, and the batches that stay apart because of it."""

from collections.abc import Collection, Iterator
from itertools import accumulate

from django.utils.translation import gettext as _

from intake.models import Batch
from intake.recordfiles.canonical import plain_places
from people.models import History
from surveys.departures import Departure
from surveys.models import Survey

ACTION = "intake.records-downloaded"


def departures(survey: Survey) -> Iterator[Departure]:
    """Each size of file once, when it first left: every record file of so many records holds the same ones."""
    if survey.design is None:
        return
    design = survey.design.content
    exact = tuple(design.questions[place].name for place in plain_places(design))
    seen: set[int] = set()
    for row in History.objects.about(survey).filter(what=ACTION).order_by("pk"):
        through = _through(survey.pk, row.note)
        if through not in seen:
            seen.add(through)
            yield Departure(f"records {row.pk}", _("a record file"), row.when, through, exact, by_record=True)


def pinned_batches(survey: int) -> Collection[int]:
    """The last batch of each file."""
    rows = History.objects.filter(
        what=ACTION, thing_app="surveys", thing_model="survey", thing_id=str(survey)
    )
    return {_through(survey, note) for note in rows.values_list("note", flat=True).distinct()}


def _through(survey: int, note: str) -> int:
    """The last batch of a file with so many records. Where batches were merged since: all, the safe side."""
    rows = list(Batch.objects.filter(survey=survey).order_by("first").values_list("last", "n"))
    counted = dict(zip(accumulate(n for _last, n in rows), (last for last, _n in rows), strict=True))
    return counted.get(_records(note), max(counted.values(), default=0))


def _records(note: str) -> int:
    """The number of records that `intake.recordfiles.offer` writes at the end of the note."""
    return int(note.rpartition(" ")[2])
