"""Builds the deposit of a published report: a zip for a repository, which can be checked without Candor.

It contains records only if a reviewer has allowed record files and, separately, their publication, and only
through the ledger of disclosures. The same input gives the same bytes: the order of the records is drawn from
the server's secret key, so that nobody else can repeat the draw.
"""

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property, partial
from hashlib import sha256, shake_256
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile, ZipInfo

from django.conf import settings
from django.db import transaction
from django.template.loader import render_to_string
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from deposits.ddi_codebook import codebook_xml
from deposits.metadata import LICENCES, Metadata, citation_file, datacite
from deposits.models import DepositDigest
from intake.batches.sealing import RandomBytes
from intake.hosted import check_page
from intake.recordfiles import as_csv, download
from intake.recordfiles.record_file_rows import UsedRows
from releases.lifecycle import download_zip
from releases.models import Release
from reports.exports.file_format_writers import as_json_file, csv_tables, plan_file, published_plan
from reports.models import Review
from surveys.models import PageFolder, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person
    from reports.review.report_page_data import ReportPage

RECORDS = "records.csv"
SUMS = "SHA256SUMS"
LIBRARY = ("privacy", "mining")
BESIDE = ("deposits/__init__.py", "deposits/recompute_report.py")
"""What the check of a deposit imports beside the library; it imports no Django."""
PACKAGES = ("llvmlite", "numba", "numpy", "pyarrow", "scipy")
"""Third-party packages that the check of a deposit imports."""

Pieces = Callable[[], Iterable[bytes]]


@dataclass(frozen=True)
class Deposit:
    """The deposit of a report, made for one person; `about.language` is the language of the survey's own texts."""

    report: "ReportPage"
    about: Metadata
    person: "Person"
    with_records: bool

    def hand_over(self, now: datetime) -> Iterator[bytes]:
        """Checks the person's rights, logs the download, and returns the zip in pieces; only records are read later."""
        survey = self.report.survey
        self._require_right_to_share(self.report.review)
        if self.with_records and not survey.may(self.person, "deposit"):
            raise NotAllowed(_("No reviewer has approved that the records of this survey are published."))
        records = (
            download.disclose_records(
                survey,
                self.person,
                "csv",
                now,
                repeatable_random_bytes(f"{survey.pk}"),
                permission="deposit",
            )
            if self.with_records
            else None
        )
        files = self._files_by_name(records)
        what = _("with records") if records else _("without records")
        members: dict[str, Pieces] = {name: partial(list, [content]) for name, content in files.items()}
        if records:
            members[RECORDS] = partial(as_csv.write_csv, records)
        members = add_checksums(members)
        digest = sha256(b"".join(members[SUMS]())).hexdigest()
        with transaction.atomic():
            # Withdrawn or deleted while the files were made, the report is not handed out.
            review = Review.objects.get_locked(self.report.review.pk)
            self._require_right_to_share(review)
            note = f"{self.report.review.run}, {what}."
            log_activity(self.person, "deposits.downloaded", survey, note=note, when=now)
            DepositDigest.objects.update_or_create(review=review, digest=digest, defaults={"when": now})
        return download.stream_zip((name, pieces()) for name, pieces in members.items())

    def _require_right_to_share(self, review: Review) -> None:
        if not review.may(self.person, "share"):
            raise NotAllowed(_("Only the owner of a survey deposits its published report."))

    def _files_by_name(self, records: UsedRows | None) -> dict[str, bytes]:
        """Returns the files of the zip by name, except the records and the checksums."""
        report, about = self.report, self.about
        design, published = report.design, report.require_publication()
        files = {
            "CITATION.cff": citation_file(about, published.when.date().isoformat()),
            "datacite.json": datacite(about),
            "design.json": design.canonical.encode(),
            "report.json": as_json_file(report),
            **{f"tables/{name}": content for name, content in csv_tables(report).items()},
            **plan_file(report),
            "codebook.xml": codebook_xml(design, about, records.n if records else None),
        }
        if design.host:
            files[Path(check_page.__file__).name] = Path(check_page.__file__).read_bytes()
        plan = published_plan(report)
        for name, pieces in download.codebook_and_scripts(
            design, records, RECORDS, about.title, about.language, plan
        ):
            files[name] = b"".join(pieces)
        for release in self.releases:
            for name, pieces in download_zip.zip_members(release, "csv"):
                files[f"releases/{release.pk}/{name}"] = b"".join(pieces)
        context = {
            "about": about,
            "licence": LICENCES[about.licence],
            "report": report,
            "records": records,
            "releases": self.releases,
            "has_plan": bool(plan_file(report)),
            "page": PageFolder.objects.filter(survey=report.survey.pk).first(),
        }
        files["README.md"] = render_to_string("deposits/README.txt", context).encode()
        return {**files, **bundled_files()}

    @cached_property
    def releases(self) -> list[Release]:
        return approved_releases(self.report.survey, self.person)


