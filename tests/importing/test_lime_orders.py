"""Answers in random order in a survey of LimeSurvey: each device shuffles them here too, or the loss is named."""

from typing import Any

import pytest

from importing import questionnaire_file
from importing.import_result import CAME, CHANGED, ImportResult
from tests.importing.lime_files import HEADER, answers, document, group, parts, question, table

ORDERS = ("random_order", "answer_order", "subquestion_order")
SAID = "Each device shows its answers in a random order."


def from_table(kind: str, *rows: Any, **settings: str) -> ImportResult:
    lines = (group("Work"), question("Q1", kind, "Which?", **settings), *rows)
    return questionnaire_file.read(table(*lines, header=(*HEADER, *ORDERS)))


def from_xml(kind: str, *rows: Any, **settings: str) -> ImportResult:
    """The same survey as an .lss file."""
    words = {"gid": "3", "group_name": "Work", "description": "", "language": "en", "group_order": "1"}
    common = {"gid": "3", "language": "en", "relevance": "1", "mandatory": "Y", "scale_id": "0"}
    asked = {"qid": "7", "parent_qid": "0", "type": kind, "title": "Q1", "question": "Which?"}
    tables: dict[str, list[dict[str, str]]] = {"groups": [words], "questions": [common | asked]}
    tables["subquestions"] = [
        {**common, "qid": f"8{n}", "parent_qid": "7", "title": each["name"], "question": each["text"]}
        for n, each in enumerate(rows)
        if each["class"] == "SQ"
    ]
    tables["answers"] = [
        {"qid": "7", "code": each["name"], "answer": each["text"], "language": "en", "scale_id": "0"}
        for each in rows
        if each["class"] == "A"
    ]
    tables["question_attributes"] = [
        {"qid": "7", "attribute": name, "value": value} for name, value in settings.items()
    ]
    return questionnaire_file.read(document(tables))


READERS = pytest.mark.parametrize("read", [from_table, from_xml])


def shuffled(taken: ImportResult) -> list[int]:
    return [each.get("shuffled", 0) for section in taken.draft["sections"] for each in section["questions"]]


def outcome(taken: ImportResult) -> tuple[str, str]:
    (line,) = (line for line in taken.lines if line.words == "Which?")
    return line.outcome, " ".join(line.remarks)


@READERS
@pytest.mark.parametrize("setting", [{"random_order": "1"}, {"answer_order": "random"}])
@pytest.mark.parametrize("kind", ["L", "!"])
def test_a_list_in_random_order_is_shuffled_and_says_so(
    read: Any, kind: str, setting: dict[str, str]
) -> None:
    taken = read(kind, *answers("Tea", "Coffee", "Water"), **setting)
    assert (shuffled(taken), outcome(taken)) == ([3], (CHANGED, SAID))


@READERS
@pytest.mark.parametrize("setting", [{"random_order": "1"}, {"subquestion_order": "random"}])
def test_the_options_of_several_of_many_are_shuffled(read: Any, setting: dict[str, str]) -> None:
    taken = read("M", *parts("Tea", "Coffee"), **setting)
    assert (shuffled(taken), outcome(taken)) == ([2, 0], (CHANGED, SAID))


@READERS
@pytest.mark.parametrize("setting", [{}, {"random_order": "0"}, {"answer_order": "normal"}])
def test_a_list_in_the_order_as_written_is_not_shuffled(read: Any, setting: dict[str, str]) -> None:
    taken = read("L", *answers("Tea", "Coffee"), **setting)
    assert (shuffled(taken), outcome(taken)) == ([0], (CAME, ""))


@READERS
@pytest.mark.parametrize(
    ("kind", "rows", "setting"),
    [
        ("F", [*parts("Tea", "Coffee"), *answers("Never", "Often")], {"random_order": "1"}),
        ("A", parts("Tea", "Coffee"), {"subquestion_order": "random"}),
        ("L", answers("Tea"), {"random_order": "1"}),
        ("L", answers("Tea", "Coffee"), {"answer_order": "alphabetical"}),
    ],
    ids=["rows of a table", "rows of a scale", "one answer", "alphabetical"],
)
def test_an_order_that_cannot_be_kept_is_named_as_left_out(
    read: Any, kind: str, rows: list[Any], setting: dict[str, str]
) -> None:
    taken = read(kind, *rows, **setting)
    assert not any(shuffled(taken))
    assert f"settings of the question are left out: {next(iter(setting))}." in outcome(taken)[1]
    assert SAID not in outcome(taken)[1]


@READERS
def test_other_settings_are_still_named_beside_a_random_order(read: Any) -> None:
    taken = read("L", *answers("Tea", "Coffee"), random_order="1", answer_order="alphabetical")
    assert outcome(taken) == (CHANGED, f"{SAID} These settings of the question are left out: answer_order.")
