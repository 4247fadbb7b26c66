"""Offers and delivers record files: a zip of the file, its codebook and the analysis scripts."""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from errno import ENOSPC
from os import urandom
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from intake.batches.sealing import RandomBytes, last_batch_number
from intake.disclosure import ledger
from intake.disclosure.ledger import ProposedDisclosure
from intake.disclosure.models import DisclosureKind, Population
from intake.disclosure.record_selection import current_population, get_finishing_row
from intake.recordfiles import as_csv, spss_and_stata_variables
from intake.recordfiles.analysis_scripts import LANGUAGES
from intake.recordfiles.codebook import codebook_markdown
from intake.recordfiles.record_file_rows import PieceBuffer, UsedRows, shuffle_used_records
from privacy.designs import Design
from privacy.designs.hypothesis_plan import Plan
from surveys.lifecycle import record_counts
from surveys.lifecycle.opening import load_frozen_plan
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

ACTION = "intake.records-downloaded"
KINDS = {"csv": "CSV", "parquet": "Parquet", "sav": "SPSS", "dta": "Stata"}
LABELLED = {"sav", "dta"}
"""Kinds of files with labels, which are written cell by cell."""
PIECE = 1 << 20
UNWRITTEN = "Unable to write data"
"""Message of pyreadstat's `ReadstatError` if the disk is full."""
COMPRESSION = 4
"""Compression level of the zip: columns of few distinct texts shrink to a tenth, and a higher level gains little."""
FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""Time stamp of all members of a zip, the earliest that the format allows."""


@dataclass(frozen=True)
class RecordFileSize:
    """The size of a record file, from counts and without reading records.

    `is_exact` is False where the size is an upper bound: the number of open records is secret before the survey is
    finished.
    """

    records: int
    columns: int
    is_exact: bool = True

    @property
    def fits_spss_and_stata(self) -> bool:
        """True if the file is small enough to be made for SPSS or Stata."""
        return self.records * self.columns <= spss_and_stata_variables.MOST_CELLS


def record_file_size(survey: Survey) -> RecordFileSize:
    if survey.design is None:
        return RecordFileSize(0, 1)
    design = survey.design.content
    columns = len(design.questions) + 1
    if design.has_group_open and not survey.is_rehearsal:
        if current_population(survey) != Population.USED:
            return RecordFileSize(record_counts.counts_of_survey(survey).sealed, columns, is_exact=False)
        kept = get_finishing_row(survey).kept
        return RecordFileSize(kept["disguised"] + kept["kept"], columns)
    return RecordFileSize(record_counts.counts_of_survey(survey).sealed, columns)


def hand_over_file(
    survey: Survey, person: "Person", kind: str, language: str, now: datetime, *, permission: str = ""
) -> Iterator[bytes]:
    """Returns an iterator over the zip of a record file, in pieces.

    Reads all records and writes the history before it returns.
    """
    records = disclose_records(survey, person, kind, now, permission=permission)
    file, title = f"records.{kind}", survey.title_with_fallback(language)
    plan = load_frozen_plan(survey) if survey.may(person, "hypotheses") else None
    members = [
        *codebook_and_scripts(records.design, records, file, title, language, plan),
        ("design.json", [records.design.canonical.encode()]),
        (file, _write_record_file(records, kind, language)),
    ]
    return stream_zip(members)


def codebook_and_scripts(
    design: Design, records: UsedRows | None, file: str, title: str, language: str, plan: Plan | None
) -> Iterator[tuple[str, list[bytes]]]:
    """Yields the codebook and the analysis scripts of a record file, each as its name and content.

    `records`: None if the file is not approved. `plan`: the survey's hypotheses; None if there are none or the reader
    may not see them.
    """
    yield "codebook.md", [codebook_markdown(design, file, title, language, records).encode()]
    for script in LANGUAGES:
        yield script.file, [script.script(design, file, title, plan).encode()]


def disclose_records(
    survey: Survey,
    person: "Person",
    kind: str,
    now: datetime,
    random_bytes: RandomBytes = urandom,
    *,
    permission: str = "",
) -> UsedRows:
    """Returns the records of a record file that this person downloads; writes the download to the ledger and the
    history.

    `permission`: checked again once the survey is locked, since a reviewer may have withdrawn the approval.
    """
    with transaction.atomic():
        # Locked until the ledger's row is written, which pins the last batch.
        survey = Survey.objects.get_locked_while_records_arrive(survey.pk)
        if permission and not survey.may(person, permission):
            raise NotAllowed(_("No reviewer approves any longer that records of this survey leave Candor."))
        records = shuffle_used_records(survey, random_bytes)
        if not records.n:
            raise NotAllowed(_("No answers are sealed yet, and only sealed ones can leave."))
        columns = len(records.design.questions) + 1
        if kind in LABELLED and not RecordFileSize(records.n, columns).fits_spss_and_stata:
            raise NotAllowed(too_large_message())
        if kind == "dta" and not spss_and_stata_variables.fits_stata(records.design):
            raise NotAllowed(
                _("The names of a set of choices are longer than a text of Stata. Take CSV, Parquet or SPSS.")
            )
        population, last_batch = current_population(survey), last_batch_number(survey.pk)
        telling = ProposedDisclosure(
            DisclosureKind.RECORDS,
            f"records {population} {last_batch}",
            _("a record file"),
            last_batch,
            population,
            to_holders=True,
        )
        ledger.write_disclosure(survey, telling, person, now)
        # Without the number of records, which everybody who sees the survey would read in its history.
        log_activity(person, ACTION, survey, note=KINDS[kind], when=now)
    return records


def too_large_message() -> str:
    return _(
        "Files for SPSS and Stata are made of up to 20 million cells; this one would have more. Take CSV or Parquet,"
        " which have no limit, and read the columns that you need."
    )


def _write_record_file(records: UsedRows, kind: str, language: str) -> Iterator[bytes]:
    # The libraries of all formats but CSV take as much memory as all of Candor, so they are loaded only where needed.
    match kind:
        case "csv":
            return as_csv.write_csv(records)
        case "parquet":
            from intake.recordfiles import as_parquet  # late for cost

            return as_parquet.write_parquet(records, language)
    from pyreadstat import ReadstatError  # late for cost

    from intake.recordfiles import as_spss_and_stata  # late for cost

    write = as_spss_and_stata.write_sav if kind == "sav" else as_spss_and_stata.write_dta
    with tempfile.TemporaryDirectory(prefix="candor-") as folder:
        path = Path(folder) / f"records.{kind}"
        try:
            write(records, path, language)
        except ReadstatError as error:
            if str(error) != UNWRITTEN:
                raise
            raise OSError(ENOSPC, str(error), str(path)) from None
        # Open and already without a name: whatever happens, none is left lying.
        return _read_file_pieces(path.open("rb"))


def _read_file_pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(PIECE):
            yield piece


def stream_zip(members: Iterable[tuple[str, Iterable[bytes]]]) -> Iterator[bytes]:
    """Yields a zip in pieces; each of the `members` is a name with the pieces of its content."""
    pipe = PieceBuffer()
    with ZipFile(pipe, "w", ZIP_DEFLATED, compresslevel=COMPRESSION) as archive:
        for name, pieces in members:
            # The time would differ from one file to the next, where nothing else does.
            about = ZipInfo(name, FIRST_DAY)
            about.compress_type = ZIP_DEFLATED
            with archive.open(about, "w", force_zip64=True) as member:
                for piece in pieces:
                    member.write(piece)
                    yield pipe.take()
    yield pipe.take()
