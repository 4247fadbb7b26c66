"""The scripts read every kind of file as the CSV file, and equal the published report of the demonstration."""

import json
import subprocess
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from accounts.models import Person
from config.start import demo
from config.start.demo_people import employees
from intake.recordfiles import as_csv, as_dta, as_parquet, as_sav
from intake.recordfiles.analysis import LANGUAGES, PYTHON, R
from intake.recordfiles.rows import UsedRows, used_records
from intake.rehearsal.simulating import simulate
from mining.document.codec import load
from mining.document.models import ModelResult
from mining.document.report import from_json
from reports.models import Review
from reports.review import publishing
from runs import modelling, starting
from runs.models import ModelJob
from surveys.lifecycle import states
from tests.intake.recordfiles import analysed
from tests.intake.recordfiles.test_analysis import SURVEYS, records_of
from tests.jobs.attempts import attempt

pytestmark = pytest.mark.server
NOW = datetime(2026, 12, 1, tzinfo=UTC)

ARROW = {
    "DESCRIPTION": "Package: arrow\nVersion: 0.0.1\nTitle: Stand-In\nDescription: Stand-in.\nAuthor: Candor\n"
    "Maintainer: Candor <candor@example.org>\nLicense: none\nEncoding: UTF-8\n",
    "NAMESPACE": "export(read_parquet)\n",
    "R/read.R": """read_parquet <- function(file) {
  types <- scan(paste0(file, ".types"), "", sep = "\\n", quiet = TRUE)
  found <- read.csv(paste0(file, ".csv"), colClasses = types, check.names = FALSE, encoding = "UTF-8",
                    na.strings = "<null>")
  structure(found, class = c("tbl_df", "tbl", "data.frame"))
}
""",
}
"""A stand-in for the package arrow, which Debian does not have: it returns what arrow does, a tibble with a factor for
each column of categories and an integer for each column of numbers, from what the test has read with pyarrow."""


def write_csv(records: UsedRows, folder: Path) -> None:
    (folder / "records.csv").write_bytes(b"".join(as_csv.written(records)))


def write_sav(records: UsedRows, folder: Path) -> None:
    as_sav.write(records, folder / "records.sav", "en")


def write_dta(records: UsedRows, folder: Path) -> None:
    as_dta.write(records, folder / "records.dta", "en")


def write_parquet(records: UsedRows, folder: Path) -> None:
    """With what the stand-in for arrow reads, and the stand-in, installed as a package is."""
    path = folder / "records.parquet"
    path.write_bytes(b"".join(as_parquet.written(records, "en")))
    table = parquet.read_table(path)
    types = ["factor" if pa.types.is_dictionary(column.type) else "integer" for column in table.columns]
    Path(f"{path}.types").write_text("\n".join(types))
    rows = [table.column_names, *zip(*(column.to_pylist() for column in table.columns), strict=True)]
    lines = (
        ",".join("<null>" if cell is None else json.dumps(cell, ensure_ascii=False) for cell in row)
        for row in rows
    )
    Path(f"{path}.csv").write_text("\n".join(lines) + "\n")
    for name, text in ARROW.items():
        file = folder / "arrow" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / "library").mkdir()
    subprocess.run(
        ["R", "CMD", "INSTALL", "--no-docs", "--library=library", "arrow"],
        cwd=folder,
        check=True,
        capture_output=True,
    )


WRITE: dict[str, Callable[[UsedRows, Path], None]] = {
    "csv": write_csv,
    "sav": write_sav,
    "dta": write_dta,
    "parquet": write_parquet,
}


@pytest.mark.parametrize("survey", ["arms-everything", "open-everything"])
def test_every_kind_of_file_gives_the_same_tables(survey: str, tmp_path: Path) -> None:
    of = SURVEYS[survey]
    records, tables = records_of(of, 2_000), {}
    for kind, write in WRITE.items():
        write(records, tmp_path)
        for language in LANGUAGES:
            library = {"R_LIBS": str(tmp_path / "library")}
            tables[language.file, kind] = analysed.run(language, of, tmp_path, kind, **library)
    for language in LANGUAGES:
        of_csv = tables[language.file, "csv"]
        assert {"shares", "groups", "numbers", "means", "distributions", "places"} <= set(of_csv)
        for kind in ("sav", "dta", "parquet"):
            assert tables[language.file, kind] == of_csv, (language.file, kind)


@pytest.mark.parametrize("kind", ["csv", "sav"])
def test_a_computer_that_does_not_know_chinese_computes_the_same(kind: str, tmp_path: Path) -> None:
    of = SURVEYS["open"]
    WRITE[kind](records_of(of, 1_000), tmp_path)
    plainly, whole = (analysed.run(R, of, tmp_path, kind, LC_ALL=locale) for locale in ("C", "C.UTF-8"))
    assert [row["support"] for row in plainly["shares"]] == [row["support"] for row in whole["shares"]]


@pytest.mark.django_db
def test_the_scripts_say_what_the_published_report_of_the_demo_says(reviewer: Person, tmp_path: Path) -> None:
    owner = Person.objects.create(username="researcher")
    survey = demo.opened(owner, demo.questionnaire(NOW.date()), NOW)
    assert survey.design
    of = survey.design.content
    simulate(survey, 3_000, seed=1, population=employees(of))
    survey.refresh_from_db()
    states.close(survey, owner, NOW)
    states.finish(survey, owner, NOW)
    run = starting.start(survey, owner, demo.WANTED, NOW)
    attempt(run)
    run.refresh_from_db()
    job = modelling.start(run, owner, demo.MODEL, NOW)
    attempt(job)
    publishing.add_finished_runs(NOW)
    publication = publishing.publish(Review.objects.get(run=run), reviewer, demo.CLASSES, "https://x", NOW)
    report = from_json({**publication.content, "rules": publication.rules})
    model = load(ModelResult, ModelJob.objects.get(pk=job.pk).model.numbers)
    expected = [*analysed.of_report(report, of), *analysed.of_model(model)]
    of_table = Counter(name for name, _key, numbers in expected if {*numbers.values()} != {None})
    assert of_table["shares"] > 24
    assert {"groups", "numbers", "means", "places", "arms", "completion", "model"} <= set(of_table)

    write_csv(used_records(survey), tmp_path)
    for language in LANGUAGES:
        on = '["age", "sector"]' if language is PYTHON else 'c("age", "sector")'
        tables = analysed.run(language, of, tmp_path, more=f'put("model", model("supplies=yes", {on}))\n')
        assert analysed.differences(tables, expected, published=True) == []
