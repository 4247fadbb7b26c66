"""What is wrong with a damaged file is told with its place; what only its writer got wrong is mended."""

import csv
import io
import json
from typing import Any

import pytest

from importing import questionnaire_file
from importing.faults import FileRefused
from importing.loose_json import looks_like_json, parse_json
from importing.markup_removal import plain_text
from tests.importing import lime_files as lime
from tests.importing.flow.qualtrics_files import FILES as QUALTRICS
from tests.importing.test_redcap import dictionary, field
from tests.surveys import drafts


def faults(data: bytes) -> list[tuple[str, str]]:
    with pytest.raises(FileRefused) as refused:
        questionnaire_file.read(data)
    return list(refused.value.faults)


@pytest.mark.parametrize(
    ("data", "location", "reason"),
    [
        (b'{"a": 1,\n"b": }', "line 2", "is damaged JSON; export it again"),
        (b'{"a": "\xff"}', "line 1", "is damaged JSON; export it again"),
        (b'{"a": ' + b"[" * 200_000, "the file", "is nested too deeply"),
        (b"<document>\n<a></b></document>", "line 2", "is damaged XML; export it again"),
        (b"<a>\n\n<!DOCTYPE a><a/></a>", "line 3", "is damaged XML; export it again"),
        (b"\n<!DOCTYPE a><a/>", "line 2", "defines a document type, which no questionnaire does"),
    ],
)
def test_damage_is_told_with_its_line(data: bytes, location: str, reason: str) -> None:
    assert faults(data) == [(location, reason)]


def test_half_a_character_is_a_question_mark() -> None:
    """JavaScript cuts emoji in halves, which no page can show."""
    assert parse_json(rb'{"a": ["\ud83d", "\ud83d\ude00"]}') == {"a": ["?", "😀"]}
    name, data = next(iter(QUALTRICS.items()))
    cut = json.loads(data)
    cut["SurveyEntry"]["SurveyName"] = "\ud83d"
    result = questionnaire_file.read(json.dumps(cut).encode())
    assert "?" in json.dumps(result.draft["title"]), name


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_json_is_told_by_its_content_in_every_encoding_of_json(encoding: str) -> None:
    data = '{"a": 1}'.encode(encoding)
    assert looks_like_json(data)
    assert parse_json(data) == {"a": 1}


def test_a_dictionary_whose_lines_end_in_carriage_returns_may_hold_line_feeds_in_cells() -> None:
    rows = list(csv.reader(io.StringIO(dictionary(field("sex"), field("drugs", note="a\nb")).decode())))
    file = io.StringIO()
    csv.writer(file, lineterminator="\r", quoting=csv.QUOTE_ALL).writerows(rows)
    draft = questionnaire_file.read(file.getvalue().encode()).draft
    assert [each["name"] for section in draft["sections"] for each in section["questions"]] == [
        "sex",
        "drugs",
    ]


def test_control_characters_leave_the_words_of_a_question() -> None:
    assert plain_text("a\x87\0 b\tc\n") == "a b\tc\n"


def lime_question(text: str, kind: str = "Y", **cells: str) -> bytes:
    rows = [
        lime.question("Q1", kind, text, **cells),
        lime.row("SQ", "S1", "One"),
        lime.row("SQ", "S2", "Two"),
    ]
    return lime.table(lime.group("G"), *rows)


def test_what_can_be_no_design_is_told_with_the_question() -> None:
    [(location, reason)] = faults(lime_question("a" + "\u0316" * 200))
    assert location == "Question 1, question text"
    assert "accents in a row" in reason


def test_an_option_that_excludes_others_means_nothing_where_one_is_chosen() -> None:
    draft = questionnaire_file.read(lime_question("Q?", exclude_all_others="S1")).draft
    assert "none" not in draft["sections"][0]["questions"][0]


@pytest.mark.parametrize(
    ("changed", "location", "reason"),
    [
        ({"thanks": 0.5}, "thanks", "must be an object"),
        ({"languages": 1e9}, "languages", "must be a list"),
        ({"minutes": 1.5}, "minutes", "must be an integer"),
        ({"expected": 1.5}, "expected", "must be an integer"),
    ],
)
def test_a_fraction_is_refused_for_what_belongs_in_its_place(
    changed: dict[str, Any], location: str, reason: str
) -> None:
    assert faults(json.dumps(drafts.complete(**changed)).encode()) == [(location, reason)]
