"""Uploads: checked, profiled and stored, in the database alone (releases/expiring.py deletes them)."""

import io
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from people.history import record
from privacy.grammar.refusal import Refusal
from releases import proposing
from releases.models import Release, Source, Upload
from releases.profiling import profile_csv
from surveys.problems import placed_reason_of
from surveys.refused import Refused

if TYPE_CHECKING:
    from people.models import Person

MOST_BYTES = 50_000_000
MOST_AT_ONCE = 5
"""Uploads of one person that wait at a time."""


def store_upload(
    person: "Person", name: str, content: bytes, now: datetime, before: str = Source.Before.UNKNOWN
) -> Release:
    """A draft of a release of this CSV file, with a proposed specification; refused with file and line."""
    name = name.strip()[:200] or _("table.csv")
    if len(content) > MOST_BYTES:
        raise Refused(
            _("The file has more than 50 MB. Leave out columns or records that the release does not need.")
        )
    try:
        table = profile_csv(io.BytesIO(content), name)
    except Refusal as refusal:
        raise Refused(placed_reason_of(refusal)) from None
    with transaction.atomic():
        if Upload.objects.filter(source__owner=person).count() >= MOST_AT_ONCE:
            raise Refused(
                _(
                    "You have %(most)s uploaded files here already. Finish or discard one of their releases first."
                )
                % {"most": MOST_AT_ONCE}
            )
        source = Source.objects.create(owner=person, name=name, created=now, before=before)
        columns = [column.as_json() for column in table.columns]
        Upload.objects.create(source=source, content=content, columns=columns)
        text = proposing.of_upload(table)
        release = Release.objects.create(source=source, specification=text, since=now, by=person)
        record(person, "releases.uploaded", release, note=name, when=now)
    return release
