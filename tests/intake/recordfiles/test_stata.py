"""Record files for Stata: what pyreadstat and R read of them."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pyreadstat
import pytest

from intake.recordfiles import as_dta, variables
from intake.recordfiles.codebook import codebook
from intake.recordfiles.spss_values import spss_values
from privacy.designs import Design
from privacy.records import DISGUISED, OPEN, RecordRow
from tests.intake import asked
from tests.intake.recordfiles import filed
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    WORK,
    design,
    plain,
    question,
    sensitive,
    subset,
    window,
)

LONG = "Have you ever taken something home from your work that was not yours, even if it was small? 工作"
SCALE = {
    "name": "agree.with",
    "form": "scale",
    "text": LONG,
    "choices": ["1", "2", {"name": "3", "label": LONG * 20}],
}
STUDY = design(
    plain(WORK, SCALE),
    sensitive("0.5", question("theft", *HALF, **IF_EMPLOYED), question("late", *HALF), asked=1),
    window("change", 101, 10, "0.4", low=-50, step=1, **IF_EMPLOYED),
    subset(5, 2, "0.7"),
    open_answers=False,
    direct="0.5",
)
ROWS = [
    RecordRow(DISGUISED, (0, 2, 1, 2, 0, 9)),
    RecordRow(DISGUISED, (1, 0, 3, 2, 102, 0)),
    RecordRow(DISGUISED, (0, 1, 2, 0, 100, 1)),
    RecordRow(OPEN, (0, 0, 1, 2, 50, 12)),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "records.dta"
    as_dta.write(filed.records(STUDY, ROWS), path, "en")
    return path


def test_a_stata_file_holds_numbers_and_missing_values_by_kind(file: Path) -> None:
    data, about = pyreadstat.read_dta(file, output_format="dict", user_missing=True)
    rows = zip(*(data[name] for name in about.column_names), strict=True)
    assert sorted(rows, key=str) == [
        (0, "c", "c", 1, "a", 0, "c"),
        (1, 0, 2, "a", 0, 50, "a+c"),
        (1, 0, 3, 1, "a", -50, "d+e"),
        (1, 1, 1, "b", "a", "b", "a+b"),
    ]
    theft: dict[Any, str] = {**about.variable_value_labels["theft"]}
    assert (theft.pop("a"), theft.pop("b"), theft.pop("c")) == ("not asked", "does not apply", "withheld")
    assert theft == {0: "No", 1: "Yes"}
    assert about.variable_value_labels["group"] == {0: "direct", 1: "disguised"}


def test_labels_of_answers_are_whole_and_those_of_variables_have_eighty_characters(file: Path) -> None:
    about = pyreadstat.read_dta(file, metadataonly=True)[1]
    assert about.variable_value_labels["agree_with"][3] == LONG * 20
    label = about.column_names_to_labels["agree_with"] or ""
    assert len(label) <= 80
    assert LONG.startswith(label.removesuffix("…"))
    assert LONG in codebook(filed.records(STUDY, ROWS), "records.dta", "Work", "en")


@pytest.mark.page
def test_r_reads_the_same(file: Path) -> None:
    read = """
read <- haven::read_dta("records.dta")
told <- lapply(read, function(x) ifelse(is.na(x), if (is.character(x)) NA else haven::na_tag(x), as.character(x)))
cat(jsonlite::toJSON(list(cells = told, labels = lapply(read, function(x) attr(x, "label"))), auto_unbox = TRUE))
"""
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", read], cwd=file.parent, capture_output=True, text=True, check=True
    )
    told: dict[str, Any] = json.loads(done.stdout)
    data, about = pyreadstat.read_dta(file, output_format="dict", user_missing=True)
    by_python = {
        name: [cell if isinstance(cell, str) else f"{cell:g}" for cell in column]
        for name, column in data.items()
    }
    assert told["cells"] == by_python
    assert told["labels"] == about.column_names_to_labels


def named(*names: str) -> list[str]:
    of: Design = asked.written(
        {"kind": "plain", "questions": [{"name": name, "choices": ["a", "b"]} for name in names]}
    )
    return variables.names(of, variables.STATA)


@pytest.mark.parametrize(
    ("name", "variable"),
    [("took_home", "took_home"), ("a.b", "a_b"), ("Int", "q1"), ("str9", "q1"), ("a" * 28, "q1")],
)
def test_a_variable_has_a_name_that_stata_allows(name: str, variable: str) -> None:
    assert named(name) == [variable]


def test_a_set_whose_names_are_too_long_for_stata_is_known() -> None:
    long = subset(8, 3, "0.7")
    long["questions"][0]["choices"] = [letter * 200 for letter in "𠀀𠀁𠀂𠀃𠀄𠀅𠀆𠀇"]
    (values,) = spss_values(design(long))
    (short,) = spss_values(design(subset(5, 2, "0.7")))
    assert (values.is_too_wide_for_stata, short.is_too_wide_for_stata) == (True, False)
