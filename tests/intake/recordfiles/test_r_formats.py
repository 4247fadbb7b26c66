"""The R script runs as it is written with every kind of file, and its shares are those of the report."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from pyarrow import parquet

from intake.recordfiles import as_csv, as_parquet, as_sav
from intake.recordfiles.rows import UsedRows
from mining.document.codec import dump
from mining.document.names import Names
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from privacy.designs import Design
from privacy.records import DISGUISED, OPEN, RecordRow
from privacy.simulation.disguise import disguise
from runs.findings import answers
from tests.intake.recordfiles import filed
from tests.mining.listed import Listed
from tests.privacy.questionnaires import (
    IF_EMPLOYED,
    WORK,
    classes,
    design,
    place_in_row,
    plain,
    question,
    sensitive,
    window,
)

pytestmark = pytest.mark.server

SENSITIVE = sensitive(
    "0.4",
    question("took-home", "0.4", "0.6"),
    question("false_sick", "0.7", "0.3", **IF_EMPLOYED),
    {"name": "多少", "choices": ["从不", "=一次", "many times"], "noise": ["0.5", "0.3", "0.2"]},
    asked=2,
)
CHOSEN = design(plain(WORK), SENSITIVE)
ASKED = design(
    plain(WORK),
    SENSITIVE,
    window("change, in all", 101, 10, "0.4", low=-250, step=5, **IF_EMPLOYED),
    classes("debt", "0.7142", 0, 500, 1000, 2000, 100_000, rest=2, **IF_EMPLOYED),
    place_in_row("home", {"north": [0, 1, 2], "south": [3, 4]}, 7, 1, "6", **IF_EMPLOYED),
)
MEASURED = ("took-home", "false_sick", "多少")

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


def people(of: Design, n: int) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    rng = np.random.default_rng(7)
    group = np.where(rng.random(n) < 0.3, OPEN, DISGUISED).astype(np.uint8)
    work, theft, sick = (rng.random(n) < share for share in (0.4, 0.2, 0.35))
    often, change, home = rng.choice(3, n, p=[0.5, 0.3, 0.2]), rng.integers(0, 101, n), rng.integers(0, 7, n)
    truth = np.array([work, theft, sick, often, change, rng.integers(0, 100_000, n), home], np.uint32)
    truth[2, work] = of.questions[2].not_applicable
    for place in (4, 5, 6):
        truth[place, work] = of.questions[place].true_hidden
    return group, disguise(of, group, truth, rng)


def write_csv(records: UsedRows, folder: Path) -> None:
    (folder / "records.csv").write_bytes(b"".join(as_csv.written(records)))


def write_sav(records: UsedRows, folder: Path) -> None:
    as_sav.write(records, folder / "records.sav", "en")


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
    "parquet": write_parquet,
}


def run(records: UsedRows, kind: str, folder: Path, locale: str = "C.UTF-8") -> list[list[str]]:
    """The lines that R prints, as cells."""
    WRITE[kind](records, folder)
    (folder / "analysis.R").write_text(r_script.code(records.design, f"records.{kind}", "Work 工作"))
    done = subprocess.run(
        ["Rscript", "--vanilla", "analysis.R"],
        cwd=folder,
        env=os.environ | {"LC_ALL": locale, "R_LIBS": str(folder / "library")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr
    return [line.split() for line in done.stdout.splitlines() if line]


def report(group: NDArray[np.uint8], codes: NDArray[np.uint32]) -> dict[str, dict[str, Any]]:
    """By question and code the rows of the report, of the plain and the yes/no questions alone."""
    known = CachedCounter(Listed(CHOSEN, group, codes[: len(CHOSEN.questions)].astype(np.uint16)))
    names = Names(CHOSEN)
    rows = map(dump, answers(known, Parameters(0.1, 0.5)))
    items = [(names.item(row["items"][0]), row) for row in rows]
    return {f"{CHOSEN.questions[place].name}={code}": row for (place, code), row in items}


@pytest.mark.parametrize("kind", sorted(WRITE))
def test_the_shares_of_every_kind_of_file_are_those_of_the_report(tmp_path: Path, kind: str) -> None:
    group, codes = people(ASKED, 4_000)
    rows = [RecordRow(int(g), tuple(column)) for g, column in zip(group, codes.T.tolist(), strict=True)]
    printed = run(filed.records(ASKED, rows), kind, tmp_path)
    # A name with a space is two cells, but the numbers are the last ones.
    found = {(line[0], line[1]): list(map(float, line[-5:-1])) for line in printed if line[0] in MEASURED}
    reported = report(group, codes)
    assert len(found) == 7
    for name in MEASURED:
        question_of = next(one for one in ASKED.questions if one.name == name)
        for code, choice in enumerate(question_of.choices):
            row = reported[f"{name}={code}"]
            said = choice.name.split()[0]
            if kind == "csv" and said.startswith("="):
                said = f"'{said}"
            asked, shown, share, share_shown = found[name, said]
            assert (asked, shown) == (row["base"], row["shown"])
            assert share == pytest.approx(row["support"], abs=1e-6)
            expected = row["share_shown"] if question_of.show_if else row["support"]
            assert share_shown == pytest.approx(expected, abs=1e-6)


def test_every_kind_of_file_gives_the_same_lines(tmp_path: Path) -> None:
    group, codes = people(ASKED, 2_000)
    rows = [RecordRow(int(g), tuple(column)) for g, column in zip(group, codes.T.tolist(), strict=True)]
    records, printed, written = filed.records(ASKED, rows), [], []
    for kind in WRITE:
        folder = tmp_path / kind
        folder.mkdir()
        printed.append([[cell.lstrip("'") for cell in line] for line in run(records, kind, folder)])
        written.append((folder / "distribution-change_in_all.csv").read_text())
    assert printed[0] == printed[1] == printed[2]
    assert written[0] == written[1] == written[2]
    assert ["home", "north"] in [line[:2] for line in printed[0]]
    # Thresholds are written as they are, not as 1e+05.
    assert [line[1] for line in printed[0] if line[0] == "debt"][:4] == ["500", "1000", "2000", "100000"]


@pytest.mark.parametrize("kind", ["csv", "sav"])
def test_a_computer_that_does_not_know_chinese_computes_the_same(tmp_path: Path, kind: str) -> None:
    group, codes = people(ASKED, 1_000)
    rows = [RecordRow(int(g), tuple(column)) for g, column in zip(group, codes.T.tolist(), strict=True)]
    records, folders = filed.records(ASKED, rows), [tmp_path / "C", tmp_path / "C.UTF-8"]
    for folder in folders:
        folder.mkdir()
    plainly, whole = ([line[-5:] for line in run(records, kind, folder, folder.name)] for folder in folders)
    assert plainly == whole
    assert "NA" not in plainly[1]
