"""A release of an uploaded table: every file of its zip, in both kinds."""

import json

from accounts.models import RESEARCHERS, REVIEWERS
from releases.making import downloading
from tests.cast import with_role
from tests.golden.reports import steady, texts
from tests.releases import page_uploads


def files() -> dict[str, bytes]:
    owner, reviewer = with_role(RESEARCHERS, "publisher"), with_role(REVIEWERS, "judge")
    release = page_uploads.approved(owner, reviewer)
    found = {}
    for kind in downloading.KINDS:
        for name, pieces in downloading.pieces_of(release, kind):
            data = b"".join(pieces)
            if name == "report.json":
                data = json.dumps({**json.loads(data), "release": 0, "seconds": 0}, indent=1).encode()
            for part, text in texts("parquet" if name.endswith(".parquet") else "", data).items():
                found[f"release {kind}/{name}{part}"] = text
    for name in ("release csv/release.csv", "release parquet/release.parquet"):
        header, *rows = found[name].splitlines()  # in the order of a draw
        found[name] = b"\n".join([header, *sorted(rows)])
    return {name: steady(text) for name, text in found.items()}
