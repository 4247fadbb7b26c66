"""Names and labels of variables in SPSS files."""

from pathlib import Path
from typing import Any

import pyreadstat
import pytest

from intake.recordfiles import as_sav, variables
from intake.recordfiles.codebook import codebook
from privacy.records import RecordRow
from tests.intake import asked
from tests.intake.recordfiles import filed

LONG = "Have you ever taken something home from your place of work " * 6
LONG_CHINESE = "您是否曾经从工作单位带走过不属于您的东西" * 10


def named(*names: str) -> list[str]:
    questions = [{"name": name, "choices": ["a", "b"]} for name in names]
    return variables.names(asked.written({"kind": "plain", "questions": questions}))


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("took_home", "took_home"),
        ("took-home", "took_home"),
        ("change, in all", "change_in_all"),
        ("naïve", "naive"),
        ("ends.", "ends"),
        ("2nd job", "q1"),
        ("带走过", "q1"),
        ("not", "q1"),
        ("a" * 65, "q1"),
    ],
)
def test_a_variable_has_the_name_of_its_question_or_the_nearest_legal_one(name: str, variable: str) -> None:
    assert named(name) == [variable]


def test_the_name_of_another_question_is_not_taken() -> None:
    assert named("took-home", "took_home", "Took home") == ["q1", "took_home", "q3"]
    assert named("took-home", "took home") == ["took_home", "q2"]


def written(tmp_path: Path, *texts: str) -> Any:
    questions = [
        {
            "name": f"took-{place}",
            "text": {"en": text},
            "label": {"en": "Took home"},
            "choices": [{"name": "a", "label": {"en": text}}, {"name": "b"}],
        }
        for place, text in enumerate(texts)
    ]
    design = asked.written({"kind": "plain", "questions": questions})
    path = tmp_path / "records.sav"
    as_sav.write(filed.records(design, [RecordRow(1, (0,) * len(texts))]), path, "en")
    return pyreadstat.read_sav(path)[1]


def test_the_label_of_a_variable_is_the_whole_question(tmp_path: Path) -> None:
    about = written(tmp_path, "Have you ever taken something home?")
    assert about.column_names_to_labels["took_0"] == "Have you ever taken something home?"
    assert about.variable_value_labels["took_0"][0] == "Have you ever taken something home?"
    assert about.notes[1:] == []


def test_a_label_has_the_256_bytes_of_spss(tmp_path: Path) -> None:
    about = written(tmp_path, "问" * 85 + "?", "问" * 85 + "??")
    assert about.column_names_to_labels["took_0"] == "问" * 85 + "?"
    assert (about.column_names_to_labels["took_1"] or "").endswith("…")


def test_a_scale_of_numbers_is_ordinal_and_written_as_its_numbers(tmp_path: Path) -> None:
    five = {"name": "agree", "form": "scale", "choices": ["1", "2", "3", "4", "5"]}
    odd = {"name": "level", "form": "scale", "choices": ["01", "2", "3"]}
    design = asked.written({"kind": "plain", "questions": [five, odd]})
    records = filed.records(design, [RecordRow(1, (0, 0)), RecordRow(1, (4, 2)), RecordRow(0, (0, 0))])
    path = tmp_path / "records.sav"
    as_sav.write(records, path, "en")
    data, about = pyreadstat.read_sav(path, output_format="dict", user_missing=True)
    assert sorted(data["agree"]) == [-3, 1, 5]
    assert sorted(data["level"]) == [-3, 0, 2]
    assert about.variable_value_labels["agree"][5] == "5"
    assert about.variable_measure == {"group": "nominal", "agree": "ordinal", "level": "ordinal"}
    assert "| 5 | 5 | 5 |" in codebook(records, "records.sav", "Work", "en")


@pytest.mark.parametrize(("text", "joint"), [(LONG, " "), (LONG_CHINESE, "")])
def test_words_that_are_too_long_end_after_a_word_and_the_notes_have_them_whole(
    tmp_path: Path, text: str, joint: str
) -> None:
    about = written(tmp_path, text)
    shown = about.variable_value_labels["took_0"][0]
    assert len(shown.encode()) <= 120
    assert shown.endswith("…")
    assert text.startswith(shown[:-1])
    assert text[len(shown) - 1] == joint or not joint
    _fingerprint, *lines = about.notes
    assert all(len(line.encode()) <= 80 for line in lines)
    assert joint.join(line.strip() for line in lines) == f"took_0: {text.strip()}"
