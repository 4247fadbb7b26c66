"""Hands over a release: a zip of the table, its report, what it is in words, and what each shown value covers."""

import csv
import gzip
import io
import json
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from intake.recordfiles.offer import zipped
from people.history import record
from releases import mapping, specifying
from releases.models import Release, ReleasedTable
from surveys.refused import Refused

if TYPE_CHECKING:
    from people.models import Person

KINDS = {"csv": "CSV", "parquet": "Parquet"}


def hand_over(release: Release, person: "Person", kind: str, now: datetime) -> Iterator[bytes]:
    """The zip in pieces; everything is read, and the history written, before the first."""
    if not release.may(person, "download"):
        raise Refused(_("This release cannot be downloaded: it is not approved, or was withdrawn."))
    members = pieces_of(release, kind)
    record(person, "releases.downloaded", release.thing, note=f"{release}, {KINDS[kind]}.", when=now)
    return zipped(members)


def pieces_of(release: Release, kind: str) -> list[tuple[str, list[bytes]]]:
    table = ReleasedTable.objects.get(making__release=release)
    data = gzip.decompress(table.file)
    specification = json.loads(release.specification)
    report = {"release": release.pk, "specification": specification, **table.report}
    read_me = render_to_string(
        "releases/README.txt", {"release": release, "report": report, "file": f"release.{kind}"}
    )
    said = specifying.specification_of(release)
    return [
        ("README.txt", [read_me.encode()]),
        ("report.json", [as_json(report)]),
        ("mapping.json", [as_json(mapping.of_file(data, said))]),
        (f"release.{kind}", [data if kind == "csv" else parquet(data)]),
    ]


def as_json(content: Any) -> bytes:
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False).encode()


def parquet(data: bytes) -> bytes:
    """Every column a dictionary of texts: what a class shows is no number."""
    import pyarrow as pa  # late for cost
    from pyarrow import parquet as files  # late for cost

    header, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
    columns = [pa.array(column, pa.string()).dictionary_encode() for column in zip(*rows, strict=True)]
    sink = pa.BufferOutputStream()
    files.write_table(pa.table(columns, names=header), sink, compression="zstd")
    return bytes(sink.getvalue())