def approved_releases(survey: Survey, person: "Person") -> list[Release]:
    """Returns the approved releases of the survey that this person may download."""
    approved = Release.objects.filter(source__survey=survey, state=Release.State.APPROVED)
    return [release for release in approved.order_by("pk") if release.may(person, "download")]


def repeatable_random_bytes(name: str) -> RandomBytes:
    """Returns a generator of random bytes: repeatable for a name, unpredictable without the server's secret key."""
    key, calls = salted_hmac("deposits.order", name, algorithm="sha256").digest(), count(1)

    def draw(n: int) -> bytes:
        # With n, since a longer digest begins like a shorter one: another number of records gives another order.
        return shake_256(key + next(calls).to_bytes(8, "big") + n.to_bytes(8, "big")).digest(n)

    return draw


def add_checksums(members: dict[str, Pieces]) -> dict[str, Pieces]:
    """Returns the files sorted by name, followed by SHA256SUMS in the format of `sha256sum`."""
    ordered = dict(sorted(members.items()))
    lines = []
    for name, pieces in ordered.items():
        digest = sha256()
        for piece in pieces():
            digest.update(piece)
        lines.append(f"{digest.hexdigest()}  {name}\n".encode())
    return {**ordered, SUMS: partial(list, [b"".join(lines)])}


# --- the part of Candor that the deposit carries, so that it can be checked without it ---


def bundled_files() -> dict[str, bytes]:
    """Returns the files that every deposit contains, by name: check.py, the library with its lock, and the R
    package."""
    root = Path(settings.BASE_DIR)
    checks = [path for path in Path(__file__).with_name("bundled").iterdir() if path.is_file()]
    r = [root / "r" / name for name in ("DESCRIPTION", "LICENSE", "NAMESPACE")] + [*(root / "r/R").iterdir()]
    return {
        **{path.name: path.read_bytes() for path in checks},
        **{path.relative_to(root).as_posix(): path.read_bytes() for path in r},
        "library.zip": library_zip(),
        "requirements.txt": library_requirements((root / "requirements.lock").read_text()).encode(),
    }


@cache
def library_zip() -> bytes:
    """Returns a zip of the Python sources that check.py needs, identical at each call: sorted, undated,
    uncompressed."""
    root, content = Path(settings.BASE_DIR), io.BytesIO()
    modules = [path for package in LIBRARY for path in (root / package).rglob("*.py")]
    names = sorted({*BESIDE, *(path.relative_to(root).as_posix() for path in modules)})
    with ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(ZipInfo(name, download.FIRST_DAY), (root / name).read_bytes())
    return content.getvalue()


def library_requirements(lock: str) -> str:
    """Returns the lines of the lock file for `PACKAGES`, with their hashes."""
    lines, is_kept = [], False
    for line in lock.splitlines(keepends=True):
        if not line.startswith(" "):
            is_kept = line.partition("==")[0] in PACKAGES
        if is_kept:
            lines.append(line)
    return "".join(lines)
