"""Names and labels in files for SPSS and Stata: what pyreadstat and R read of them."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pyreadstat
import pytest
from hypothesis import given, strategies as st

from intake.recordfiles import as_spss_and_stata
from intake.recordfiles.as_spss_and_stata import cut_text
from intake.recordfiles.spss_and_stata_variables import SPSS, STATA, fits_stata, variable_names
from privacy.records import DISGUISED, OPEN, RecordRow
from tests.intake import asked
from tests.intake.asked import codebook
from tests.intake.test_recordfile_rows import plain_design, spss
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

LONG = "Have you ever taken something home from your place of work " * 6
LONG_CHINESE = "您是否曾经从工作单位带走过不属于您的东西" * 10


def legal_names(*names: str, system: Any = SPSS) -> list[str]:
    return variable_names(plain_design(*({"name": name, "choices": ["a", "b"]} for name in names)), system)


def test_variable_is_named_after_its_question_or_the_nearest_legal_name() -> None:
    spss = {"took_home": "took_home", "took-home": "took_home", "change, in all": "change_in_all"}
    spss |= {"naïve": "naive", "ends.": "ends", "2nd job": "q1", "带走过": "q1", "not": "q1", "a" * 65: "q1"}
    assert {name: legal_names(name)[0] for name in spss} == spss
    stata = {"took_home": "took_home", "a.b": "a_b", "Int": "q1", "str9": "q1", "a" * 28: "q1"}
    assert {name: legal_names(name, system=STATA)[0] for name in stata} == stata
    # The name of another question is not taken.
    assert legal_names("took-home", "took_home", "Took home") == ["q1", "took_home", "q3"]
    assert legal_names("took-home", "took home") == ["took_home", "q2"]
    # A set whose names are too long for Stata is known.
    long = subset(8, 3, "0.7")
    long["questions"][0]["choices"] = [letter * 200 for letter in "𠀀𠀁𠀂𠀃𠀄𠀅𠀆𠀇"]
    assert (fits_stata(design(long)), fits_stata(design(subset(5, 2, "0.7")))) == (False, True)


@pytest.mark.page
@given(names=st.lists(st.text(min_size=1, max_size=70).filter(str.isprintable), max_size=6, unique=True))
def test_spss_variable_names_are_legal_and_unique_without_case(names: list[str]) -> None:
    wished = [name for name in (each.strip().replace("=", "") for each in names) if name and name != "group"]
    all_names = [*dict.fromkeys([*wished, "Not", "q1", "Q1", "ok."])]
    try:
        made = legal_names(*all_names)
    except ValueError:
        return
    assert len({name.lower() for name in [*made, "group"]}) == len(made) + 1
    assert all(SPSS.allows(name) for name in made)
    assert made[all_names.index("q1")] == "q1"


# --- labels in SPSS files, which have few bytes


def write_labels(tmp_path: Path, *texts: str) -> Any:
    questions = [
        {
            "name": f"took-{place}",
            "text": {"en": text},
            "label": {"en": "Took home"},
            "choices": [{"name": "a", "label": {"en": text}}, {"name": "b"}],
        }
        for place, text in enumerate(texts)
    ]
    records = asked.used_rows(plain_design(*questions), [RecordRow(1, (0,) * len(texts))])
    return spss(records, tmp_path)[1]


def test_variable_label_is_the_question_within_256_bytes(tmp_path: Path) -> None:
    asks = "Have you ever taken something home?"
    about = write_labels(tmp_path, asks)
    assert about.column_names_to_labels["took_0"] == about.variable_value_labels["took_0"][0] == asks
    assert about.notes[1:] == []
    about = write_labels(tmp_path, "问" * 85 + "?", "问" * 85 + "??")
    assert about.column_names_to_labels["took_0"] == "问" * 85 + "?"
    assert (about.column_names_to_labels["took_1"] or "").endswith("…")


def test_numeric_scale_is_ordinal_and_written_as_numbers(tmp_path: Path) -> None:
    five = {"name": "agree", "form": "scale", "choices": ["1", "2", "3", "4", "5"]}
    odd = {"name": "level", "form": "scale", "choices": ["01", "2", "3"]}
    rows = [RecordRow(1, (0, 0)), RecordRow(1, (4, 2)), RecordRow(0, (0, 0))]
    records = asked.used_rows(plain_design(five, odd), rows)
    data, about = spss(records, tmp_path, user_missing=True)
    assert (sorted(data["agree"]), sorted(data["level"])) == ([-3, 1, 5], [-3, 0, 2])
    assert about.variable_value_labels["agree"][5] == "5"
    assert about.variable_measure == {"group": "nominal", "agree": "ordinal", "level": "ordinal"}
    assert "| 5 | 5 | 5 |" in codebook(records, "records.sav", "Work", "en")


def test_long_labels_end_after_a_word_and_notes_have_them_whole(tmp_path: Path) -> None:
    for text, joint in ((LONG, " "), (LONG_CHINESE, "")):
        about = write_labels(tmp_path, text)
        shown = about.variable_value_labels["took_0"][0]
        assert len(shown.encode()) <= 120
        assert shown.endswith("…")
        assert text.startswith(shown[:-1])
        assert text[len(shown) - 1] == joint or not joint
        _fingerprint, *lines = about.notes
        assert all(len(line.encode()) <= 80 for line in lines)
        assert joint.join(line.strip() for line in lines) == f"took_0: {text.strip()}"
    for text, most, cut in (
        ("Took home", 120, "Took home"),
        ("Took something home", 19, "Took something home"),
        ("Took something home", 18, "Took something…"),
        ("Ein schöner\nlanger Satz", 15, "Ein schöner…"),
        ("您是否曾经带走过东西", 15, "您是否曾…"),
    ):
        assert cut_text(text, most) == cut
        assert len(cut.encode()) <= most


# --- record files for Stata

LONG_LABEL = (
    "Have you ever taken something home from your work that was not yours, even if it was small? 工作"
)
POINTS = ["1", "2", {"name": "3", "label": LONG_LABEL * 20}]
SCALE = {"name": "agree.with", "form": "scale", "text": LONG_LABEL, "choices": POINTS}
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
    as_spss_and_stata.write_dta(asked.used_rows(STUDY, ROWS), path, "en")
    return path


def test_stata_file_holds_numbers_and_missing_values_by_kind(file: Path) -> None:
    data, about = pyreadstat.read_dta(file, output_format="dict", user_missing=True)
    rows = zip(*(data[name] for name in about.column_names), strict=True)
    assert sorted(rows, key=str) == [
        (0, "c", "c", 1, "a", 0, "c"),
        (1, 0, 2, "a", 0, 50, "a+c"),
        (1, 0, 3, 1, "a", -50, "d+e"),
        (1, 1, 1, "b", "a", "b", "a+b"),
    ]
    missing = {"a": "not asked", "b": "does not apply", "c": "withheld"}
    assert about.variable_value_labels["theft"] == missing | {0: "No", 1: "Yes"}
    assert about.variable_value_labels["group"] == {0: "direct", 1: "disguised"}
    # Labels of answers are whole, and those of variables have eighty characters.
    assert about.variable_value_labels["agree_with"][3] == LONG_LABEL * 20
    label = about.column_names_to_labels["agree_with"] or ""
    assert len(label) <= 80
    assert LONG_LABEL.startswith(label.removesuffix("…"))
    assert LONG_LABEL in codebook(asked.used_rows(STUDY, ROWS), "records.dta", "Work", "en")


@pytest.mark.night
@pytest.mark.page
def test_r_reads_the_same_values(file: Path) -> None:
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
    assert told == {"cells": by_python, "labels": about.column_names_to_labels}
