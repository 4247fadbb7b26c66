"""A deposit of a published report: one zip that a repository keeps, and that can be checked without Candor.

Records are in it only where a reviewer has allowed record files and, apart, that they are published, and through their
ledger. The same input gives the same bytes: the order of the records is drawn from the server's secret key, so that
nobody else can repeat the draw.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from hashlib import sha256, shake_256
from typing import TYPE_CHECKING

from django.template.loader import render_to_string
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from accounts.history import log_activity
from deposits.ddi import codebook_xml
from deposits.library import bundled_files
from deposits.metadata import LICENCES, Metadata, citation_file, datacite
from deposits.models import DepositDigest
from intake.batches.sealing import RandomBytes
from intake.recordfiles import as_csv, offer
from intake.recordfiles.rows import UsedRows
from releases.making import downloading
from releases.models import Release
from reports.exports.files import as_json_file, csv_tables, plan_file
from surveys.models import Survey
from surveys.questionnaire.problems import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person
    from reports.review.report_page import ReportPage

RECORDS = "records.csv"
SUMS = "SHA256SUMS"

Pieces = Callable[[], Iterable[bytes]]


@dataclass(frozen=True)
class Deposit:
    """What is asked for. `about.language` is that of the survey's own texts."""

    report: "ReportPage"
    about: Metadata
    person: "Person"
    with_records: bool

    def hand_over(self, now: datetime) -> Iterator[bytes]:
        """The zip in pieces; everything but the records is read, and the history written, before the first."""
        survey = self.report.survey
        if not self.report.review.may(self.person, "share"):
            raise NotAllowed(_("Only the owner of a survey deposits its published report."))
        if self.with_records and not survey.may(self.person, "deposit"):
            raise NotAllowed(_("No reviewer has approved that the records of this survey are published."))
        records = (
            offer.disclosed_records(survey, self.person, "csv", now, repeatable(f"{survey.pk}"))
            if self.with_records
            else None
        )
        files = self._files(records)
        what = _("with records") if records else _("without records")
        log_activity(
            self.person, "deposits.downloaded", survey, note=f"{self.report.review.run}, {what}.", when=now
        )
        members: dict[str, Pieces] = {name: partial(list, [content]) for name, content in files.items()}
        if records:
            members[RECORDS] = partial(as_csv.pieces, records)
        members = with_sums(members)
        digest = sha256(b"".join(members[SUMS]())).hexdigest()
        DepositDigest.objects.update_or_create(
            review=self.report.review, digest=digest, defaults={"when": now}
        )
        return offer.zipped((name, pieces()) for name, pieces in members.items())

    def _files(self, records: UsedRows | None) -> dict[str, bytes]:
        """All but the records themselves."""
        report, about = self.report, self.about
        design, published = report.design, report.publication
        assert published
        files = {
            "CITATION.cff": citation_file(about, published.when.date().isoformat()),
            "datacite.json": datacite(about),
            "design.json": design.canonical.encode(),
            "report.json": as_json_file(report),
            **{f"tables/{name}": content for name, content in csv_tables(report).items()},
            **plan_file(report),
            "codebook.xml": codebook_xml(design, about, records.n if records else None),
        }
        for name, pieces in offer.texts(design, records, RECORDS, about.title, about.language):
            files[name] = b"".join(pieces)
        for release in self.releases:
            for name, pieces in downloading.pieces_of(release, "csv"):
                files[f"releases/{release.pk}/{name}"] = b"".join(pieces)
        return {"README.md": self._read_me(records).encode(), **files, **bundled_files()}

    @cached_property
    def releases(self) -> list[Release]:
        return approved_releases(self.report.survey, self.person)

    def _read_me(self, records: UsedRows | None) -> str:
        context = {
            "about": self.about,
            "licence": LICENCES[self.about.licence],
            "report": self.report,
            "records": records,
            "releases": self.releases,
            "has_plan": bool(plan_file(self.report)),
        }
        return render_to_string("deposits/README.txt", context)


def approved_releases(survey: Survey, person: "Person") -> list[Release]:
    """Those of the survey that this person may download."""
    approved = Release.objects.filter(source__survey=survey, state=Release.State.APPROVED)
    return [release for release in approved.order_by("pk") if release.may(person, "download")]


def repeatable(name: str) -> RandomBytes:
    """Bytes that are the same for the same name, and that nobody without the server's secret key can draw."""
    key, drawn = salted_hmac("deposits.order", name, algorithm="sha256").digest(), 0

    def draw(n: int) -> bytes:
        nonlocal drawn
        drawn += 1
        # With n, since a longer digest begins like a shorter one: orders of other numbers of records are other ones.
        return shake_256(key + drawn.to_bytes(8, "big") + n.to_bytes(8, "big")).digest(n)

    return draw


def with_sums(members: dict[str, Pieces]) -> dict[str, Pieces]:
    """In the order of names, with the SHA-256 of each as `sha256sum` writes it."""
    ordered = dict(sorted(members.items()))
    lines = []
    for name, pieces in ordered.items():
        digest = sha256()
        for piece in pieces():
            digest.update(piece)
        lines.append(f"{digest.hexdigest()}  {name}\n".encode())
    return {**ordered, SUMS: partial(list, [b"".join(lines)])}
