"""What left of a survey through releases, and the batches that stay apart because of it."""

from collections.abc import Collection, Iterator

from releases import joint
from releases.models import Release, ReleasedTable, Source
from releases.permission import MADE
from surveys.departures import Departure
from surveys.models import Survey


def pinned_batches(survey: int) -> Collection[int]:
    """The last batch of each source: a release is made, and held beside others, by the records up to it."""
    return {
        through
        for through in Source.objects.filter(survey=survey).values_list("through", flat=True)
        if through
    }


def departures(survey: Survey) -> Iterator[Departure]:
    """Releases that were approved, also withdrawn ones, and those that wait for a reviewer."""
    made = Release.objects.filter(source__survey=survey, state__in=MADE).select_related("source")
    for release in made.order_by("pk"):
        classes = (
            ReleasedTable.objects.filter(making__release=release).values_list("classes", flat=True).get()
        )
        yield Departure(
            joint.key_of(release),
            str(release),
            release.since,
            release.source.through or 0,
            disguised_only=release.source.disguised_only,
            classes=bytes(classes),
        )
