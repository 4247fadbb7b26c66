"""Builds the zip in which a release is downloaded: its table, report and README, and the source values that
each shown value covers.
"""

import csv
import gzip
import io
import json
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from intake.recordfiles.download import stream_zip
from privacy.anonymity.published_file import measure_published_file
from privacy.anonymity.tables.specification import Specification
from privacy.grammar.json_node import PARTS
from releases import source_tables, uploads
from releases.models import Release, ReleasedTable
from releases.specification import shown_to_source_values
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

KINDS = {"csv": "CSV", "parquet": "Parquet"}


def stream_download(release: Release, person: "Person", kind: str, now: datetime) -> Iterator[bytes]:
    """Yields the zip in pieces; everything is read, and the history written, before the first piece."""
    if not release.may(person, "download"):
        raise NotAllowed(_("This release cannot be downloaded: it is not approved, or was withdrawn."))
    members = zip_members(release, kind)
    log_activity(
        person,
        "releases.downloaded",
        release.history_subject_of_review,
        note=f"{release}, {KINDS[kind]}.",
        when=now,
    )
    return stream_zip(members)


def zip_members(release: Release, kind: str) -> list[tuple[str, list[bytes]]]:
    """Returns the members of the zip: name and content."""
    data, said = published_file(release), source_tables.get_specification(release)
    report = _make_public_report(release, data, said)
    read_me = render_to_string(
        "releases/README.txt",
        {
            "release": release,
            "report": report,
            "file": f"release.{kind}",
            "suppression": said.suppression / PARTS,
            "falsification": said.falsification / PARTS,
        },
    )
    return [
        ("README.txt", [read_me.encode()]),
        ("report.json", [json_bytes(report)]),
        ("mapping.json", [json_bytes(shown_to_source_values.covered_values_by_column(data, said))]),
        (f"release.{kind}", [data if kind == "csv" else csv_to_parquet(data)]),
    ]


def published_file(release: Release) -> bytes:
    """Returns the published table as CSV; raises `ReleasedTable.DoesNotExist` if its upload's day has come and nobody
    has decided on it."""
    if uploads.is_undecided_after_its_day(release, timezone.now()):
        raise ReleasedTable.DoesNotExist
    return gzip.decompress(ReleasedTable.objects.values_list("file", flat=True).get(making__release=release))


def measure_public_report(release: Release) -> dict[str, Any]:
    """Returns the report for everybody, made from the published file and the specification alone."""
    return _make_public_report(release, published_file(release), source_tables.get_specification(release))


def _make_public_report(release: Release, data: bytes, specification: Specification) -> dict[str, Any]:
    # Without the seed, the tries and the time of the search, with which it could be repeated.
    left_out = ("seed", "seconds", "tries", "table")
    chosen: dict[str, Any] = json.loads(release.specification)
    return {
        "release": release.pk,
        "specification": {name: value for name, value in chosen.items() if name not in left_out},
        **({"released_before": release.source.before} if release.source.is_upload else {}),
        **measure_published_file(io.BytesIO(data), "release.csv", specification),
    }


def json_bytes(content: Any) -> bytes:
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False).encode()


def csv_to_parquet(data: bytes) -> bytes:
    """Converts a CSV to Parquet. Every column is a dictionary of texts, since the value of a class is no number."""
    import pyarrow as pa  # late for cost
    from pyarrow import parquet as files  # late for cost

    header, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
    columns = [pa.array(column, pa.string()).dictionary_encode() for column in zip(*rows, strict=True)]
    sink = pa.BufferOutputStream()
    files.write_table(pa.table(columns, names=header), sink, compression="zstd")
    return bytes(sink.getvalue())
